import type { FormProblem, Language, PageView } from '@bursar/checkout'

/** The parameters of a request for an invoice page. */
export interface Visit {
  language: Language
  /** the token of a claim link, unchecked */
  claim: string | undefined
  /** the acquirer has returned the payer */
  returned: boolean
  /** the holder of a claim link wants to pay the rest */
  rest: boolean
  /** the fee of the payer's exchange, as typed */
  fee: string | undefined
}

/** A submitted form of the page, as the payer typed it. */
export interface SentForm {
  verb: 'proceed' | 'requote' | 'retry' | 'payRest' | 'refund'
  email: string | undefined
  value: string | undefined
  /** `TICKER:BLOCKCHAIN` */
  choice: string | undefined
  address: string | undefined
}

/** A document for the payer to save. */
interface Receipt {
  name: string
  pdf: Buffer
}

/** The operations of one kind of invoice that its pages need. */
export interface InvoicePages {
  kind: 'crypto' | 'fiat'
  /** the channel on which each change announces the invoice's id */
  channel: string
  /** undefined if there is no such invoice */
  find(id: string, visit: Visit): Promise<PageView | undefined>
  /** returns the visit that follows a successful form */
  after(form: SentForm, visit: Visit): Visit
  /** carries out the form; returns every problem of it, and none if it had an effect */
  act(id: string, form: SentForm, visit: Visit): Promise<readonly FormProblem[]>
  /** undefined if there is none */
  receipt(id: string, visit: Visit): Promise<Receipt | undefined>
}
