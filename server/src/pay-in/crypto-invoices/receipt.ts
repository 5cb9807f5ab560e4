import { familyOf } from '../../chain/addresses/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { depositsAt } from '../deposits/index.ts'
import type { Receipt } from '../../merchants/documents/index.ts'
import { companyOf } from '../../merchants/accounts/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { isRegistered, type Registered } from './invoice.ts'
import { scaleOf } from './notice.ts'
import { paymentsOf } from './payments.ts'
import { findById } from './store.ts'

/** Returns the receipt of a paid invoice: its credited payments with their transactions. */
export const receiptOf = async (
  db: Db | Tx,
  invoice: Registered,
  company: { name: string; url: string },
  catalogue: Catalogue,
): Promise<Receipt> => {
  const { id, merchantId, name, description, units, paid, base, ticker, blockchain, address, createdAt, movedAt } =
    invoice
  const scale = scaleOf(invoice, catalogue)
  const deposits = new Map(
    (await depositsAt(db, merchantId, familyOf(blockchain), address)).map((deposit) => [deposit.id, deposit]),
  )
  const credited = (await paymentsOf(db, merchantId, id)).filter(({ state }) => state === 'credited')
  return {
    kind: 'crypto',
    id,
    company,
    name,
    description,
    amount: formatUnits(units, scale),
    paidAmount: formatUnits(paid, scale),
    ticker,
    blockchain,
    address,
    createdAt: createdAt.getTime(),
    paidAt: movedAt.getTime(),
    payments: credited.map((payment) => ({
      hash: deposits.get(payment.depositId)?.hash ?? null,
      amount: formatUnits(payment.units, scale),
      at: payment.arrivedAt.getTime(),
    })),
    price: base === null ? null : { amount: formatUnits(base.e18, 18), ticker: base.ticker },
  }
}

/** Returns the receipt of a paid invoice with its merchant; undefined for any other invoice. */
export const findReceipt = (
  db: Db,
  id: string,
  catalogue: Catalogue,
): Promise<{ merchantId: string; receipt: Receipt } | undefined> =>
  inTransaction(db, async (tx) => {
    const invoice = await findById(tx, id)
    if (!invoice || invoice.state !== 'paid' || !isRegistered(invoice)) return undefined
    const { merchantId } = invoice
    return { merchantId, receipt: await receiptOf(tx, invoice, await companyOf(tx, merchantId), catalogue) }
  })
