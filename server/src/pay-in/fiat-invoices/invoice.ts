import type { FiatInvoiceState } from './machine.ts'

/** Units are minor units of the currency, 1/100. */
export interface FiatInvoice {
  merchantId: string
  id: string
  name: string
  description: string | null
  meta: string | null
  email: string | null
  redirectUrl: string | null
  /** null until the payer chooses; the currency may be given without the amount */
  ticker: string | null
  units: bigint | null
  /**
   * the amount as a decimal, and the currencies that the payer may choose it in, where a form fixed the amount alone
   */
  askedValue: string | null
  askedIn: string[] | null
  state: FiatInvoiceState
  paidUnits: bigint | null
  feeUnits: bigint | null
  maskedCard: string | null
  errorCode: number | null
  errorMessage: string | null
  /** its newest payment */
  paymentId: string | null
  expiresAt: Date
  /** when it fails, as a card was refused and its page takes another one until then; null: not before `expiresAt` */
  failsAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** How long an invoice waits for its payer, ms of the business clock (`contract.md` 13). */
export const LIFE_MS = 72 * 3_600_000

/** Shown where the acquirer tells no card. */
export const UNKNOWN_CARD = '****************'

/** What `error.code` of a failed invoice says; `error.message` says it in words. */
export const INVOICE_ERRORS = {
  /** no payment was tried */
  expired: { code: 1, message: 'Not paid in time' },
  /** the last card was refused; the message is the acquirer's */
  refused: { code: 2, message: 'The card was refused' },
  /** another amount arrived than was asked for; the money is with the service */
  amountDiffers: { code: 3, message: 'The amount paid is not the amount asked for' },
  /** no acquirer took the order */
  unavailable: { code: 4, message: 'Card payments were not available' },
} as const
