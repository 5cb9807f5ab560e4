import type { Network } from '@bursar/chainkit'
import type { Language } from '../../platform/base/language.ts'
import type { InvoiceState } from './machine.ts'

/** A price in fiat, and the part of it that has been paid. All in units of 1e-18. */
export interface BasePrice {
  ticker: string
  e18: bigint
}

/** The price of one whole unit of the asset in the base currency, and its validity. */
export interface Quote {
  priceE18: bigint
  at: Date
  until: Date
  /** the previous price, for payments sent while it was shown */
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
  /** the payment link from which it was made */
  linkId: string | null
  /** the merchant's choice, until the payer has chosen: of the page, and of mails to the payer */
  language: Language | null
  /** of these three, the payer chooses those that are null */
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
  /** how many of these are in a block */
  waitingMined: number
  refunded: boolean
  clientExpiresAt: Date
  expiresAt: Date
  createdAt: Date
  movedAt: Date
}

/** An invoice with an address, and so with an asset, a network and an amount. */
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
  /** the merchant knows of it: by a notification of the deposit, or by that of an end that counted it */
  notified: boolean
  priceE18: bigint | null
  unvalued: boolean
  arrivedAt: Date
  /** when its block of the best chain was mined; null while it is in none */
  minedAt: Date | null
  /** the payment counts at the price of when it was seen if it is mined by then; null: without limit */
  minedBy: Date | null
}
