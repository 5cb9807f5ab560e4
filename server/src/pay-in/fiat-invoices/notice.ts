import type { Catalogue, FiatAsset } from '../../market/assets/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Notice } from '../../merchants/webhooks/index.ts'
import { UNKNOWN_CARD, type FiatInvoice } from './invoice.ts'
import type { FiatInvoiceState } from './machine.ts'

/** The status in notifications (`contract.md` 6.4). */
export type WireStatus = 'Pending' | 'Done' | 'Failed'

/** The status in the lookup (5.20). */
const lookupStatus: { readonly [State in FiatInvoiceState]: string } = {
  created: 'CREATED',
  pending: 'PENDING',
  paid: 'PAID',
  done: 'DONE',
  failed: 'FAILED',
}

export const assetOf = (ticker: string, catalogue: Catalogue): FiatAsset => {
  const asset = catalogue.findFiat(ticker)
  if (!asset) throw new Error(`an invoice is in ${ticker}, which the configured assets lack: list it again`)
  return asset
}

/**
 * The body of an `Invoice` notification (`contract.md` 6.4, 18 row 28), without empty fields. `ticker` is always
 * present: the first offered currency if the payer never chose one.
 */
export const noticeOf = (invoice: FiatInvoice, status: WireStatus, catalogue: Catalogue): Notice => {
  const { merchantId, id, name, description, email, meta, linkId, units, createdAt } = invoice
  const ticker = invoice.ticker ?? catalogue.fiat[0]!.ticker
  const show = (amount: bigint): string => formatUnits(amount, assetOf(ticker, catalogue).scale)
  const card = invoice.maskedCard ?? UNKNOWN_CARD
  return {
    merchantId,
    objectId: id,
    kind: 'Invoice',
    status,
    body: {
      id,
      merchantId,
      name,
      ...(description === null || description === '' ? {} : { description }),
      ...(email === null ? {} : { email }),
      ...(meta === null || meta === '' ? {} : { meta }),
      ...(linkId === null ? {} : { linkId }),
      ticker,
      ...(units === null ? {} : { amount: show(units) }),
      ...(status === 'Done'
        ? { paidAmount: show(invoice.paidUnits!), fee: show(invoice.feeUnits!), cardNumber: card, to: card }
        : {}),
      ...(status === 'Failed' && invoice.errorCode !== null
        ? { error: { code: invoice.errorCode, message: invoice.errorMessage ?? '' } }
        : {}),
      time: createdAt.getTime(),
      status,
      kind: 'Invoice',
    },
  }
}

/** The response of the lookup (`contract.md` 5.20). */
export const lookupBody = (
  invoice: FiatInvoice,
  company: { name: string; url: string },
  catalogue: Catalogue,
): Record<string, unknown> => {
  const { id, name, description, meta, linkId, state, ticker, units } = invoice
  const money = (amount: bigint): { value: string; ticker: string } => ({
    value: formatUnits(amount, assetOf(ticker!, catalogue).scale),
    ticker: ticker!,
  })
  return {
    id,
    name,
    company,
    status: lookupStatus[state],
    amount: units === null ? null : money(units),
    ...(description === null || description === '' ? {} : { description }),
    ...(meta === null || meta === '' ? {} : { meta }),
    ...(linkId === null ? {} : { linkId }),
    ...(state === 'done'
      ? {
          paidAmount: money(invoice.paidUnits!),
          fee: money(invoice.feeUnits!),
          cardNumber: invoice.maskedCard ?? UNKNOWN_CARD,
        }
      : {}),
  }
}
