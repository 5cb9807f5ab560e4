import type { StatementLine } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { stopDebtors } from '../../ledger/debts/index.ts'
import type { Effects } from '../../ledger/effects/index.ts'
import { raiseAlert } from '../../platform/runtime/alerts.ts'
import type { Payment } from './payment.ts'
import { takeBackItem } from './postings.ts'
import { insertRefund } from './refund-store.ts'
import { claimRefundLine } from './statement-store.ts'
import { availableFor, sourceOf } from './taking-back.ts'

/** A partial refund that the acquirer reports and Bursar did not order. */
export interface ForeignRefund {
  /** minor units */
  units: bigint
  /** the evidence, stored with the refund */
  reason: string
  actor: string
}

/**
 * Posts a partial refund that was made without us, in the acquirer's console. The account that
 * has the payment's money (the merchant's balance, or suspense) is debited by the amount that is available there; the
 * rest becomes a debt of the merchant. The caller has locked the payment's row, and has checked that more than this is
 * left of the payment.
 */
export const postForeignRefund = async (
  tx: Tx,
  payment: Payment,
  { units, reason, actor }: ForeignRefund,
  moment: Moment,
): Promise<Effects> => {
  const from = sourceOf(payment)
  const { merchantId, acquirer } = payment
  const ticker = payment.paidTicker!
  const pair = { merchantId, asset: ticker }
  const available = await availableFor(tx, payment, from, units, moment)
  const { item, short } = takeBackItem(
    { merchantId, id: payment.id, acquirer, ticker, units, fee: 0n },
    { account: from, available },
    moment,
  )
  if (short > 0n) await stopDebtors(tx, [pair], moment)
  await insertRefund(
    tx,
    {
      merchantId,
      id: moment.newId(),
      reference: null,
      paymentId: payment.id,
      acquirer,
      ticker,
      units,
      from,
      holdId: item.transfer.id,
      state: 'done',
      reason,
      actor,
      epoch: 0,
      createdAt: moment.at,
      sentAt: null,
    },
    null,
  )
  const text = `${acquirer} refunded ${units} minor units of payment ${payment.id} without an order of ours; they were taken from the ${from === 'suspense' ? 'money in suspense' : 'balance'} of merchant ${merchantId}${short > 0n ? ', which owes a part of them' : ''}`
  await raiseAlert(tx, { kind: 'refund-foreign', subject: payment.id, text }, moment)
  return { items: [item], notices: [] }
}

/**
 * Posts a refund made without us that a statement line shows.
 * @param units minor units: the whole line, or the part that is not posted yet
 */
export const bookStatedRefund = async (
  tx: Tx,
  payment: Payment,
  line: StatementLine,
  units: bigint,
  moment: Moment,
): Promise<Effects> => {
  const refund = { units, reason: `on the statement as ${line.acquirerReference}`, actor: 'reconciliation' }
  const effects = await postForeignRefund(tx, payment, refund, moment)
  await claimRefundLine(tx, payment, line)
  return effects
}
