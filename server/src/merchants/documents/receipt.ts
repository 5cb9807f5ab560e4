/**
 * What a receipt says, as values. Amounts are decimal strings as on the wire, in units of the `ticker` beside them;
 * times are ms since the epoch, business clock. Texts are the merchant's and the payer's own and may hold anything.
 */
interface ReceiptHead {
  /** the invoice */
  id: string
  company: { name: string; url: string | null }
  /** what the merchant says it is for */
  description: string | null
  /** asked for */
  amount: string
  /** received */
  paidAmount: string
  ticker: string
  createdAt: number
  /** when what had arrived was enough */
  paidAt: number
}

export interface CryptoPayment {
  /** of the transaction; null where money came from another merchant of the same platform, which needs no chain */
  hash: string | null
  amount: string
  /** when it was seen first */
  at: number
}

export interface CryptoReceipt extends ReceiptHead {
  kind: 'crypto'
  /** the network's name on the wire, such as `BINANCE_SMART_CHAIN` */
  blockchain: string
  address: string
  payments: readonly CryptoPayment[]
  /** the price in fiat of an invoice that has one */
  price: { amount: string; ticker: string } | null
}

export interface FiatReceipt extends ReceiptHead {
  kind: 'fiat'
  /** what the payer was charged on top of the amount, or null for nothing */
  fee: string | null
  /** masked, such as `444433******1111`; null where the acquirer does not tell */
  card: string | null
  /** how the acquirer calls the payment, for the payer's bank; null where it gives no name */
  reference: string | null
}

export type Receipt = CryptoReceipt | FiatReceipt
