import type { StatementLine } from '../../adapters/acquirers/port.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { Moment } from '../../platform/base/moment.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { joinEffects, noEffects, type Effects } from '../../ledger/effects/index.ts'
import { bookCost } from './booking.ts'
import { bookStatedRefund } from './foreign-refunds.ts'
import { resolveDispute } from './going-back.ts'
import type { Payment } from './payment.ts'
import { accountFeeItem, settleItem } from './postings.ts'
import {
  claimRefundLine,
  isSaidBefore,
  statedBeyondBooked,
  storeLines,
  unstatedPayments,
  unstatedRefunds,
} from './statement-store.ts'
import { lockPayment, wakePayment } from './store.ts'

/**
 * What a statement and the books don't agree on.
 * - missing: booked here, not on any statement read so far
 * - extra: on the statement, unknown here
 * - differs: another amount, currency or fee than is booked
 * - open: on the statement, not booked here yet; it is asked about now
 * - altered: a line that was read before, with other figures
 */
export interface StatementFinding {
  kind: 'missing' | 'extra' | 'differs' | 'open' | 'altered'
  what: StatementLine['kind']
  /** our reference, else the acquirer's */
  reference: string
  ticker: string
  /** minor units: what is booked and what the statement says; null where there is no such thing */
  booked: bigint | null
  stated: bigint | null
}

/** Payouts by card as reconciliation sees them; units as a statement has them, so negative. */
export interface BookedPayout {
  reference: string
  ticker: string
  units: bigint
  /** null while the acquirer hasn't said */
  costUnits: bigint | null
  isBooked: boolean
}

/** The module of payouts, which has references of its own at acquirers. */
export interface PayoutBooks {
  find(db: Db | Tx, acquirer: string, references: readonly string[]): Promise<BookedPayout[]>
  /** booked in a time, and on no line of a statement */
  unstated(db: Db | Tx, acquirer: string, from: Date, to: Date): Promise<BookedPayout[]>
}

export interface Statement {
  acquirer: string
  lines: readonly StatementLine[]
  /** bookings of this time (business clock) have to be on this or an earlier statement */
  from: Date
  to: Date
}

/**
 * Holds an acquirer's statement against the books. Settlements and fees of the account are booked, each line once; what
 * the acquirer kept of a payment is corrected to what the statement says; everything else that differs is reported and
 * left as it is.
 */
export const reconcileStatement = async (
  tx: Tx,
  { acquirer, lines, from, to }: Statement,
  payouts: PayoutBooks,
  moment: Moment,
): Promise<{ findings: StatementFinding[]; effects: Effects }> => {
  const stored = await storeLines(tx, acquirer, lines, moment.at)
  const findings: StatementFinding[] = []
  const effects: Effects[] = []
  const known = new Map(
    (await payouts.find(tx, acquirer, lines.flatMap(referenceOf('payout')))).map((one) => [one.reference, one]),
  )
  for (const [i, line] of lines.entries()) {
    const { isNew, isAltered } = stored[i]!
    if (isAltered) findings.push(findingOf('altered', line, null))
    switch (line.kind) {
      case 'settlement':
      case 'fee':
        if (isNew) effects.push({ items: platformItems(acquirer, line, moment), notices: [] })
        break
      case 'payment':
        effects.push(await holdPayment(tx, acquirer, line, findings, moment))
        break
      case 'refund':
        effects.push(await holdRefund(tx, acquirer, line, findings, moment))
        // No answer to a refund tells a fee.
        if (isNew && line.feeUnits > 0n)
          effects.push({
            items: [accountFeeItem({ acquirer, ticker: line.ticker, units: line.feeUnits }, moment)],
            notices: [],
          })
        break
      case 'payout':
        await holdPayout(tx, acquirer, line, known.get(line.reference ?? ''), findings)
    }
  }
  for (const payment of await unstatedPayments(tx, acquirer, from, to))
    findings.push(missing('payment', payment.id, payment.paidTicker!, payment.paidUnits!))
  for (const refund of await unstatedRefunds(tx, acquirer, from, to))
    findings.push(missing('refund', refund.id, refund.ticker, -refund.units))
  for (const payout of await payouts.unstated(tx, acquirer, from, to))
    findings.push(missing('payout', payout.reference, payout.ticker, payout.units))
  return { findings, effects: joinEffects(effects) }
}

const referenceOf =
  (kind: StatementLine['kind']) =>
  (line: StatementLine): string[] =>
    line.kind === kind && line.reference !== undefined && isUuid(line.reference) ? [line.reference] : []

const findingOf = (kind: StatementFinding['kind'], line: StatementLine, booked: bigint | null): StatementFinding => ({
  kind,
  what: line.kind,
  reference: line.reference ?? line.acquirerReference,
  ticker: line.ticker,
  booked,
  stated: line.units,
})

const missing = (what: StatementLine['kind'], reference: string, ticker: string, booked: bigint): StatementFinding => ({
  kind: 'missing',
  what,
  reference,
  ticker,
  booked,
  stated: null,
})

/** A settlement moves between the acquirer and the bank; what is taken besides, and a fee of the account, are costs. */
const platformItems = (
  acquirer: string,
  { kind, ticker, units, feeUnits }: StatementLine,
  moment: Moment,
): Effects['items'] => {
  const cost = feeUnits - (kind === 'fee' ? units : 0n)
  return [
    ...(kind === 'settlement' && units !== 0n ? [settleItem({ acquirer, ticker, units: -units }, moment)] : []),
    ...(cost === 0n ? [] : [accountFeeItem({ acquirer, ticker, units: cost }, moment)]),
  ]
}

const lockOf = async (tx: Tx, acquirer: string, { reference }: StatementLine): Promise<Payment | undefined> => {
  const payment = reference !== undefined && isUuid(reference) ? await lockPayment(tx, reference) : undefined
  return payment?.acquirer === acquirer ? payment : undefined
}

const holdPayment = async (
  tx: Tx,
  acquirer: string,
  line: StatementLine,
  findings: StatementFinding[],
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockOf(tx, acquirer, line)
  if (!payment) {
    findings.push(findingOf('extra', line, null))
    return noEffects
  }
  if (payment.paidUnits === null) {
    await wakePayment(tx, acquirer, payment.id, moment.at)
    findings.push(findingOf('open', line, null))
    return noEffects
  }
  if (payment.paidUnits !== line.units || payment.paidTicker !== line.ticker) {
    findings.push(findingOf('differs', line, payment.paidUnits))
    return noEffects
  }
  if (await isSaidBefore(tx, acquirer, line, payment.acquirerReference)) {
    findings.push(findingOf('extra', line, null))
    return noEffects
  }
  return bookCost(tx, payment, line.feeUnits, moment)
}

const holdRefund = async (
  tx: Tx,
  acquirer: string,
  line: StatementLine,
  findings: StatementFinding[],
  moment: Moment,
): Promise<Effects> => {
  const payment = await lockOf(tx, acquirer, line)
  if (!payment || payment.paidTicker !== line.ticker) {
    findings.push(findingOf('extra', line, null))
    return noEffects
  }
  // Money that came again after it went back, or a line without any: a person looks, and the lines behind it are read.
  if (line.units >= 0n) {
    findings.push(findingOf('differs', line, null))
    return noEffects
  }
  if ((await claimRefundLine(tx, payment, line)) !== undefined) return noEffects
  const left = payment.paidUnits! - payment.refundedUnits
  const beyond = await statedBeyondBooked(tx, payment)
  if (payment.state === 'reversed') {
    if (beyond !== left) findings.push(findingOf('differs', line, -left))
    return noEffects
  }
  if (beyond <= 0n) return noEffects
  if (beyond > left || left === 0n) {
    findings.push(findingOf('differs', line, -left))
    return noEffects
  }
  // Several lines may be new: each brings its own part.
  const units = beyond < -line.units ? beyond : -line.units
  if (payment.state === 'disputed')
    return resolveDispute(tx, payment.id, units, `on the statement as ${line.acquirerReference}`, moment)
  if (units < left) return bookStatedRefund(tx, payment, line, units, moment)
  // All of it: the acquirer says so itself when asked.
  await wakePayment(tx, acquirer, payment.id, moment.at)
  findings.push(findingOf('open', line, -left))
  return noEffects
}

const holdPayout = async (
  tx: Tx,
  acquirer: string,
  line: StatementLine,
  payout: BookedPayout | undefined,
  findings: StatementFinding[],
): Promise<void> => {
  if (!payout) findings.push(findingOf('extra', line, null))
  else if (!payout.isBooked) findings.push(findingOf('open', line, null))
  else if (payout.units !== line.units || payout.ticker !== line.ticker)
    findings.push(findingOf('differs', line, payout.units))
  else if (await isSaidBefore(tx, acquirer, line, null)) findings.push(findingOf('extra', line, null))
  else if (payout.costUnits !== line.feeUnits)
    findings.push({ ...findingOf('differs', line, payout.costUnits), stated: line.feeUnits })
}
