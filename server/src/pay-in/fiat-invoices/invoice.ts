import type { Language } from '../../platform/base/language.ts'
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
  /** the payment link from which it was made */
  linkId: string | null
  /** of the page and the acquirer's page, until the payer has chosen one; null: the browser's */
  language: Language | null
  /** null until the payer chooses; the currency may be fixed without the amount */
  ticker: string | null
  units: bigint | null
  /** the amount as a decimal, with the currencies that the payer may choose, if a form fixed only the amount */
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
  /**
   * when the invoice fails after a refused card, while the acquirer's page accepts another one; null: not before
   * `expiresAt`
   */
  failsAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** The time that an invoice waits for its payer, ms of the business clock (`contract.md` 13). */
export const LIFE_MS = 72 * 3_600_000

/** Shown if the acquirer reports no card number. */
export const UNKNOWN_CARD = '****************'

/** `error.code` and `error.message` of a failed invoice. */
export const INVOICE_ERRORS = {
  /** no payment was attempted */
  expired: { code: 1, message: 'Not paid in time' },
  /** the last card was refused; the message is the acquirer's, if there is one */
  refused: { code: 2, message: 'The card was refused' },
  /** another amount was paid than requested; the money is in suspense */
  amountDiffers: { code: 3, message: 'The amount paid is not the amount asked for' },
  /** no acquirer accepted the order */
  unavailable: { code: 4, message: 'Card payments were not available' },
} as const
