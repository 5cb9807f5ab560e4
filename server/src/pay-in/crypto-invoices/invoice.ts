import type { Network } from '@bursar/chainkit'
import type { Language } from '../../platform/base/language.ts'
import type { InvoiceState } from './machine.ts'

/** A price in fiat, and what of it has come. All in units of 1e-18. */
export interface BasePrice {
  ticker: string
  e18: bigint
}

/** What one whole unit of the asset costs in the base currency, and for how long. */
export interface Quote {
  priceE18: bigint
  at: Date
  until: Date
  /** the price before: for what was sent while it was shown */
  previousE18: bigint | null
}

/** Amounts in the asset's ledger units. */
export interface Invoice {
  merchantId: string
  id: string
  state: InvoiceState
  name: string
  description: string | null
  meta: string | null
  email: string | null
  redirectUrl: string | null
  language: Language | null
  /** null of these three is what the payer chooses */
  ticker: string | null
  blockchain: Network | null
  units: bigint | null
  base: BasePrice | null
  quote: Quote | null
  address: string | null
  addressId: string | null
  paid: bigint
  fee: bigint
  paidBaseE18: bigint
  waiting: bigint
  waitingInTime: number
  /** of these, those that a block has */
  waitingMined: number
  refunded: boolean
  clientExpiresAt: Date
  expiresAt: Date
  createdAt: Date
  movedAt: Date
}

/** An invoice that has an address, and so an asset, a network and an amount. */
export type Registered = Invoice & {
  ticker: string
  blockchain: Network
  units: bigint
  address: string
  addressId: string
}

export const isRegistered = (invoice: Invoice): invoice is Registered => invoice.addressId !== null

export type PaymentState = 'waiting' | 'credited' | 'lost'

/** A deposit that counts toward an invoice. */
export interface Payment {
  merchantId: string
  depositId: string
  invoiceId: string
  units: bigint
  fee: bigint
  state: PaymentState
  /** seen after the invoice had ended */
  late: boolean
  /** the merchant knows of it: by a notification of its own, or by that of an end which counted it */
  notified: boolean
  priceE18: bigint | null
  unvalued: boolean
  arrivedAt: Date
  /** when a block of the best chain had it; null while none has */
  minedAt: Date | null
  /** until when it has to be mined to count at the price of when it was seen; null: the price holds without end */
  minedBy: Date | null
}
