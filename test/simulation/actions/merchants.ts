/** Actions of merchants by the API: addresses, withdrawals, exchanges, and the same again when an answer is lost. */
import { BursarError, BursarNetworkError, type Bursar } from '@bursar/sdk'
import type { Network } from '@bursar/chainkit'
import { formatUnits, parseUnits } from '../../../server/src/platform/money/index.ts'
import { clientOf, type SimulatedMerchant } from '../merchants.ts'
import { toLedger, unitsOf, type PaidOut } from '../model/books.ts'
import { judgeEstimate } from '../model/estimates.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { Simulation } from '../simulation.ts'
import { failureOf, type Action } from './action.ts'
import { drawUnits } from './payers.ts'
import { outsideAddress, SUSPICIONS } from './screening.ts'

/** Calls the API as a merchant. @returns the answer, or the failure in one word */
export const call = async <T>(
  simulation: Simulation,
  merchant: SimulatedMerchant,
  work: (client: Bursar) => Promise<T>,
): Promise<{ answer: T } | { failure: string }> => {
  const api = simulation.roles.get('api')?.api
  if (api === undefined || api === null) return { failure: 'no api' }
  const calledAt = simulation.clock.now()
  try {
    return { answer: await work(clientOf(api, merchant, simulation.clock.now)) }
  } catch (error) {
    if (!(error instanceof BursarError || error instanceof BursarNetworkError)) throw error
    if (error instanceof BursarError) judgeRefusal(simulation, merchant, error, calledAt)
    return { failure: failureOf(error) }
  }
}

/** Steps after a fault of the api's database in which a connection may still turn out to be gone. */
const OUTAGE_STEPS = 50

/**
 * How the api answers a failure that it does not expect (app/http/failures.ts). Other 503 are answers: a stop, old
 * prices.
 */
const UNEXPECTED = 'temporarily unavailable: try again'

/** Answers that no merchant with the right key should get. */
const judgeRefusal = (
  { clock, faults, problems }: Simulation,
  { name }: SimulatedMerchant,
  error: BursarError,
  calledAt: number,
): void => {
  // A signature expires when another action of the step moves the clock meanwhile.
  const isExpired = error.status === 401 && clock.now() !== calledAt
  if ((error.status === 401 || error.status === 403) && !isExpired)
    problems.push(`${name} is refused: ${error.message}`)
  if (error.description === UNEXPECTED && faults.stepsSince('database of the api') > OUTAGE_STEPS)
    problems.push(`${name} is answered ${error.message} although the api's database is well`)
}

export const resultOf = (result: { answer: unknown } | { failure: string }): string =>
  'failure' in result ? result.failure : 'ok'

export const isServed = ({ roles }: Simulation): boolean => roles.has('api')

const address: Action = {
  name: 'address',
  weight: (simulation) => (isServed(simulation) ? 4 : 0),
  run: async (simulation, random) => {
    const { books, chains, merchants } = simulation
    const merchant = random.pick(merchants)
    const { network } = random.pick(chains)
    const isRotating = random.chance(0.3)
    const result = await call(simulation, merchant, (client) =>
      isRotating
        ? client.rotatingAddresses.create({ blockchain: network })
        : client.addresses.create({ blockchain: network }),
    )
    if ('answer' in result) books.addresses.push({ merchant: merchant.name, network, address: result.answer.address })
    return `${merchant.name} ${network} ${isRotating ? 'rotating' : 'permanent'}: ${resultOf(result)}`
  },
}

/**
 * @param idempotencyKey of the request; none when absent
 * @param meta makes another request of the same order
 */
export const place = (
  simulation: Simulation,
  { merchant, localId, network, ticker, to, units }: PaidOut,
  idempotencyKey?: string,
  meta?: string,
) => {
  const { scale } = simulation.catalogue.findCrypto(ticker)!
  const amount = formatUnits(units, scale)
  return call(simulation, named(simulation, merchant), (client) =>
    client.withdrawals.crypto.create({ ticker, blockchain: network, to, amount, localId, meta }, { idempotencyKey }),
  )
}

export const named = ({ merchants }: Simulation, name: string): SimulatedMerchant =>
  merchants.find((merchant) => merchant.name === name)!

export const drawWithdrawal = async (simulation: Simulation, random: Random): Promise<PaidOut> => {
  const { books, chains, catalogue, merchants } = simulation
  const chain = random.pick(chains)
  const { network } = chain
  const { ticker } = random.pick(chain.assets.filter((one) => catalogue.findCrypto(one.ticker)?.networks.has(network)))
  const units = toLedger(catalogue, ticker, network, drawUnits(simulation, random, { ticker, network }))
  const merchant = random.pick(merchants).name
  const internal = random.chance(0.1) ? books.addresses.filter((one) => one.network === network) : []
  const receiver = internal.length === 0 ? undefined : random.pick(internal)
  const to = receiver?.address ?? (await outsideAddress(simulation, random, chain))
  if (receiver === undefined && random.chance(0.08)) simulation.provider.suspect(to, random.pick(SUSPICIONS))
  return {
    merchant,
    localId: books.nextLocalId('w'),
    network,
    ticker,
    to,
    units,
    receiver: receiver?.merchant ?? null,
  }
}

const withdraw: Action = {
  name: 'withdraw',
  weight: (simulation) => (isServed(simulation) ? 10 : 0),
  run: async (simulation, random) => {
    const wanted = await drawWithdrawal(simulation, random)
    simulation.books.paidOut.push(wanted)
    const { merchant, network, ticker, units, receiver } = wanted
    const results = [await place(simulation, wanted)]
    // A merchant whose call failed tries again, and some try again although it did not.
    while (results.length < 3 && random.chance('failure' in results.at(-1)! ? 0.6 : 0.1))
      results.push(await place(simulation, wanted))
    const to = receiver === null ? 'outside' : receiver
    return `${merchant} ${network} ${ticker} ${units} to ${to}: ${results.map(resultOf).join(', ')}`
  },
}

/** Orders of the API, without those that the dashboard has named. */
export const byApi = <Order extends { localId: string }>(orders: readonly Order[]): Order[] =>
  orders.filter(({ localId }) => !localId.startsWith('payout-'))

/** The same order again, long after. */
const repeat: Action = {
  name: 'withdraw again',
  weight: (simulation) => (isServed(simulation) && byApi(simulation.books.paidOut).length > 0 ? 1 : 0),
  run: async (simulation, random) => {
    const again = random.pick(byApi(simulation.books.paidOut))
    return `${again.localId}: ${resultOf(await place(simulation, again))}`
  },
}

/** Two withdrawals at once, which together may be more than the balance; the first perhaps in two requests. */
const race: Action = {
  name: 'withdrawals at once',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const wanted = [await drawWithdrawal(simulation, random), await drawWithdrawal(simulation, random)]
    const twice = random.chance(0.5) ? [...wanted, wanted[0]!] : wanted
    simulation.books.paidOut.push(...wanted)
    const results = await Promise.all(
      twice.map((one, at) => place(simulation, one, undefined, at < wanted.length ? undefined : 'again')),
    )
    if (twice.length > wanted.length && 'answer' in results[0]! && 'answer' in results.at(-1)!)
      simulation.problems.push(`${wanted[0]!.localId} of ${wanted[0]!.merchant} was accepted twice`)
    return results.map(resultOf).toSorted().join(', ')
  },
}

/** A crypto invoice that a merchant may create. */
interface DrawnInvoice {
  merchant: SimulatedMerchant
  network: Network
  ticker: string
  /** ledger units */
  units: bigint
  /** the same as a decimal string */
  value: string
}

export const drawInvoice = (simulation: Simulation, random: Random): DrawnInvoice => {
  const { chains, catalogue } = simulation
  const merchant = random.pick(simulation.merchants)
  const chain = random.pick(chains)
  const { network } = chain
  const { ticker } = random.pick(chain.assets.filter((one) => catalogue.findCrypto(one.ticker)?.networks.has(network)))
  const units = toLedger(catalogue, ticker, network, drawUnits(simulation, random, { ticker, network }))
  return { merchant, network, ticker, units, value: formatUnits(units, catalogue.findCrypto(ticker)!.scale) }
}

/**
 * Creates the invoice and books it with its address.
 * @param tries calls of `get` that may fail before the address counts as unknown
 * @returns its id and address, or the failure in words
 */
export const createInvoice = async (
  simulation: Simulation,
  { merchant, network, ticker, units, value }: DrawnInvoice,
  more: Partial<Parameters<Bursar['invoices']['crypto']['create']>[0]>,
  tries: number,
): Promise<{ id: string; address: string } | { failure: string }> => {
  const { books } = simulation
  const created = await call(simulation, merchant, (client) =>
    client.invoices.crypto.create({
      name: 'Order',
      amount: { value, ticker, blockchain: network },
      toPendingImmediate: true,
      ...more,
    }),
  )
  if ('failure' in created) return created
  const { id } = created.answer
  for (let left = tries; left > 0; left -= 1) {
    const found = await call(simulation, merchant, (client) => client.invoices.crypto.get(id))
    const address = 'answer' in found && 'address' in found.answer ? found.answer.address : undefined
    if (address === undefined) continue
    books.addresses.push({ merchant: merchant.name, network, address })
    books.invoiced.push({ merchant: merchant.name, id, network, ticker, address, units })
    return { id, address }
  }
  return { failure: 'no address' }
}

const invoice: Action = {
  name: 'invoice',
  weight: (simulation) => (isServed(simulation) ? 3 : 0),
  run: async (simulation, random) => {
    const drawn = drawInvoice(simulation, random)
    const { merchant, network, ticker, value } = drawn
    const more = random.chance(0.5) ? { duration: String(random.pick([600_000, 3_600_000])) } : {}
    const made = await createInvoice(simulation, drawn, more, 1)
    return `${merchant.name} ${network} ${ticker} ${value}: ${'failure' in made ? made.failure : 'ok'}`
  },
}

const closeInvoice: Action = {
  name: 'invoice is closed',
  weight: (simulation) => (isServed(simulation) && simulation.books.invoiced.length > 0 ? 0.5 : 0),
  run: async (simulation, random) => {
    const { merchant, id } = random.pick(simulation.books.invoiced)
    simulation.books.closed.add(id)
    const result = await call(simulation, named(simulation, merchant), (client) => client.invoices.crypto.close(id))
    return `${merchant}: ${resultOf(result)}`
  },
}

/** Amounts of exchanges have eight decimals at most. */
export const finestOf = (scale: number): bigint => 10n ** BigInt(Math.max(0, scale - 8))

const exchange: Action = {
  name: 'exchange',
  weight: (simulation) => (isServed(simulation) ? 5 : 0),
  run: async (simulation, random) => {
    const { books, catalogue, merchants } = simulation
    const merchant = random.pick(merchants)
    const [spend, target] = [random.pick(catalogue.crypto).ticker, random.pick(catalogue.crypto).ticker]
    const network = [...catalogue.findCrypto(spend)!.networks.keys()][0] as Network
    const { scale } = catalogue.findCrypto(spend)!
    const units = toLedger(catalogue, spend, network, drawUnits(simulation, random, { ticker: spend, network }))
    const amount = formatUnits(units - (units % finestOf(scale)), scale)
    const estimate = await call(simulation, merchant, (client) =>
      client.exchange.estimate({ spendTicker: spend, targetTicker: target, amount, side: 'spend' }),
    )
    if ('failure' in estimate) return `${merchant.name} ${spend} to ${target}: ${estimate.failure}`
    const localId = books.nextLocalId('e')
    const { price, spend: spent } = estimate.answer
    const parsed = parseUnits(spent.amount, scale)
    if (!parsed.ok) throw new Error(`an estimate spends ${spent.amount}`)
    simulation.problems.push(...judgeEstimate(estimate.answer))
    // The other side is rounded otherwise.
    const { amount: wanted } = estimate.answer.target
    const bySide = await call(simulation, merchant, (client) =>
      client.exchange.estimate({ spendTicker: spend, targetTicker: target, amount: wanted, side: 'target' }),
    )
    if ('answer' in bySide) simulation.problems.push(...judgeEstimate(bySide.answer))
    const leastUnits = unitsOf(catalogue, target, estimate.answer.target.amount)
    books.exchanged.push({ merchant: merchant.name, localId, spend, target, spendUnits: parsed.units, leastUnits })
    const order = () =>
      call(simulation, merchant, (client) =>
        client.exchange.create({
          spendTicker: spend,
          targetTicker: target,
          amount,
          side: 'spend',
          price: price.value,
          localId,
        }),
      )
    const results = [await order()]
    while (results.length < 3 && random.chance('failure' in results.at(-1)! ? 0.6 : 0.1)) results.push(await order())
    return `${merchant.name} ${spend} to ${target}: ${results.map(resultOf).join(', ')}`
  },
}

const look: Action = {
  name: 'look',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const merchant = random.pick(simulation.merchants)
    const tickers = simulation.catalogue.crypto.map(({ ticker }) => ticker)
    const result = await call(simulation, merchant, (client) => client.balances.list(tickers))
    const shown = 'answer' in result ? result.answer.map(({ value }) => value).join(' ') : result.failure
    return `${merchant.name}: ${shown}`
  },
}

export const MERCHANTS: readonly Action[] = [address, withdraw, repeat, race, exchange, invoice, closeInvoice, look]
