import type { Payment } from '../../cards/acquiring/index.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { queueMails } from '../../merchants/mail/index.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { FiatInvoice } from './invoice.ts'
import { assetOf } from './notice.ts'
import { pageUrl, type FiatInvoiceSettings } from './settings.ts'

type Settings = Pick<FiatInvoiceSettings, 'catalogue' | 'publicUrl'>

/** Queues the payer's receipt of a newly paid invoice, if the address is known. */
export const mailReceipt = async (
  tx: Tx,
  invoice: FiatInvoice,
  language: Language,
  settings: Settings,
  moment: Moment,
): Promise<void> => {
  const {
    id,
    merchantId,
    email,
    name,
    description,
    ticker,
    units,
    paidUnits,
    maskedCard,
    paymentId,
    createdAt,
    updatedAt,
  } = invoice
  if (email === null) return
  const show = (amount: bigint): string => formatUnits(amount, assetOf(ticker!, settings.catalogue).scale)
  const receipt = {
    kind: 'fiat',
    id,
    company: await companyOf(tx, merchantId),
    name,
    description,
    amount: show(units!),
    paidAmount: show(paidUnits!),
    ticker: ticker!,
    createdAt: createdAt.getTime(),
    paidAt: updatedAt.getTime(),
    // The number is that of the payment, which acquirers know as their order and which the page's receipt shows, too.
    // There is no charge on top of the amount.
    fee: null,
    card: maskedCard,
    reference: paymentId,
  } as const
  await queueMails(
    tx,
    [
      {
        merchantId,
        about: id,
        to: email,
        language,
        kind: 'receipt',
        data: { receipt, pageUrl: pageUrl(settings, id) },
      },
    ],
    moment,
  )
}

/** Queues the payer's mail about a refund to the card, if the address is known. Units are minor units. */
export const mailRefund = async (
  tx: Tx,
  { id, merchantId, email, name, description }: FiatInvoice,
  { language, paidTicker, paidUnits, maskedCard }: Payment,
  refund: { id: string; units: bigint },
  settings: Settings,
  moment: Moment,
): Promise<void> => {
  if (email === null) return
  const show = (amount: bigint): string => formatUnits(amount, assetOf(paidTicker!, settings.catalogue).scale)
  const data = {
    invoiceId: id,
    company: await companyOf(tx, merchantId),
    name,
    description,
    amount: show(paidUnits!),
    refund: show(refund.units),
    ticker: paidTicker!,
    card: maskedCard,
    pageUrl: pageUrl(settings, id),
  }
  await queueMails(tx, [{ merchantId, about: refund.id, to: email, language, kind: 'card-refunded', data }], moment)
}
