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
  statedBeyondPosted,
  storeLines,
  unstatedPayments,
  unstatedRefunds,
} from './statement-store.ts'
import { lockPayment, wakePayment } from './store.ts'

/**
 * A difference between a statement and the books.
 * - missing: posted here, but on no statement read so far
 * - extra: on the statement, but unknown here
 * - differs: the amount, currency or fee differs from the books
 * - open: on the statement, but not posted here yet; the acquirer is queried now
 * - altered: a line that was read before, now with other figures
 */
export interface StatementFinding {
  kind: 'missing' | 'extra' | 'differs' | 'open' | 'altered'
  what: StatementLine['kind']
  /** our reference, or else the acquirer's */
  reference: string
  ticker: string
  /** minor units: the posted amount and the statement's; null if there is none */
  booked: bigint | null
  stated: bigint | null
}

/** Card payouts as reconciliation sees them; units have the sign of a statement, so they are negative. */
export interface PostedPayout {
  reference: string
  ticker: string
  units: bigint
  /** null until the acquirer reports it */
  costUnits: bigint | null
  isPosted: boolean
}

/** Implemented by the module of payouts, which has its own references at acquirers. */
export interface PayoutBooks {
  find(db: Db | Tx, acquirer: string, references: readonly string[]): Promise<PostedPayout[]>
  /** payouts posted in a period that are on no statement line */
  unstated(db: Db | Tx, acquirer: string, from: Date, to: Date): Promise<PostedPayout[]>
}

/**
 * Divides a statement into parts of about `most` lines that can be compared one after another. Lines of one payment or
 * payout are in one part, because they are judged together.
 */
export const partsOf = (lines: readonly StatementLine[], most: number): StatementLine[][] => {
  const parts: StatementLine[][] = []
  for (const together of Map.groupBy(lines, (line) => line.reference ?? line).values()) {
    const last = parts.at(-1)
    if (last === undefined || last.length + together.length > most) parts.push(together)
    else last.push(...together)
  }
  return parts
}

/**
 * Compares lines of an acquirer's statement with the books. Settlements and account fees are posted, each line once.
 * The acquirer's fee for a payment is corrected to the statement's figure. Every other difference is reported and left
 * unchanged.
 */
export const compareLines = async (
  tx: Tx,
  { acquirer, lines }: { acquirer: string; lines: readonly StatementLine[] },
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
        // The answer to a refund request states no fee.
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
  return { findings, effects: joinEffects(effects) }
}

/** Returns movements that were posted in a period and are on no statement line so far. Times of the business clock. */
export const missingLines = async (
  tx: Tx,
  { acquirer, from, to }: { acquirer: string; from: Date; to: Date },
  payouts: PayoutBooks,
): Promise<StatementFinding[]> => {
  const findings: StatementFinding[] = []
  for (const payment of await unstatedPayments(tx, acquirer, from, to))
    findings.push(missing('payment', payment.id, payment.paidTicker!, payment.paidUnits!))
  for (const refund of await unstatedRefunds(tx, acquirer, from, to))
    findings.push(missing('refund', refund.id, refund.ticker, -refund.units))
  for (const payout of await payouts.unstated(tx, acquirer, from, to))
    findings.push(missing('payout', payout.reference, payout.ticker, payout.units))
  return findings
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

/** A settlement moves money between the acquirer and the bank. Its fee, and a fee of the account, are costs. */
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
  // Money arrived again after it was returned, or the line has no amount: report it and continue with the next lines.
  if (line.units >= 0n) {
    findings.push(findingOf('differs', line, null))
    return noEffects
  }
  if ((await claimRefundLine(tx, payment, line)) !== undefined) return noEffects
  const left = payment.paidUnits! - payment.refundedUnits
  const beyond = await statedBeyondPosted(tx, payment)
  if (payment.state === 'reversed') {
    if (beyond !== left) findings.push(findingOf('differs', line, -left))
    return noEffects
  }
  if (beyond <= 0n) return noEffects
  if (beyond > left || left === 0n) {
    findings.push(findingOf('differs', line, -left))
    return noEffects
  }
  // Several lines may be new: each adds its own part.
  const units = beyond < -line.units ? beyond : -line.units
  if (payment.state === 'disputed')
    return resolveDispute(tx, payment.id, units, `on the statement as ${line.acquirerReference}`, moment)
  if (units < left) return bookStatedRefund(tx, payment, line, units, moment)
  // The whole payment was returned: the acquirer's answer to a query confirms that.
  await wakePayment(tx, acquirer, payment.id, moment.at)
  findings.push(findingOf('open', line, -left))
  return noEffects
}

const holdPayout = async (
  tx: Tx,
  acquirer: string,
  line: StatementLine,
  payout: PostedPayout | undefined,
  findings: StatementFinding[],
): Promise<void> => {
  if (!payout) findings.push(findingOf('extra', line, null))
  else if (!payout.isPosted) findings.push(findingOf('open', line, null))
  else if (payout.units !== line.units || payout.ticker !== line.ticker)
    findings.push(findingOf('differs', line, payout.units))
  else if (await isSaidBefore(tx, acquirer, line, null)) findings.push(findingOf('extra', line, null))
  else if (payout.costUnits !== line.feeUnits)
    findings.push({ ...findingOf('differs', line, payout.costUnits), stated: line.feeUnits })
}
