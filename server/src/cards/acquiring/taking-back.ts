import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { stopDebtors, lockAvailable, pairText } from '../../ledger/debts/index.ts'
import { noEffects, type Effects } from '../../ledger/effects/index.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { freeHeld } from './holding.ts'
import type { Payment } from './payment.ts'
import { takeBackItem } from './postings.ts'
import { movePayment } from './store.ts'

/** Returns the account that holds a posted payment's money. A disputed payment was credited to the merchant. */
export const sourceOf = ({ state }: Pick<Payment, 'state'>): 'suspense' | 'merchant' =>
  state === 'suspended' ? 'suspense' : 'merchant'

/**
 * Returns the amount of an account that is available for returned money, including holds of card payments.
 * @param needed minor units
 * @param usedFor the hold of a dispute, which may end without using the money
 */
export const availableFor = async (
  tx: Tx,
  payment: Payment,
  account: 'suspense' | 'merchant',
  needed: bigint,
  moment: Moment,
  usedFor?: string,
): Promise<bigint> => {
  const pair = { merchantId: payment.merchantId, asset: payment.paidTicker! }
  const read = async (): Promise<bigint> => (await lockAvailable(tx, [pair])).get(pairText(pair))![account]
  if (account === 'merchant')
    await freeHeld(tx, payment, { needed, available: await read(), fromReserve: true, usedFor }, moment)
  return read()
}

/**
 * Posts a chargeback of a posted payment. The rest after refunds is taken from the balance that it was posted to,
 * and the missing part becomes a debt (F8). The caller has locked the payment's row.
 */
export const takeBack = async (tx: Tx, payment: Payment, next: Date | null, moment: Moment): Promise<Effects> => {
  const account = sourceOf(payment)
  const moved = await movePayment(tx, payment, 'reversed', {}, { at: moment.at, next })
  if (!moved) return noEffects
  const pair = { merchantId: payment.merchantId, asset: payment.paidTicker! }
  const units = payment.paidUnits! - payment.refundedUnits
  const fee = payment.fee < units ? payment.fee : units
  const available = await availableFor(tx, payment, account, units - fee, moment)
  const money = {
    merchantId: payment.merchantId,
    id: payment.id,
    acquirer: payment.acquirer,
    ticker: payment.paidTicker!,
    units,
    fee,
  }
  const { item, short } = takeBackItem(money, { account, available }, moment)
  if (short > 0n) await stopDebtors(tx, [pair], moment)
  await resolveAlert(tx, 'payment-suspended', payment.id, moment.at)
  await raiseAlert(
    tx,
    {
      kind: 'payment-reversed',
      subject: payment.id,
      text: textOf(payment, short),
      detail: { units: `${units}`, shortUnits: `${short}` },
    },
    moment,
  )
  return { items: [item], notices: [] }
}

const textOf = ({ id, merchantId, invoiceId, acquirer, paidTicker }: Payment, short: bigint): string => {
  const lost = `${acquirer} took back payment ${id} of invoice ${invoiceId} of merchant ${merchantId}`
  const spent = `the merchant had spent the money, so its withdrawals of ${paidTicker} are stopped until the debt is repaid`
  return short > 0n ? `${lost}; ${spent}` : `${lost}: tell the merchant, and answer the acquirer if it is disputed`
}
