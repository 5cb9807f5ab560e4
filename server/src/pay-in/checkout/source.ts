import type { FormProblem, Language, PageView } from '@bursar/checkout'

/** How a page of an invoice is asked for. */
export interface Visit {
  language: Language
  /** the token of a claim link, as it came */
  claim: string | undefined
  /** an acquirer has sent the payer back */
  returned: boolean
  /** the holder of a claim link pays the rest */
  rest: boolean
}

/** What a form of the page says, as it was typed. */
export interface SentForm {
  verb: 'proceed' | 'requote' | 'retry' | 'payRest' | 'refund'
  email: string | undefined
  value: string | undefined
  /** `TICKER:BLOCKCHAIN` */
  choice: string | undefined
  address: string | undefined
}

/** A document to be kept. */
interface Receipt {
  name: string
  pdf: Buffer
}

/** One kind of invoice, as its pages need it. */
export interface InvoicePages {
  kind: 'crypto' | 'fiat'
  /** announced on with an invoice's id by whatever changes it */
  channel: string
  /** undefined when there is no such invoice */
  find(id: string, visit: Visit): Promise<PageView | undefined>
  /** the visit that follows when a form has done what was wanted */
  after(form: SentForm, visit: Visit): Visit
  /** does what the payer wants; answers with what is wrong about it */
  act(id: string, form: SentForm, visit: Visit): Promise<FormProblem | undefined>
  /** undefined when there is none */
  receipt(id: string, visit: Visit): Promise<Receipt | undefined>
}
