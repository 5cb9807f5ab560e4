import type { Receipt } from '../documents/index.ts'

/**
 * The data of each kind of letter. Amounts are decimal strings as on the wire; times are ms since the epoch; URLs are
 * absolute.
 */
export interface MailTemplates {
  /** to the payer: an invoice is paid. The receipt is attached as PDF */
  receipt: { receipt: Receipt; pageUrl: string }
  /**
   * to the payer: the invoice expired with less than the requested amount. At `claimUrl` the payer can pay the rest or
   * ask for the money back
   */
  underpaid: InvoiceMoney & { paidAmount: string; missing: string; claimUrl: string }
  /** to the payer: the result of the request for the money back. `sent` names the transaction */
  'claim-answered': InvoiceMoney & {
    answer: 'approved' | 'declined' | 'sent'
    /** the amount refunded */
    refund: string
    refundAddress: string
    hash: string | null
    /** the merchant's message to the payer */
    note: string | null
    pageUrl: string
  }
  /** to the payer: money was refunded to the card. `amount` is the amount paid, `refund` the amount of this refund */
  'card-refunded': Omit<InvoiceMoney, 'blockchain'> & { refund: string; card: string | null; pageUrl: string }
  /** to the payer: a member of the merchant sends the page of an invoice or of a payment link */
  'payment-request': {
    company: { name: string; url: string | null }
    /** of the invoice or the link */
    name: string
    /** null: the payer chooses it */
    amount: { value: string; ticker: string } | null
    pageUrl: string
  }
  /** to the merchant: no attempt of the whole schedule has delivered a notification */
  'webhooks-exhausted': {
    merchant: string
    url: string | null
    objectId: string
    sequence: number
    error: string | null
    since: number
  }
  /** to the merchant: deposits and payouts since the last such letter */
  activity: { merchant: string; from: number; until: number; entries: readonly ActivityEntry[]; more: number }
  /** to the merchant: its balances in a month, as `2026-10`. The statements are at `pageUrl` */
  'month-ended': { merchant: string; month: string; balances: readonly MonthBalance[]; pageUrl: string }
  /**
   * to a person: a link, valid until `until`, to become a member of a merchant or, with `isReset`, to set up a new way
   * to sign in
   */
  'dashboard-invitation': { merchant: string; joinUrl: string; until: number; isReset: boolean }
  /** to a person: how they sign in to the dashboard has changed. `detail` names the browser or the passkey */
  'dashboard-notice': { event: DashboardEvent; detail: string; at: number }
  /** to an owner of a merchant: a member, `by` address, has changed a setting of security; null: the operator */
  'merchant-changed': { merchant: string; event: MerchantEvent; detail: string; by: string | null; at: number }
}

interface MonthBalance {
  ticker: string
  opening: string
  closing: string
}

export type MerchantEvent =
  | 'webhook-url'
  | 'webhook-endpoint'
  | 'webhook-endpoint-off'
  | 'webhook-endpoint-removed'
  | 'webhook-secret'
  | 'archive'
  | 'key-added'
  | 'member-joined'
  | 'role-changed'

export type DashboardEvent =
  | 'new-browser'
  | 'recovery-used'
  | 'recovery-renewed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'password-set'
  | 'access-reset'

/** An invoice in a letter to its payer. */
export interface InvoiceMoney {
  invoiceId: string
  company: { name: string; url: string | null }
  /** the merchant's name of the invoice; mails that an earlier build has queued lack it */
  name?: string
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
  /** the merchant's own reference: localId, name or meta, truncated */
  name: string | null
  id: string
  at: number
}

export type LetterKind = keyof MailTemplates

/** The kind of a letter with its data. */
export type LetterContent = { [Kind in LetterKind]: { kind: Kind; data: MailTemplates[Kind] } }[LetterKind]

/** Recipients whose mails are counted together. */
export type Audience = 'payer' | 'merchant' | 'invitee' | 'person'

const AUDIENCES: { readonly [Kind in LetterKind]: Audience } = {
  receipt: 'payer',
  underpaid: 'payer',
  'claim-answered': 'payer',
  'card-refunded': 'payer',
  'payment-request': 'payer',
  'webhooks-exhausted': 'merchant',
  activity: 'merchant',
  'month-ended': 'merchant',
  'dashboard-invitation': 'invitee',
  'dashboard-notice': 'person',
  'merchant-changed': 'merchant',
}

/**
 * The recipient of a letter. Letters to a person about how they sign in have an audience of their own, so that no other
 * mails use up the limit of their mailbox: neither invitations, which any merchant can send, nor mails to payers.
 */
export const audienceOf = (letter: LetterContent): Audience =>
  letter.kind === 'dashboard-invitation' && letter.data.isReset ? 'person' : AUDIENCES[letter.kind]
