/**
 * The values of a receipt. Amounts are decimal strings as on the wire, in units of `ticker`. Times are ms since the
 * epoch, business clock. Texts come from the merchant and the payer and may contain anything.
 */
interface ReceiptHead {
  /** id of the invoice */
  id: string
  company: { name: string; url: string | null }
  /** the merchant's name of the invoice; mails that an earlier build has queued lack it */
  name?: string
  /** the merchant's description of the invoice */
  description: string | null
  /** the amount requested */
  amount: string
  /** the amount received */
  paidAmount: string
  ticker: string
  createdAt: number
  /** when the received amount was sufficient */
  paidAt: number
}

export interface CryptoPayment {
  /** hash of the transaction; null for a transfer from another merchant of the same platform, which needs none */
  hash: string | null
  amount: string
  /** when it was first seen */
  at: number
}

export interface CryptoReceipt extends ReceiptHead {
  kind: 'crypto'
  /** the network's name on the wire, such as `BINANCE_SMART_CHAIN` */
  blockchain: string
  address: string
  payments: readonly CryptoPayment[]
  /** the price in fiat, if the invoice has one */
  price: { amount: string; ticker: string } | null
}

export interface FiatReceipt extends ReceiptHead {
  kind: 'fiat'
  /** the fee that the payer was charged in addition to the amount; null: none */
  fee: string | null
  /** masked, such as `444433******1111`; null when the acquirer does not report it */
  card: string | null
  /** the acquirer's identifier of the payment, for the payer's bank; null when it has none */
  reference: string | null
}

export type Receipt = CryptoReceipt | FiatReceipt
