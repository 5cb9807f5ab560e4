/** The model's books beside the API, the chains and the webhooks, once everything has come to rest. */
import type { Bursar } from '@bursar/sdk'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import { openSubjects } from '../../../server/src/platform/runtime/alerts.ts'
import { clientOf } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import { explainBalance } from './explain.ts'
import { fromLedger, toLedger, unitsOf, type PaidIn, type PaidOut } from './books.ts'
import { judgeCardPayout, judgeFiatInvoice } from './cards.ts'
import { judgeClaim } from './claims.ts'
import { judgeConversions } from './conversions.ts'
import { eventsOf, type Notification } from './events.ts'
import { judgeExchangeWithdrawal } from './exchange-withdrawals.ts'
import { heldBounds, isHolding, judgeSent, type Bounds } from './held.ts'
import { judgeMemberRefunds } from './member-refunds.ts'
import { judgeRequests } from './requests.ts'
import { createSmall, type Small } from './small.ts'

/** Ledger units by merchant and ticker. */
type Balances = Map<string, bigint>

const keyOf = (merchant: string, ticker: string): string => `${merchant} ${ticker}`

/** @returns the differences, one in each line */
export const compareBooks = async (simulation: Simulation): Promise<string[]> => {
  const problems: string[] = [...simulation.receivers.problems]
  const expected: Balances = new Map()
  const add = (merchant: string, ticker: string, units: bigint): void => {
    const key = keyOf(merchant, ticker)
    expected.set(key, (expected.get(key) ?? 0n) + units)
  }
  const api = simulation.roles.get('api')!.api!
  const clients = new Map(
    simulation.merchants.map((merchant) => [merchant.name, clientOf(api, merchant, simulation.clock.now)]),
  )
  for (const { merchant, ticker, units } of simulation.books.granted) add(merchant, ticker, units)
  const small = createSmall(simulation.catalogue)
  const loose: Balances = new Map()
  const addBetween = (merchant: string, ticker: string, { least, most }: Bounds): void => {
    add(merchant, ticker, least)
    const key = keyOf(merchant, ticker)
    loose.set(key, (loose.get(key) ?? 0n) + most - least)
  }
  for (const paid of simulation.books.paidIn)
    addBetween(paid.merchant, paid.ticker, await creditOf(simulation, paid, small))
  for (const paid of simulation.books.paidOut) {
    problems.push(...(await judgeWithdrawal(simulation, clients.get(paid.merchant)!, paid, addBetween)))
    for (const passed of await passedOn(simulation, paid))
      addBetween(passed.merchant, passed.ticker, creditedOf(simulation, passed, small))
  }
  for (const { merchant, localId, spend, target, spendUnits, leastUnits } of simulation.books.exchanged) {
    const found = await clients.get(merchant)!.withdrawals.find(localId)
    if (found === undefined) continue
    if (found.kind !== 'Exchange') problems.push(`${localId}: is a ${found.kind}`)
    else if (found.status === 'Done') {
      const units = unitsOf(simulation.catalogue, target, found.amount)
      add(merchant, spend, -spendUnits)
      add(merchant, target, units)
      if (units < leastUnits) problems.push(`${localId}: gave ${units} ${target}, and its price gives ${leastUnits}`)
    }
  }
  const events = new Map<string, readonly Notification[]>()
  for (const [name, client] of clients) events.set(name, await eventsOf(client))
  for (const ordered of simulation.books.exchangedOut) {
    const [client, notified] = [clients.get(ordered.merchant)!, events.get(ordered.merchant)!]
    problems.push(...(await judgeExchangeWithdrawal(simulation, { client, events: notified }, ordered, add)))
  }
  const suspended = new Set(await openSubjects(simulation.db, ['payment-suspended'], ''))
  const unknown = new Set(await openSubjects(simulation.db, ['payment-unconfirmed'], ''))
  for (const invoice of simulation.books.fiatInvoiced) {
    const client = clients.get(invoice.merchant)!
    problems.push(...(await judgeFiatInvoice(simulation, client, invoice, { suspended, unknown }, addBetween)))
  }
  problems.push(...(await judgeRequests(simulation.books, clients, simulation.acquirers.payments())))
  problems.push(...judgeMemberRefunds(simulation.books, simulation.acquirers.payments()))
  for (const claimed of simulation.books.claimed)
    problems.push(...(await judgeClaim(simulation, clients.get(claimed.merchant)!, claimed, add)))
  for (const { callbacks } of simulation.acquirers.accounts) problems.push(...callbacks.problems)
  for (const payout of simulation.books.cardPaid) {
    const [client, notified] = [clients.get(payout.merchant)!, events.get(payout.merchant)!]
    problems.push(...(await judgeCardPayout(simulation, { client, events: notified }, payout, add)))
  }
  problems.push(...(await judgeConversions(simulation, events, add)))
  problems.push(...(await compareInvoices(simulation, clients)))
  problems.push(...(await compareBalances(simulation, clients, { expected, loose, small })))
  return problems
}

/** Ledger units that a payment should have credited: each output at or above the least deposit, if it was mined. */
const creditOf = async (simulation: Simulation, paid: PaidIn, small: Small): Promise<Bounds> => {
  const { chains } = simulation
  const { network, hash } = paid
  const chain = chains.find((one) => one.network === network)!
  if ((await chain.transaction(hash)) !== 'mined') return { least: 0n, most: 0n }
  return creditedOf(simulation, paid, small)
}

/** Of a payment that was mined. */
const creditedOf = (simulation: Simulation, paid: PaidIn, small: Small): Bounds => {
  const { network, ticker } = paid
  const units = sumOf(paid.units.map((one) => small.add(paid, toLedger(simulation.catalogue, ticker, network, one))))
  return heldBounds(simulation, paid, units)
}

/** The payments of a receiver that keeps one base unit of each withdrawal and pays a merchant's address the rest. */
const passedOn = async ({ chains, catalogue }: Simulation, paid: PaidOut): Promise<PaidIn[]> => {
  const { network, ticker, to, units, passesOn } = paid
  if (passesOn === undefined) return []
  const kept = await chains.find((one) => one.network === network)!.balance(to, null)
  const rest = fromLedger(catalogue, ticker, network, units) - 1n
  const one = { ...passesOn, ticker, hash: '', byContract: true, units: [rest] }
  return Array.from({ length: Number(kept) }, () => one)
}

const judgeWithdrawal = async (
  simulation: Simulation,
  client: Bursar,
  { merchant, localId, network, ticker, to, units, receiver, passesOn }: PaidOut,
  add: (merchant: string, ticker: string, bounds: Bounds) => void,
): Promise<string[]> => {
  const { chains, catalogue } = simulation
  const chain = chains.find((one) => one.network === network)!
  const contract = chain.assets.find((one) => one.ticker === ticker)?.contract ?? null
  const has = receiver === null ? await chain.balance(to, contract) : undefined
  const came = has !== undefined && passesOn ? has * fromLedger(catalogue, ticker, network, units) : has
  const paid = came === undefined ? undefined : toLedger(catalogue, ticker, network, came)
  const found = await client.withdrawals.find(localId)
  const what = `${localId} (${merchant}, ${network} ${ticker} ${units})`
  if (found === undefined)
    return paid === undefined || paid === 0n ? [] : [`${what}: was never accepted, and paid ${paid}`]
  if (found.kind !== 'Withdraw' || !('blockchain' in found)) return [`${what}: is a ${found.kind}`]
  const problems: string[] = []
  if (unitsOf(simulation.catalogue, ticker, found.amount) !== units)
    problems.push(`${what}: the API says ${found.amount}`)
  const isDoneSent = simulation.receivers.received.some((one) => one.objectId === found.id && one.status === 'Done')
  if (simulation.books.refused.has(localId) && isDoneSent)
    problems.push(`${what}: Done was sent, and its receiver refused it in every block`)
  if (found.status === 'Failed') {
    if (paid !== undefined && paid !== 0n) problems.push(`${what}: failed, and paid ${paid}`)
    return problems
  }
  const spent = -units - unitsOf(simulation.catalogue, ticker, found.fee)
  add(merchant, ticker, { least: spent, most: spent })
  // What another merchant sends is judged by that merchant's own money.
  if (receiver !== null && found.status === 'Done')
    add(receiver, ticker, { least: isHolding(simulation, receiver) ? 0n : units, most: units })
  if (paid !== undefined && paid !== 0n) problems.push(...judgeSent(simulation, what, to))
  if (paid !== undefined && found.status === 'Done' && paid !== units)
    problems.push(`${what}: is Done, and paid ${paid}`)
  if (paid !== undefined && found.status === 'Pending' && paid !== 0n && paid !== units)
    problems.push(`${what}: is Pending, and paid ${paid}`)
  if (paid === units && found.status === 'Pending') problems.push(`${what}: is Pending, and is paid`)
  return problems
}

/** An invoice counts no more than was mined for it, and is paid only by all that it asks for. */
const compareInvoices = async (simulation: Simulation, clients: ReadonlyMap<string, Bursar>): Promise<string[]> => {
  const { books, catalogue, chains } = simulation
  const problems: string[] = []
  for (const { merchant, id, network, ticker, address, units } of books.invoiced) {
    const chain = chains.find((one) => one.network === network)!
    let mined = 0n
    for (const paid of books.paidIn)
      if (paid.address === address && paid.ticker === ticker && paid.network === network)
        if ((await chain.transaction(paid.hash)) === 'mined')
          mined += toLedger(catalogue, ticker, network, sumOf(paid.units))
    // Another merchant's withdrawal pays it without a transaction.
    for (const paid of books.paidOut) if (paid.to === address && paid.ticker === ticker) mined += paid.units
    const found = await clients.get(merchant)!.invoices.crypto.get(id)
    const counted = unitsOf(simulation.catalogue, ticker, found.paidAmount)
    const what = `invoice ${id} of ${units} ${ticker}`
    if (counted > mined) problems.push(`${what}: counts ${counted}, and ${mined} came for it`)
    if (found.status === 'PAID' && !books.closed.has(id) && counted < units)
      problems.push(`${what}: is PAID with ${counted}`)
  }
  return problems
}

const sumOf = (all: readonly bigint[]): bigint => all.reduce((sum, one) => sum + one, 0n)

const orNothing = (units: bigint): bigint => (units < 0n ? 0n : units)

const compareBalances = async (
  simulation: Simulation,
  clients: ReadonlyMap<string, Bursar>,
  { expected, loose, small }: { expected: Balances; loose: Balances; small: Small },
): Promise<string[]> => {
  const { catalogue, merchants } = simulation
  const problems: string[] = []
  const tickers = [...catalogue.crypto, ...catalogue.fiat].map(({ ticker }) => ticker)
  for (const { name } of merchants) {
    const balances = await clients.get(name)!.balances.list(tickers)
    for (const { ticker, value } of balances) {
      const { scale } = catalogue.find(ticker)!
      const has = unitsOf(simulation.catalogue, ticker, value)
      const should = expected.get(keyOf(name, ticker)) ?? 0n
      const together = small.boundsOf(name, ticker)
      const least = isHolding(simulation, name) ? 0n : together.least
      const most = together.most + (loose.get(keyOf(name, ticker)) ?? 0n)
      // A merchant that owes has nothing, and its next deposits repay the debt first.
      if (has >= orNothing(should + least) && has <= orNothing(should + most)) continue
      const bounds = [...new Set([least, most])].map((more) => formatUnits(should + more, scale)).join(' to ')
      problems.push(`${name} has ${value} ${ticker}, and should have ${bounds}`)
      problems.push(...(await explainBalance(simulation, name, ticker)))
    }
  }
  return problems
}
