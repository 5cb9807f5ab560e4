/** Merchants who ask for all that they have, for more than that, and again with the key of another request. */
import { formatUnits, parseUnits } from '../../../server/src/platform/money/index.ts'
import { fromLedger, toLedger, type PaidOut } from '../model/books.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedChain } from '../chains/index.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { call, isServed, place, resultOf } from './merchants.ts'
import { give } from './operators.ts'
import { calm, drawPayment, isComplete, servedOn } from './sent.ts'

/** A withdrawal of so many times a merchant's balance, as its shares. @returns undefined when there is no balance */
const drawOfBalance = async (
  simulation: Simulation,
  random: Random,
  [share, of]: readonly [bigint, bigint],
): Promise<PaidOut | undefined> => {
  const { books, catalogue } = simulation
  const merchant = random.pick(simulation.merchants)
  const chain = random.pick(simulation.chains)
  const { network } = chain
  const { ticker } = random.pick(chain.assets.filter((one) => catalogue.findCrypto(one.ticker)?.networks.has(network)))
  const { scale } = catalogue.findCrypto(ticker)!
  const listed = await call(simulation, merchant, (client) => client.balances.list([ticker]))
  const parsed = 'answer' in listed ? parseUnits(listed.answer[0]!.value, scale) : undefined
  if (parsed === undefined || !parsed.ok || parsed.units <= 0n) return undefined
  const units = toLedger(
    catalogue,
    ticker,
    network,
    fromLedger(catalogue, ticker, network, (parsed.units * share) / of),
  )
  const to = await chain.newAddress(random)
  return { merchant: merchant.name, localId: books.nextLocalId('w'), network, ticker, to, units, receiver: null }
}

const describe = ({ catalogue }: Simulation, { merchant, network, ticker, units }: PaidOut): string =>
  `${merchant} ${network} ${ticker} ${formatUnits(units, catalogue.findCrypto(ticker)!.scale)}`

/** Shares of a balance: most of it, all of it without the fee, and more. Several at once may be more than there is. */
const SHARES = [
  [9n, 10n],
  [6n, 10n],
  [1n, 1n],
  [2n, 1n],
] as const

const greedy: Action = {
  name: 'withdraw all',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const wanted = await drawOfBalance(simulation, random, random.pick(SHARES))
    if (wanted === undefined) return 'has nothing'
    const again = { ...wanted, localId: simulation.books.nextLocalId('w') }
    const orders = random.chance(0.5)
      ? [wanted, { ...again, to: await newPlace(simulation, wanted, random) }]
      : [wanted]
    simulation.books.paidOut.push(...orders)
    const results = await Promise.all(orders.map((one) => place(simulation, one)))
    return `${describe(simulation, wanted)}: ${results.map(resultOf).toSorted().join(', ')}`
  },
}

const newPlace = ({ chains }: Simulation, { network }: PaidOut, random: Random): Promise<string> =>
  chains.find((one) => one.network === network)!.newAddress(random.of('another'))

/** Statuses that do not decide on an order: later the same request may be answered otherwise. */
const UNDECIDED = /^(?!BursarError 4)|^BursarError (409|429)/

/** A refused request stays refused under its key, even if money has come since. */
const refusedAgain: Action = {
  name: 'refused, and asked again',
  weight: (simulation) => (isServed(simulation) ? 2 : 0),
  run: async (simulation, random) => {
    const wanted = await drawOfBalance(simulation, random, [11n, 10n])
    if (wanted === undefined) return 'has nothing'
    const { books, chains, merchants, problems } = simulation
    const chain = chains.find(({ network }) => network === wanted.network)!
    // Otherwise a stop or a fault hides what the repeated request would be answered.
    if (isComplete(simulation) && random.chance(0.8)) await calm(simulation, chain)
    books.paidOut.push(wanted)
    const key = `key-${wanted.localId}`
    const first = resultOf(await place(simulation, wanted, key))
    await give(
      simulation,
      merchants.find(({ name }) => name === wanted.merchant)!,
      wanted.ticker,
    )
    const second = resultOf(await place(simulation, wanted, key))
    if (!UNDECIDED.test(first) && second !== first && (second === 'ok' || !UNDECIDED.test(second)))
      problems.push(`${wanted.localId}: was answered ${first}, and again with its key ${second}`)
    return `${describe(simulation, wanted)}: ${first}, ${second}`
  },
}

/** One key for two orders: the second is refused. */
const reusedKey: Action = {
  name: 'a key for two orders',
  weight: (simulation) => (isServed(simulation) ? 1 : 0),
  run: async (simulation, random) => {
    const first = await drawOfBalance(simulation, random, [1n, 20n])
    if (first === undefined) return 'has nothing'
    const second = {
      ...first,
      localId: simulation.books.nextLocalId('w'),
      to: await newPlace(simulation, first, random),
    }
    simulation.books.paidOut.push(first, second)
    const key = `key-${first.localId}`
    const results = [await place(simulation, first, key), await place(simulation, second, key)].map(resultOf)
    if (results[0] === 'ok' && results[1] === 'ok')
      simulation.problems.push(`${first.localId} and ${second.localId} were placed under one key`)
    return `${describe(simulation, first)}: ${results.join(', ')}`
  },
}

/** Assets that have fewer decimals on a network than in the ledger. */
const coarseOn = ({ catalogue, chains }: Simulation): { chain: SimulatedChain; ticker: string }[] =>
  chains.flatMap((chain) =>
    servedOn({ catalogue }, chain).flatMap((ticker) => {
      const { networks, scale } = catalogue.findCrypto(ticker)!
      return networks.get(chain.network)!.decimals < scale ? [{ chain, ticker }] : []
    }),
  )

/** No transaction can pay it: read with the decimals of the network, it is a usual amount. */
const tooFine: Action = {
  name: 'withdraw an amount finer than the network has',
  weight: (simulation) => (isComplete(simulation) && coarseOn(simulation).length > 0 ? 1 : 0),
  run: async (simulation, random) => {
    const { catalogue, merchants, problems } = simulation
    const { chain, ticker } = random.pick(coarseOn(simulation))
    await calm(simulation, chain)
    const drawn = await drawPayment(simulation, random, chain, ticker)
    const wanted = { ...drawn, units: fromLedger(catalogue, ticker, chain.network, drawn.units) }
    await give(
      simulation,
      merchants.find(({ name }) => name === wanted.merchant)!,
      ticker,
    )
    const result = await place(simulation, wanted)
    if ('answer' in result) problems.push(`${wanted.localId}: was accepted, and is finer than ${chain.network} has`)
    return `${describe(simulation, wanted)}: ${resultOf(result)}`
  },
}

export const GREEDY: readonly Action[] = [greedy, refusedAgain, reusedKey, tooFine]
