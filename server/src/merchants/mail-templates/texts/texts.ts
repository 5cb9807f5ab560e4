import type { DashboardEvent, MerchantEvent } from '../letter.ts'

/** All texts of letters in one language. Arguments are already formatted for people. */
export interface Texts {
  receipt: {
    subject: (company: string, amount: string) => string
    title: string
    body: (company: string) => string
    open: string
  }
  underpaid: {
    subject: (company: string) => string
    title: string
    body: (paid: string, amount: string) => string
    choice: (missing: string) => string
    button: string
    secret: string
  }
  claim: {
    subject: Record<'approved' | 'declined' | 'sent', (company: string) => string>
    title: Record<'approved' | 'declined' | 'sent', string>
    body: Record<'approved' | 'declined' | 'sent', (company: string, refund: string) => string>
  }
  /** refunds of card payments */
  cardRefund: (company: string, refund: string) => string
  /** a payment page that a member sends */
  request: {
    subject: (company: string) => string
    title: string
    body: (company: string) => string
    button: string
    careful: string
    footer: (company: string) => string
  }
  exhausted: {
    subject: (merchant: string) => string
    title: string
    body: (merchant: string, since: string) => string
    waits: string
    next: string
  }
  activity: {
    subject: (merchant: string, counts: string) => string
    title: string
    period: (from: string, until: string) => string
    counted: Record<'deposit' | 'withdrawal' | 'card-payout' | 'invoice', (count: number) => string>
    one: Record<'deposit' | 'withdrawal' | 'card-payout' | 'invoice', string>
    failed: string
    more: (count: number) => string
  }
  month: {
    subject: (merchant: string, month: string) => string
    title: (month: string) => string
    opening: (amount: string) => string
    none: string
    button: string
  }
  invitation: {
    subject: Record<'join' | 'reset', (merchant: string) => string>
    title: Record<'join' | 'reset', string>
    body: Record<'join' | 'reset', (merchant: string) => string>
    button: string
    valid: (until: string) => string
    unwanted: string
  }
  dashboard: {
    subject: (what: string) => string
    title: Record<DashboardEvent, string>
    unknown: string
  }
  changed: {
    subject: (merchant: string, what: string) => string
    title: Record<MerchantEvent, string>
    unknown: Record<MerchantEvent, string>
  }
  names: {
    amount: string
    received: string
    missing: string
    fee: string
    card: string
    order: string
    description: string
    network: string
    paidAt: string
    invoice: string
    refundTo: string
    transaction: string
    note: string
    receiver: string
    object: string
    error: string
    time: string
    detail: string
    member: string
  }
  /** footer of letters to payers */
  payerFooter: (company: string) => string
  /** footer of letters to merchants */
  merchantFooter: string
  /** footer of letters to people of the dashboard */
  personFooter: string
}
