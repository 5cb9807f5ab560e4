/**
 * Card payments and payouts: what the API says beside what the acquirers' own books have, read past their fronts. An
 * acquirer knows nothing of the program's tables, and the program only the answers from these books.
 */
import type { Bursar } from '@bursar/sdk'
import type { Payment, Payout } from '../acquirers/index.ts'
import type { Simulation } from '../simulation.ts'
import { unitsOf, type CardPaid, type FiatInvoiced } from './books.ts'
import type { Notification } from './events.ts'
import type { AddToBalance } from './exchange-withdrawals.ts'
import type { Bounds } from './held.ts'

/** A merchant's side of the comparison. */
interface Asked {
  client: Bursar
  events: readonly Notification[]
}

/** After this time, ms, the program must have queried the acquirer, even if all its callbacks were lost. */
const ASKED_WITHIN_MS = 2 * 3_600_000

const sumOf = (all: readonly bigint[]): bigint => all.reduce((sum, one) => sum + one, 0n)

/** Whether the program must know the outcome of a payment by now. */
const isKnown = ({ decidedAt, isLate, isHeard }: Payment, now: number): boolean =>
  now - decidedAt! > ASKED_WITHIN_MS && (!isLate || isHeard)

/**
 * Of an invoice: credited once, by a payment of exactly its amount and currency, less what went back of that payment.
 * All other money that came for it is in suspense, until an operator gives it to the merchant or it goes back.
 * @param suspended references of payments in suspense, as operators see them
 * @param unknown references of payments about which operators are alerted because of an answer: of one that is refunded
 *   in the acquirer's console before it is posted, the acquirer may not state how much is left
 */
export const judgeFiatInvoice = async (
  simulation: Simulation,
  client: Bursar,
  { merchant, id, name, ticker, units }: FiatInvoiced,
  { suspended, unknown }: { suspended: ReadonlySet<string>; unknown: ReadonlySet<string> },
  add: (merchant: string, ticker: string, bounds: Bounds) => void,
): Promise<string[]> => {
  const { acquirers, books, catalogue, clock } = simulation
  const found = await client.invoices.fiat.get(id)
  const isDone = found.status === 'DONE'
  const paid = acquirers.payments().filter((one) => one.description === name && one.paid !== undefined)
  const what = `fiat invoice ${name} of ${units} ${ticker}`
  const accepted = paid.filter(({ reference }) => books.accepted.has(reference))
  for (const one of accepted) add(merchant, one.currency, leftOf(one, feeOf(simulation, one)))
  const owed = paid.filter(
    (one) =>
      one.status === 'succeeded' &&
      isKnown(one, clock.now()) &&
      !accepted.includes(one) &&
      !suspended.has(one.reference) &&
      !(one.refundedThere > 0n && unknown.has(one.reference)),
  )
  const right = paid.filter((one) => one.paid === units && one.currency === ticker && !accepted.includes(one))
  const lost = owed.length > (isDone ? 1 : 0) ? owed.at(-1) : undefined
  const problems = lost
    ? [`${what}: is ${found.status}, and ${lost.paid} ${lost.currency} paid for it are not in the books`]
    : []
  if (!isDone) return problems
  const [counted, fee] = [
    unitsOf(catalogue, ticker, found.paidAmount?.value ?? '0'),
    unitsOf(catalogue, ticker, found.fee?.value ?? '0'),
  ]
  if (counted !== units || fee < 0n || fee > counted)
    return [...problems, `${what}: is DONE with ${counted}, fee ${fee}`]
  if (right.length === 0) return [...problems, `${what}: is DONE, and no acquirer took such a payment`]
  // Of several payments one was credited, and which one depends on the order of the answers.
  const left = right.map((one) => leftOf(one, fee))
  add(merchant, ticker, { least: least(left.map((one) => one.least)), most: most(left.map((one) => one.most)) })
  return problems
}

const least = (all: readonly bigint[]): bigint => all.reduce((one, other) => (one < other ? one : other))
const most = (all: readonly bigint[]): bigint => all.reduce((one, other) => (one > other ? one : other))

/** The platform's fee for a payment, rounded up to a minor unit, and no more than the payment. */
const feeOf = ({ catalogue }: Simulation, { currency, paid }: Payment): bigint => {
  const { fixed, bps } = catalogue.findFiat(currency)!.payIn.fee
  return least([fixed + (paid! * bps + 9_999n) / 10_000n, paid!])
}

/**
 * The rest of a credited payment that a merchant has. It loses our refunds as they are, and the rest of a chargeback
 * without our fee. What a person gave back at the acquirer is lost once the program learns of it.
 */
const leftOf = (one: Payment, fee: bigint): Bounds => {
  const { refunded, refundedThere, status } = one
  const [paid, rest] = [one.paid!, one.paid! - refunded]
  const known = paid - fee - refunded
  if (status !== 'reversed' || rest === 0n) return { least: known - refundedThere, most: known }
  const whole = known - most([rest - fee, 0n])
  // A part that the program knew of before the rest went back was lost without our fee being given back.
  const inParts = known - most([refundedThere, rest - fee])
  return { least: least([whole, inParts]), most: one.isHeard || one.isStated ? whole : known }
}

/** Of a payout: its card got what the API says it got, and never more than was ordered. */
export const judgeCardPayout = async (
  simulation: Simulation,
  { client, events }: Asked,
  ordered: CardPaid,
  add: AddToBalance,
): Promise<string[]> => {
  const { acquirers, catalogue } = simulation
  const { merchant, localId, kind, ticker, units, card } = ordered
  const what = `${localId} (${merchant}, ${kind} of ${units} ${ticker})`
  const rows = acquirers.payouts().filter((row) => isTo(row, card))
  const [ever, net] = [sentBy(rows, ['succeeded', 'reversed']), sentBy(rows, ['succeeded'])]
  const found = await client.withdrawals.find(localId)
  if (found === undefined)
    return rows.length === 0 ? [] : [`${what}: was never accepted, and the acquirers have ${rows.length} orders`]
  const amount = unitsOf(catalogue, ticker, found.amount)
  const problems: string[] = []
  if (kind !== 'exchange' && amount !== units) problems.push(`${what}: the API says ${found.amount}`)
  if (ever > amount) problems.push(`${what}: its card got ${ever}`)
  if (rows.some((row) => row.currency !== ticker)) problems.push(`${what}: was paid in another currency`)
  const parts =
    kind === 'single' ? singlePart(simulation, found, ticker) : await batchParts(simulation, client, found.id)
  const [paid, open] = [partSum(parts, 'DONE'), partSum(parts, 'PENDING')]
  // What came back counts as failed once the program knows it, which a lost callback delays.
  const back =
    sentBy(rows, ['reversed']) -
    sentBy(
      rows.filter(({ isHeard }) => isHeard),
      ['reversed'],
    )
  if (paid.units < net || paid.units > net + back + open.units || (open.units === 0n && paid.units > net + back))
    problems.push(`${what}: is ${found.status} with ${paid.units} paid, and its card has ${net} of ${ever}`)
  if (back > 0n && paid.units > net) simulation.trace.add(`${localId}: a return is not known yet`)
  if (kind === 'exchange')
    return [...problems, ...bookExchange(simulation, ordered, events, { id: found.id, parts }, add)]
  add(merchant, ticker, -paid.units - paid.fees - open.units - open.fees)
  return problems
}

interface Part {
  units: bigint
  fee: bigint
  status: 'PENDING' | 'DONE' | 'FAILED'
}

const isTo = (payout: Payout, card: string): boolean => payout.card === card.slice(0, 6) + card.slice(-4)

const sentBy = (rows: readonly Payout[], statuses: readonly Payout['status'][]): bigint =>
  sumOf(rows.filter(({ status }) => statuses.includes(status)).map(({ sent }) => sent ?? 0n))

const STATUS = { Pending: 'PENDING', Done: 'DONE', Failed: 'FAILED' } as const

const singlePart = (
  { catalogue }: Simulation,
  found: { amount: string; fee: string; status: string },
  ticker: string,
): Part[] => [
  {
    units: unitsOf(catalogue, ticker, found.amount),
    fee: unitsOf(catalogue, ticker, found.fee),
    status: STATUS[found.status as keyof typeof STATUS],
  },
]

const batchParts = async ({ catalogue }: Simulation, client: Bursar, id: string): Promise<Part[]> => {
  const { ticker, transactions } = await client.withdrawals.fiat.batch.get(id)
  return transactions.map(({ amount, fee, status }) => ({
    units: unitsOf(catalogue, ticker, amount),
    fee: unitsOf(catalogue, ticker, fee),
    status,
  }))
}

const partSum = (parts: readonly Part[], status: Part['status']): { units: bigint; fees: bigint } => {
  const own = parts.filter((part) => part.status === status)
  return { units: sumOf(own.map(({ units }) => units)), fees: sumOf(own.map(({ fee }) => fee)) }
}

/** The proceeds of an exchange pay the card and the fee; what failed of them is back on the balance. */
const bookExchange = (
  { catalogue }: Simulation,
  { merchant, localId, ticker, spend }: CardPaid,
  events: readonly Notification[],
  { id, parts }: { id: string; parts: readonly Part[] },
  add: AddToBalance,
): string[] => {
  const notified = events.findLast((one) => one.id === id)
  if (notified?.kind !== 'FiatExchangeWithdraw' || spend === null)
    return [`${localId}: was notified as ${notified?.kind}`]
  const spent = unitsOf(catalogue, spend.ticker, String(notified['spendAmount']))
  const received = unitsOf(catalogue, ticker, String(notified['amount']))
  add(merchant, spend.ticker, -spent)
  const failed = partSum(parts, 'FAILED')
  add(merchant, ticker, failed.units + failed.fees)
  const all = sumOf(parts.map(({ units, fee }) => units + fee))
  return all === received && spent === spend.units && received >= spend.least
    ? []
    : [`${localId}: ${spent} of ${spend.units} ${spend.ticker} became ${received}, of which ${all} are paid out`]
}
