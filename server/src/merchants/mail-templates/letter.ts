import type { Receipt } from '../documents/index.ts'

/**
 * What each letter tells. Amounts are decimal strings as on the wire; times are ms since the epoch; URLs are absolute.
 */
export interface MailTemplates {
  /** to the payer: an invoice is paid. The receipt is attached as PDF */
  receipt: { receipt: Receipt; pageUrl: string }
  /**
   * to the payer: less arrived than was asked for until the invoice expired. `claimUrl` lets the payer pay the rest or
   * ask for the money back
   */
  underpaid: InvoiceMoney & { paidAmount: string; missing: string; claimUrl: string }
  /** to the payer: what became of the request for the money back. `sent` names the transaction */
  'claim-answered': InvoiceMoney & {
    answer: 'approved' | 'declined' | 'sent'
    /** what goes back */
    refund: string
    refundAddress: string
    hash: string | null
    /** the merchant's words to the payer */
    note: string | null
    pageUrl: string
  }
  /**
   * to the payer: money of a card payment went back to the card. `amount` is what was paid, `refund` what went back now
   */
  'card-refunded': Omit<InvoiceMoney, 'blockchain'> & { refund: string; card: string | null; pageUrl: string }
  /** to the merchant: notifications have not been taken for the whole schedule */
  'webhooks-exhausted': {
    merchant: string
    url: string | null
    objectId: string
    sequence: number
    error: string | null
    since: number
  }
  /** to the merchant: what was deposited and paid out since the last such letter */
  activity: { merchant: string; from: number; until: number; entries: readonly ActivityEntry[]; more: number }
}

/** An invoice in a letter to its payer. */
export interface InvoiceMoney {
  invoiceId: string
  company: { name: string; url: string | null }
  description: string | null
  amount: string
  ticker: string
  /** the network's name on the wire */
  blockchain: string
}

export interface ActivityEntry {
  kind: 'deposit' | 'withdrawal' | 'card-payout' | 'invoice'
  status: 'done' | 'failed'
  amount: string
  ticker: string
  blockchain: string | null
  /** the merchant's own word for it: localId or meta, cut short */
  name: string | null
  id: string
  at: number
}

export type LetterKind = keyof MailTemplates

/** A letter with what it tells. */
export type LetterContent = { [Kind in LetterKind]: { kind: Kind; data: MailTemplates[Kind] } }[LetterKind]

/** Who reads a letter. */
export const AUDIENCES: { readonly [Kind in LetterKind]: 'payer' | 'merchant' } = {
  receipt: 'payer',
  underpaid: 'payer',
  'claim-answered': 'payer',
  'card-refunded': 'payer',
  'webhooks-exhausted': 'merchant',
  activity: 'merchant',
}
