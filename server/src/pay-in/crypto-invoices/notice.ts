import type { Catalogue } from '../../market/assets/index.ts'
import { formatUnits, mulDiv } from '../../platform/money/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import { isRegistered, type Invoice } from './invoice.ts'
import type { InvoiceEffect } from './machine.ts'

/** The status in notifications of an invoice (`contract.md` 6.3, 18 row 20). */
export type WireStatus = 'PENDING' | 'DONE' | 'EXPIRED'

export const statusOf: { readonly [Effect in InvoiceEffect]: WireStatus } = {
  notifyPending: 'PENDING',
  notifyDone: 'DONE',
  notifyExpired: 'EXPIRED',
}

const E18_SCALE = 18
const CENT_E18 = 10n ** 16n

export const scaleOf = ({ ticker, id }: Pick<Invoice, 'ticker' | 'id'>, catalogue: Catalogue): number => {
  const asset = ticker === null ? undefined : catalogue.findCrypto(ticker)
  if (!asset) throw new Error(`invoice ${id} is in ${ticker}, which the configured assets lack: list it again`)
  return asset.scale
}

/** Fiat in whole cents, rounded down, so that a paid amount is never overstated. */
export const centsText = (e18: bigint): string => formatUnits(mulDiv(e18, 1n, CENT_E18, 'down'), 2)

/** The price fields of the lookup and the notifications; none if the invoice is not priced in fiat. */
export const priceFields = (invoice: Invoice): { price?: string; paidPrice?: string } => {
  const { base, quote, paid } = invoice
  return {
    ...(base === null || quote === null ? {} : { price: formatUnits(quote.priceE18, E18_SCALE) }),
    ...(base === null || paid === 0n ? {} : { paidPrice: centsText(paidWorth(invoice, base.e18)) }),
  }
}

/** The worth of the credited amount; the price itself where only the rounding of the amount exceeds it. */
const paidWorth = ({ units, paid, paidBaseE18 }: Invoice, priceE18: bigint): bigint =>
  units !== null && paid <= units && paidBaseE18 > priceE18 ? priceE18 : paidBaseE18

/** The paid amount; zero while no asset is chosen. */
export const paidText = (invoice: Invoice, catalogue: Catalogue): string =>
  invoice.paid === 0n ? '0' : formatUnits(invoice.paid, scaleOf(invoice, catalogue))

/**
 * The body of a `CryptoInvoice` notification. `ticker`, `blockchain` and `amount` are always present: empty, and "0",
 * if the payer has not chosen. Other empty fields are omitted.
 */
const noticeBody = (invoice: Invoice, status: WireStatus, catalogue: Catalogue): Record<string, unknown> => {
  const { id, merchantId, name, description, meta, linkId, email, ticker, blockchain, units, base, fee } = invoice
  const { createdAt, expiresAt } = invoice
  return {
    id,
    ticker: ticker ?? '',
    blockchain: blockchain ?? '',
    merchantId,
    amount: units === null ? '0' : formatUnits(units, scaleOf(invoice, catalogue)),
    paidAmount: paidText(invoice, catalogue),
    ...(status === 'DONE' ? { fee: formatUnits(fee, scaleOf(invoice, catalogue)) } : {}),
    name,
    ...(description === null || description === '' ? {} : { description }),
    ...(meta === null || meta === '' ? {} : { meta }),
    ...(linkId === null ? {} : { linkId }),
    ...(email === null ? {} : { email }),
    ...(isRegistered(invoice) ? { address: invoice.address } : {}),
    ...(base === null ? {} : { baseTicker: base.ticker, baseAmount: formatUnits(base.e18, E18_SCALE) }),
    ...priceFields(invoice),
    expiredAt: expiresAt.getTime(),
    time: createdAt.getTime(),
    status,
    kind: 'CryptoInvoice',
  }
}

export const invoiceNotice = (invoice: Invoice, status: WireStatus, catalogue: Catalogue): Notice => ({
  merchantId: invoice.merchantId,
  objectId: invoice.id,
  kind: 'CryptoInvoice',
  status,
  body: noticeBody(invoice, status, catalogue),
})
