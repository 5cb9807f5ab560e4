import type { AcquirerState } from '../../adapters/acquirers/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { lockDebts, pairText, liftDebtorStops } from '../../ledger/debts/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { isAlertOpen, raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { heldParts, holdParts } from './holding.ts'
import type { CardHold, Payment, PaymentSubscriber, SuspendedFor } from './payment.ts'
import { acceptItem, costItem, creditItem, repayItem, suspendItem } from './postings.ts'
import { lockPayment, movePayment, setCost, type Learned } from './store.ts'

type Paid = Extract<AcquirerState, { kind: 'succeeded' | 'reversed' }>

/** Posts money that the acquirer confirms, to the merchant or to suspense. The caller has locked the payment's row. */
export const book = async (
  tx: Tx,
  payment: Payment,
  answer: Paid,
  subscriber: PaymentSubscriber,
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  const learned: Learned = {
    acquirerReference: answer.acquirerReference,
    paidTicker: answer.ticker,
    paidUnits: answer.units,
    costUnits: answer.feeUnits ?? 0n,
    maskedCard: answer.maskedCard,
  }
  const paid: Payment = {
    ...payment,
    paidTicker: answer.ticker,
    paidUnits: answer.units,
    maskedCard: answer.maskedCard ?? null,
  }
  if (answer.ticker !== payment.ticker || answer.units !== payment.units) {
    const suspended = await suspend(tx, payment, 'amount-differs', learned, next, moment)
    return joinEffects([
      suspended,
      await subscriber.ended(tx, { ...paid, state: 'suspended', suspendedFor: 'amount-differs' }, moment),
    ])
  }
  const attribution = await subscriber.paid(tx, paid, moment)
  const own =
    attribution.kind === 'credit'
      ? await credit(tx, payment, attribution.fee, learned, { next, subscriber }, moment)
      : await suspend(tx, payment, attribution.why, learned, next, moment)
  return joinEffects([own, attribution.effects])
}

const credit = async (
  tx: Tx,
  payment: Payment,
  fee: bigint,
  learned: Learned,
  { next, subscriber }: { next: Date | null; subscriber: PaymentSubscriber },
  moment: Moment,
): Promise<Effects> => {
  const moved = await movePayment(tx, payment, 'credited', { ...learned, fee }, { at: moment.at, next })
  if (!moved) throw new Error(`payment ${payment.id} is ${payment.state}, which takes no credit`)
  return repaying(
    tx,
    moved,
    (owed) => creditItem({ ...atAcquirer(moved), units: moved.paidUnits!, fee }, owed, moment),
    subscriber,
    moment,
  )
}

const suspend = async (
  tx: Tx,
  payment: Payment,
  why: SuspendedFor,
  learned: Learned,
  next: Date | null,
  moment: Moment,
): Promise<Effects> => {
  const moved = await movePayment(tx, payment, 'suspended', { ...learned, suspendedFor: why }, { at: moment.at, next })
  if (!moved) throw new Error(`payment ${payment.id} is ${payment.state}, which takes no money`)
  await raiseAlert(tx, { kind: 'payment-suspended', subject: moved.id, text: textOf(moved, why) }, moment)
  return { items: [suspendItem({ ...atAcquirer(moved), units: moved.paidUnits! }, moment)], notices: [] }
}

const REASONS: Record<SuspendedFor, string> = {
  'amount-differs': 'differs from the ordered amount',
  'paid-before': 'paid an invoice that was paid already',
  'came-late': 'came after its invoice had failed',
}

const textOf = ({ id, merchantId, invoiceId, acquirer, paidUnits, paidTicker }: Payment, why: SuspendedFor): string =>
  `Payment ${id} at ${acquirer} (${paidUnits} minor units of ${paidTicker}, invoice ${invoiceId} of merchant ${merchantId}) ${REASONS[why]}; the money is in suspense: bursar payment refund or bursar payment accept`

const atAcquirer = ({ merchantId, id, acquirer, paidTicker, costUnits }: Payment) => ({
  merchantId,
  id,
  acquirer,
  ticker: paidTicker!,
  costUnits,
})

/**
 * Makes a posting that credits a merchant. It first repays the merchant's debt; part of the rest is held if the
 * merchant's settings say so.
 */
const repaying = async (
  tx: Tx,
  payment: Payment,
  post: (owed: bigint) => ReturnType<typeof creditItem>,
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<Effects> => {
  const { merchantId, paidTicker, paidUnits, fee } = payment
  const pair = { merchantId, asset: paidTicker! }
  const before = (await lockDebts(tx, [pair])).get(pairText(pair)) ?? 0n
  const { item, owed } = post(before)
  if (before > 0n && owed === 0n) await liftDebtorStops(tx, [pair], moment)
  const credited = paidUnits! - fee - (before - owed)
  const parts = heldParts(credited, await settingsOf(tx, merchantId), moment.at)
  const held = await holdParts(tx, payment, parts, moment)
  const notified = await subscriber.credited(
    tx,
    payment,
    parts.reduce((left, { units }) => left - units, credited),
    moment,
  )
  return joinEffects([{ items: [item, ...held], notices: [] }, notified])
}

/**
 * Repays a merchant's debt from money of a hold that is released.
 * @returns the postings, and the rest of the money, in minor units
 */
export const repayOf = async (
  tx: Tx,
  hold: CardHold,
  moment: Moment,
): Promise<{ items: Effects['items']; left: bigint }> => {
  const pair = { merchantId: hold.merchantId, asset: hold.ticker }
  const owed = (await lockDebts(tx, [pair])).get(pairText(pair)) ?? 0n
  const repaid = owed < hold.units ? owed : hold.units
  if (repaid === 0n) return { items: [], left: hold.units }
  if (repaid === owed) await liftDebtorStops(tx, [pair], moment)
  return { items: [repayItem(hold, repaid, moment)], left: hold.units - repaid }
}

/** Credits suspended money to the merchant, by an operator's decision. Throws unless all of it is in suspense. */
export const acceptPayment = async (
  tx: Tx,
  id: string,
  subscriber: PaymentSubscriber,
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockPayment(tx, id)
  if (!payment) throw new Error(`there is no payment ${id}`)
  if (payment.state !== 'suspended')
    throw new Error(`payment ${id} is ${payment.state}: only money in suspense is accepted`)
  if (payment.refundedUnits > 0n) throw new Error(`payment ${id} is being given back, in whole or in part`)
  if (await isAlertOpen(tx, 'payment-disputed', id))
    throw new Error(
      `money of payment ${id} went back to its payer: first record the amount by bursar payment went-back ${id} AMOUNT REASON`,
    )
  const fee = subscriber.feeOf(payment)
  const moved = await movePayment(
    tx,
    payment,
    'credited',
    { fee, suspendedFor: null },
    { at: moment.at, next: moment.at },
  )
  if (!moved) throw new Error(`payment ${id} has changed: try again`)
  await resolveAlert(tx, 'payment-suspended', id, moment.at)
  return repaying(
    tx,
    moved,
    (owed) => acceptItem({ ...atAcquirer(moved), units: moved.paidUnits!, fee }, owed, moment),
    subscriber,
    moment,
  )
}

/** Posts the acquirer's fee for a payment, or corrects it. The caller has locked the payment's row. */
export const bookCost = async (tx: Tx, payment: Payment, costUnits: bigint, moment: Moment): Promise<Effects> => {
  const units = costUnits - payment.costUnits
  if (units === 0n) return noEffects
  await setCost(tx, payment, costUnits, moment.at)
  return {
    items: [costItem({ ...atAcquirer(payment), units }, { kind: 'payment', id: payment.id }, moment)],
    notices: [],
  }
}
