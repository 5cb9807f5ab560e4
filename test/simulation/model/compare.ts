/** The model's books beside the API, the chains and the webhooks, once everything has come to rest. */
import type { Bursar } from '@bursar/sdk'
import { formatUnits, parseUnits } from '../../../server/src/platform/money/index.ts'
import { clientOf } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import { explainBalance } from './explain.ts'
import { toLedger, type PaidIn, type PaidOut } from './books.ts'

/** Ledger units by merchant and ticker. */
type Balances = Map<string, bigint>

const keyOf = (merchant: string, ticker: string): string => `${merchant} ${ticker}`

/** @returns what differs, in one line each */
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
  const small = createSmall(simulation)
  for (const paid of simulation.books.paidIn) add(paid.merchant, paid.ticker, await creditOf(simulation, paid, small))
  for (const paid of simulation.books.paidOut)
    problems.push(...(await judgeWithdrawal(simulation, clients.get(paid.merchant)!, paid, add)))
  for (const { merchant, localId, spend, target, spendUnits } of simulation.books.exchanged) {
    const found = await clients.get(merchant)!.withdrawals.find(localId)
    if (found === undefined) continue
    if (found.kind !== 'Exchange') problems.push(`${localId}: is a ${found.kind}`)
    else if (found.status === 'Done') {
      add(merchant, spend, -spendUnits)
      add(merchant, target, unitsOf(simulation, target, found.amount))
    }
  }
  problems.push(...(await compareInvoices(simulation, clients)))
  problems.push(...(await compareBalances(simulation, clients, { expected, small })))
  return problems
}

const unitsOf = ({ catalogue }: Simulation, ticker: string, amount: string): bigint => {
  const parsed = parseUnits(amount, catalogue.find(ticker)!.scale)
  if (!parsed.ok) throw new Error(`the API answered ${amount} ${ticker}`)
  return parsed.units
}

/**
 * Payments below the least deposit. They are credited together once those of an asset at an address of a network add up
 * to it (pay-in/deposits/small.ts), and which are credited together depends on when their blocks were deep enough.
 */
interface Small {
  add(paid: PaidIn, units: bigint): void
  /** how much of them a balance holds, in ledger units, at least and at most */
  boundsOf(merchant: string, ticker: string): { least: bigint; most: bigint }
}

const createSmall = ({ catalogue }: Simulation): Small => {
  const sums = new Map<string, { paid: PaidIn; units: bigint }>()
  return {
    add: (paid, units) => {
      const key = `${paid.network} ${paid.ticker} ${paid.address}`
      sums.set(key, { paid, units: (sums.get(key)?.units ?? 0n) + units })
    },
    boundsOf: (merchant, ticker) => {
      let [least, most] = [0n, 0n]
      for (const { paid, units } of sums.values()) {
        const { minDeposit } = catalogue.findCrypto(paid.ticker)!.networks.get(paid.network)!
        if (paid.merchant !== merchant || paid.ticker !== ticker || units < minDeposit) continue
        // What is not credited yet is less than the least deposit, and what is credited is not.
        const left = units - minDeposit + 1n
        least += left > minDeposit ? left : minDeposit
        most += units
      }
      return { least, most }
    },
  }
}

/** Ledger units that a payment should have credited: each output at or above the least deposit, if it was mined. */
const creditOf = async ({ chains, catalogue }: Simulation, paid: PaidIn, small: Small): Promise<bigint> => {
  const { network, ticker, hash } = paid
  const chain = chains.find((one) => one.network === network)!
  if ((await chain.transaction(hash)) !== 'mined') return 0n
  const { minDeposit } = catalogue.findCrypto(ticker)!.networks.get(network)!
  let credited = 0n
  for (const output of paid.units.map((units) => toLedger(catalogue, ticker, network, units)))
    if (output >= minDeposit) credited += output
    else small.add(paid, output)
  return credited
}

const judgeWithdrawal = async (
  simulation: Simulation,
  client: Bursar,
  { merchant, localId, network, ticker, to, units, receiver }: PaidOut,
  add: (merchant: string, ticker: string, units: bigint) => void,
): Promise<string[]> => {
  const { chains, catalogue } = simulation
  const chain = chains.find((one) => one.network === network)!
  const contract = chain.assets.find((one) => one.ticker === ticker)?.contract ?? null
  const paid = receiver === null ? toLedger(catalogue, ticker, network, await chain.balance(to, contract)) : undefined
  const found = await client.withdrawals.find(localId)
  const what = `${localId} (${merchant}, ${network} ${ticker} ${units})`
  if (found === undefined)
    return paid === undefined || paid === 0n ? [] : [`${what}: was never accepted, and paid ${paid}`]
  if (found.kind !== 'Withdraw' || !('blockchain' in found)) return [`${what}: is a ${found.kind}`]
  const problems: string[] = []
  if (unitsOf(simulation, ticker, found.amount) !== units) problems.push(`${what}: the API says ${found.amount}`)
  if (found.status === 'Failed') {
    if (paid !== undefined && paid !== 0n) problems.push(`${what}: failed, and paid ${paid}`)
    return problems
  }
  add(merchant, ticker, -units - unitsOf(simulation, ticker, found.fee))
  if (receiver !== null && found.status === 'Done') add(receiver, ticker, units)
  if (paid !== undefined && found.status === 'Done' && paid !== units)
    problems.push(`${what}: is Done, and paid ${paid}`)
  if (paid !== undefined && found.status === 'Pending' && paid !== 0n && paid !== units)
    problems.push(`${what}: is Pending, and paid ${paid}`)
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
    const counted = unitsOf(simulation, ticker, found.paidAmount)
    const what = `invoice ${id} of ${units} ${ticker}`
    if (counted > mined) problems.push(`${what}: counts ${counted}, and ${mined} came for it`)
    if (found.status === 'PAID' && !books.closed.has(id) && counted < units)
      problems.push(`${what}: is PAID with ${counted}`)
  }
  return problems
}

const sumOf = (all: readonly bigint[]): bigint => all.reduce((sum, one) => sum + one, 0n)

const compareBalances = async (
  simulation: Simulation,
  clients: ReadonlyMap<string, Bursar>,
  { expected, small }: { expected: Balances; small: Small },
): Promise<string[]> => {
  const { catalogue, merchants } = simulation
  const problems: string[] = []
  const tickers = catalogue.crypto.map(({ ticker }) => ticker)
  for (const { name } of merchants) {
    const balances = await clients.get(name)!.balances.list(tickers)
    for (const { ticker, value } of balances) {
      const { scale } = catalogue.find(ticker)!
      const has = unitsOf(simulation, ticker, value)
      const should = expected.get(keyOf(name, ticker)) ?? 0n
      const { least, most } = small.boundsOf(name, ticker)
      if (has >= should + least && has <= should + most) continue
      const bounds = [...new Set([least, most])].map((more) => formatUnits(should + more, scale)).join(' to ')
      problems.push(`${name} has ${value} ${ticker}, and should have ${bounds}`)
      problems.push(...(await explainBalance(simulation, name, ticker)))
    }
  }
  return problems
}
