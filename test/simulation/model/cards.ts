/**
 * Card payments and payouts: what the API says beside what the bank's own books have, read past its front. The bank
 * knows nothing of the program's tables, and the program nothing of these rows but what the bank answered.
 */
import type { Bursar } from '@bursar/sdk'
import type { Payment, Payout } from '../bank/index.ts'
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

/** After this time, ms, the program must have asked the bank, even if all its callbacks were lost. */
const ASKED_WITHIN_MS = 2 * 3_600_000

const sumOf = (all: readonly bigint[]): bigint => all.reduce((sum, one) => sum + one, 0n)

/** Of an invoice: credited once, by a payment of exactly its amount, less what went back of that payment. */
export const judgeFiatInvoice = async (
  { bank, catalogue, clock }: Simulation,
  client: Bursar,
  { merchant, id, name, ticker, units }: FiatInvoiced,
  add: (merchant: string, ticker: string, bounds: Bounds) => void,
): Promise<string[]> => {
  const found = await client.invoices.fiat.get(id)
  const paid = bank.payments().filter((row) => row.description === name && row.paid !== undefined)
  const what = `fiat invoice ${name} of ${units} ${ticker}`
  if (found.status !== 'DONE') {
    const forgotten = paid.find(
      (row) =>
        row.status === 'succeeded' && clock.now() - row.decidedAt! > ASKED_WITHIN_MS && found.status !== 'FAILED',
    )
    return forgotten ? [`${what}: is ${found.status}, and was paid by ${forgotten.reference}`] : []
  }
  const [counted, fee] = [
    unitsOf(catalogue, ticker, found.paidAmount?.value ?? '0'),
    unitsOf(catalogue, ticker, found.fee?.value ?? '0'),
  ]
  if (counted !== units || fee < 0n || fee > counted) return [`${what}: is DONE with ${counted}, fee ${fee}`]
  const payments = paid.filter((row) => BigInt(row.paid!) === units)
  if (payments.length === 0) return [`${what}: is DONE, and the bank took no such payment`]
  // Of several payments one was credited, and which one depends on the order of the answers.
  const left = payments.map((row) => units - fee - takenBack(row, fee, bank.refundsOf(row)))
  const inOrder = left.toSorted((one, other) => (one < other ? -1 : 1))
  add(merchant, ticker, { least: inOrder[0]!, most: inOrder.at(-1)! })
  return []
}

/** What a merchant lost of a credited payment: our refunds as they are, the rest of a chargeback without our fee. */
const takenBack = (row: Payment, fee: bigint, refunds: readonly { units: string; isPending?: boolean }[]): bigint => {
  const ours = sumOf(refunds.filter(({ isPending }) => isPending !== true).map(({ units }) => BigInt(units)))
  const rest = BigInt(row.refunded) - ours
  return ours + (rest > fee ? rest - fee : 0n)
}

/** Of a payout: its card got what the API says it got, and never more than was ordered. */
export const judgeCardPayout = async (
  simulation: Simulation,
  { client, events }: Asked,
  ordered: CardPaid,
  add: AddToBalance,
): Promise<string[]> => {
  const { bank, catalogue } = simulation
  const { merchant, localId, kind, ticker, units, card } = ordered
  const what = `${localId} (${merchant}, ${kind} of ${units} ${ticker})`
  const rows = bank.payouts().filter((row) => isTo(row, card))
  const [ever, net] = [sentBy(rows, ['succeeded', 'reversed']), sentBy(rows, ['succeeded'])]
  const found = await client.withdrawals.find(localId)
  if (found === undefined)
    return rows.length === 0 ? [] : [`${what}: was never accepted, and the bank has ${rows.length} orders`]
  const amount = unitsOf(catalogue, ticker, found.amount)
  const problems: string[] = []
  if (kind !== 'exchange' && amount !== units) problems.push(`${what}: the API says ${found.amount}`)
  if (ever > amount) problems.push(`${what}: its card got ${ever}`)
  if (rows.some((row) => row.currency !== ticker)) problems.push(`${what}: was paid in another currency`)
  const parts =
    kind === 'single' ? singlePart(simulation, found, ticker) : await batchParts(simulation, client, found.id)
  const [paid, open] = [partSum(parts, 'DONE'), partSum(parts, 'PENDING')]
  // What came back counts as failed once the program knows it, which a lost callback delays.
  const back = ever - net
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

const isTo = ({ maskedCard }: Payout, card: string): boolean => {
  const digits = maskedCard?.replaceAll(' ', '') ?? ''
  return digits.slice(0, 6) === card.slice(0, 6) && digits.slice(-4) === card.slice(-4)
}

const sentBy = (rows: readonly Payout[], statuses: readonly Payout['status'][]): bigint =>
  sumOf(rows.filter(({ status }) => statuses.includes(status)).map(({ sent }) => BigInt(sent ?? '0')))

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
