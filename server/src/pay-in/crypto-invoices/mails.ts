import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import { queueMails } from '../../merchants/mail/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { isRegistered, type Invoice } from './invoice.ts'
import { scaleOf } from './notice.ts'
import { receiptOf } from './receipt.ts'
import { claimUrl, pageUrl, type InvoiceSettings } from './settings.ts'

/**
 * Queues the mail to the payer when an invoice ends: a receipt, or, after a partial payment, the link to pay the rest
 * or to request a refund.
 */
export const mailOf = async (
  tx: Tx,
  invoice: Invoice,
  end: 'paid' | 'expired',
  settings: InvoiceSettings,
  moment: Moment,
): Promise<void> => {
  const { id, merchantId, email, paid } = invoice
  if (email === null || !isRegistered(invoice) || paid === 0n) return
  const about = { merchantId, about: id, to: email, language: invoice.language ?? 'en' }
  const company = await companyOf(tx, merchantId)
  if (end === 'paid') {
    const data = { receipt: await receiptOf(tx, invoice, company, settings.catalogue), pageUrl: pageUrl(settings, id) }
    await queueMails(tx, [{ ...about, kind: 'receipt', data }], moment)
    return
  }
  const scale = scaleOf(invoice, settings.catalogue)
  const data = {
    invoiceId: id,
    company,
    name: invoice.name,
    description: invoice.description,
    amount: formatUnits(invoice.units, scale),
    paidAmount: formatUnits(paid, scale),
    missing: formatUnits(invoice.units > paid ? invoice.units - paid : 0n, scale),
    ticker: invoice.ticker,
    blockchain: invoice.blockchain,
    claimUrl: claimUrl(settings, id),
  }
  await queueMails(tx, [{ ...about, kind: 'underpaid', data }], moment)
}
