/** Exchanges at a price of some time ago: once it was used, after the market has moved, after a stop was made. */
import { exposuresOf, setPositionLimits } from '../../../server/src/exchange/exchanges/index.ts'
import { createStop } from '../../../server/src/ledger/stops/index.ts'
import { inTransaction } from '../../../server/src/platform/db/index.ts'
import type { Network } from '@bursar/chainkit'
import { formatUnits } from '../../../server/src/platform/money/index.ts'
import { toLedger, unitsOf } from '../model/books.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedMerchant } from '../merchants.ts'
import type { Simulation } from '../simulation.ts'
import type { Action } from './action.ts'
import { call, finestOf, resultOf } from './merchants.ts'
import { liftOwnStops } from './operators.ts'
import { drawUnits } from './payers.ts'
import { MARKET_JOBS, runJob } from './program.ts'
import { isComplete } from './sent.ts'

/** Longer than an estimated price is honoured, ms (docs/contract.md, 18). */
const PAST_THE_QUOTE_MS = 12_000
/** Longer than the api takes to learn of a stop, ms. */
const LEARNS_MS = 2_000

interface Wanted {
  merchant: SimulatedMerchant
  spend: string
  target: string
  amount: string
}

const draw = (simulation: Simulation, random: Random): Wanted | undefined => {
  const { catalogue, merchants } = simulation
  const spend = random.pick(catalogue.crypto).ticker
  const others = catalogue.crypto.filter(({ ticker }) => ticker !== spend)
  if (others.length === 0) return undefined
  const network = [...catalogue.findCrypto(spend)!.networks.keys()][0] as Network
  const { scale } = catalogue.findCrypto(spend)!
  const units = toLedger(catalogue, spend, network, drawUnits(simulation, random, { ticker: spend, network }))
  const amount = formatUnits(units - (units % finestOf(scale)), scale)
  return { merchant: random.pick(merchants), spend, target: random.pick(others).ticker, amount }
}

const readMarket = async ({ faults, roles }: Simulation): Promise<void> => {
  faults.clear()
  for (const job of roles.get('worker')?.jobs ?? []) if (MARKET_JOBS.has(job.name)) await runJob(job)
}

const estimate = (simulation: Simulation, { merchant, spend, target, amount }: Wanted) =>
  call(simulation, merchant, (client) =>
    client.exchange.estimate({ spendTicker: spend, targetTicker: target, amount, side: 'spend' }),
  )

type Estimated = Extract<Awaited<ReturnType<typeof estimate>>, { answer: unknown }>['answer']

/** Orders at the price of an estimate, and books the order. */
const order = async (simulation: Simulation, wanted: Wanted, { price, spend: spent, target: got }: Estimated) => {
  const { books, catalogue } = simulation
  const { merchant, spend, target, amount } = wanted
  const localId = books.nextLocalId('e')
  const spendUnits = unitsOf(catalogue, spend, spent.amount)
  const leastUnits = unitsOf(catalogue, target, got.amount)
  books.exchanged.push({ merchant: merchant.name, localId, spend, target, spendUnits, leastUnits })
  const result = await call(simulation, merchant, (client) =>
    client.exchange.create({
      spendTicker: spend,
      targetTicker: target,
      amount,
      side: 'spend',
      price: price.value,
      localId,
    }),
  )
  return { localId, result: resultOf(result) }
}

/** The units that an exchange gave, once it is Done. */
const givenBy = async (simulation: Simulation, { merchant, target }: Wanted, localId: string): Promise<bigint> => {
  const found = await call(simulation, merchant, (client) => client.withdrawals.find(localId))
  if (!('answer' in found) || found.answer === undefined || found.answer.kind !== 'Exchange') return 0n
  return found.answer.status === 'Done' ? unitsOf(simulation.catalogue, target, found.answer.amount) : 0n
}

/** The price was used for an order, or has ended; now the market gives another one. */
const oldPrice: Action = {
  name: 'exchange at an old price',
  weight: (simulation) => (isComplete(simulation) ? 3 : 0),
  run: async (simulation, random) => {
    const { catalogue, clock, problems } = simulation
    const wanted = draw(simulation, random)
    if (wanted === undefined) return 'there is nothing to exchange for'
    await readMarket(simulation)
    const first = await estimate(simulation, wanted)
    if ('failure' in first) return first.failure
    const isUsed = random.chance(0.5)
    const used = isUsed ? (await order(simulation, wanted, first.answer)).result : 'not used'
    if (!isUsed) clock.advance(PAST_THE_QUOTE_MS)
    simulation.prices.move(random)
    clock.advance(1_000)
    await readMarket(simulation)
    const now = await estimate(simulation, wanted)
    if ('failure' in now) return `${used}, ${now.failure}`
    const { localId, result } = await order(simulation, wanted, first.answer)
    const given = await givenBy(simulation, wanted, localId)
    const most = unitsOf(catalogue, wanted.target, now.answer.target.amount)
    if (simulation.together === 1 && (used === 'ok' || !isUsed) && given > most)
      problems.push(`${localId}: gave ${given} ${wanted.target} at an old price, and the market gives ${most}`)
    return `${wanted.spend} to ${wanted.target}: ${used}, ${result}`
  },
}

/** An asset may neither leave by an exchange nor come by one while it is stopped. */
const stoppedAsset: Action = {
  name: 'exchange of a stopped asset',
  weight: (simulation) => (isComplete(simulation) ? 1 : 0),
  run: async (simulation, random) => {
    const { clock, db, problems } = simulation
    const wanted = draw(simulation, random)
    if (wanted === undefined) return 'there is nothing to exchange for'
    await readMarket(simulation)
    const estimated = await estimate(simulation, wanted)
    if ('failure' in estimated) return estimated.failure
    const asset = random.pick([wanted.spend, wanted.target, null])
    const stop = { asset, merchantId: null, reason: 'simulation', actor: 'simulation' }
    await inTransaction(db, (tx) => createStop(tx, stop, simulation.moment()))
    clock.advance(LEARNS_MS)
    const { localId, result } = await order(simulation, wanted, estimated.answer)
    if (simulation.together === 1 && result === 'ok')
      problems.push(`${localId}: was filled although ${asset ?? 'everything'} is stopped`)
    await liftOwnStops(simulation)
    return `${wanted.spend} to ${wanted.target}, ${asset ?? 'everything'} stopped: ${result}`
  },
}

/** Once an asset is at its limit, no exchange brings in more of it. */
const positionLimit: Action = {
  name: 'exchange of an asset at its limit',
  weight: (simulation) => (isComplete(simulation) && simulation.together === 1 ? 3 : 0),
  run: async (simulation, random) => {
    const { db, problems } = simulation
    const wanted = draw(simulation, random)
    if (wanted === undefined) return 'there is nothing to exchange for'
    await readMarket(simulation)
    const exposure = async (): Promise<bigint> =>
      (await exposuresOf(db)).find(({ asset }) => asset === wanted.spend)?.exposure ?? 0n
    const limitTo = (long: bigint | null): Promise<void> =>
      inTransaction(db, (tx) => setPositionLimits(tx, wanted.spend, { long, short: null }))
    const estimated = await estimate(simulation, wanted)
    const before = await exposure()
    const long = before > 0n ? before : 0n
    await limitTo(long)
    const result =
      'failure' in estimated ? estimated.failure : (await order(simulation, wanted, estimated.answer)).result
    const after = await exposure()
    if (after > long)
      problems.push(`the position of ${wanted.spend} is ${after - long} above its limit of ${long} after an exchange`)
    await limitTo(null)
    return `${wanted.spend} to ${wanted.target}, ${before < long ? 'below' : 'at'} its limit: ${result}`
  },
}

export const OLD_PRICES: readonly Action[] = [oldPrice, stoppedAsset, positionLimit]
