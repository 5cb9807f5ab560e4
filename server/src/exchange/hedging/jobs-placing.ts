import type { VenueBalance, VenueMarket } from '../../adapters/venues/port.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { exposuresOf, type Exposure } from '../exchanges/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { marketOf, PIVOT, worthAt, type UsdtMarkets } from '../../market/rates/index.ts'
import { alertHedging } from './alerts.ts'
import { toE18, toUnits } from './amounts.ts'
import { begin } from './commands.ts'
import type { HedgeDeps } from './deps.ts'
import { failuresOf, mayTryAt } from './failures.ts'
import { record } from './jobs-recording.ts'
import { clientIdOf, keyOf, type HedgeOrder } from './order.ts'
import { planOrder, type Plan } from './planning.ts'
import { isDrifting } from './comparisons.ts'
import { askAgainAt, listOpenOrders, newestOrders, usdtSince } from './store.ts'
import { whyStopped } from './stopping.ts'

/** Longer than the deadline of a call to the venue; after it, the order's outcome is queried. */
const LEASE_MS = 45_000
const MARKETS_CACHED_MS = 10 * 60_000
const REST_MS = 10_000
const HOUR_MS = 3_600_000

/**
 * Creates the job that brings exposures back to zero. Each asset has one order at a time, which is stored before the
 * venue is called.
 */
export const createHedgeJob = (deps: HedgeDeps, everyMs: number): Job => {
  const markets = cacheMarkets(deps)
  /**
   * assets for which nothing could be done recently, and until when, ms of the real clock, the venue is not called for
   * them
   */
  const resting = new Map<string, number>()
  return {
    name: `hedge on ${deps.venue.name}`,
    everyMs,
    run: async () => {
      const { runtime, venue } = deps
      const now = runtime.clock.now()
      const wanted = (await wantedOf(deps)).filter(({ asset }) => (resting.get(asset) ?? 0) <= now)
      if (wanted.length === 0) return false
      try {
        const [known, balances, usdtMarkets] = await Promise.all([markets(), venue.balances(), deps.usdtMarkets()])
        await alertHedging(runtime.db, 'venue-unreachable', venue.name, undefined, momentOf(runtime))
        for (const exposure of wanted) {
          if (!(await hedgeOne(deps, exposure, { markets: known, balances, usdtMarkets })))
            resting.set(exposure.asset, now + REST_MS)
        }
      } catch (error) {
        runtime.log.warn({ err: error, venue: venue.name }, 'exposures could not be hedged now')
        const text = `${venue.name} does not answer, and nothing is hedged: ${error instanceof Error ? error.message : 'no reason'}`
        await alertHedging(runtime.db, 'venue-unreachable', venue.name, text, momentOf(runtime))
      }
      return false
    },
  }
}

const cacheMarkets = ({ runtime, venue }: HedgeDeps): (() => Promise<VenueMarket[]>) =>
  cacheFor(MARKETS_CACHED_MS, runtime.clock.now, () => venue.markets())

/**
 * Returns exposures that are large enough to hedge, with an open market, no order in progress, no stop, and no recent
 * failure. Does not call the venue.
 */
const wantedOf = async (deps: HedgeDeps): Promise<Exposure[]> => {
  const { runtime, policy, venue } = deps
  const [exposures, open, usdtMarkets] = await Promise.all([
    exposuresOf(runtime.db),
    listOpenOrders(runtime.db),
    deps.usdtMarkets(),
  ])
  const under = new Set(open.map(({ asset }) => asset))
  const wanted: Exposure[] = []
  for (const exposure of exposures) {
    const { asset } = exposure
    if (
      !isWorthIt(deps, exposure, usdtMarkets) ||
      asset === PIVOT ||
      under.has(asset) ||
      !(policy.assets?.has(asset) ?? true)
    )
      continue
    const failures = failuresOf(await newestOrders(runtime.db, { venue: venue.name, asset }, 10))
    if (mayTryAt(failures) > runtime.clock.business() || (await whyStopped(runtime.db, [asset, PIVOT])) !== undefined)
      continue
    wanted.push(exposure)
  }
  return wanted
}

const isWorthIt = ({ catalogue, policy }: HedgeDeps, { asset, exposure }: Exposure, { open }: UsdtMarkets): boolean => {
  const [middle, scale] = [open.get(asset)?.middle, catalogue.find(asset)?.scale]
  if (middle === undefined || scale === undefined) return false
  return worthAt(asset, { units: exposure < 0n ? -exposure : exposure, scale }, middle) >= policy.leastUsdt
}

interface Seen {
  markets: readonly VenueMarket[]
  balances: readonly VenueBalance[]
  usdtMarkets: UsdtMarkets
}

/** @returns whether an order was begun */
const hedgeOne = async (deps: HedgeDeps, exposure: Exposure, seen: Seen): Promise<boolean> => {
  const { runtime, catalogue, policy, venue } = deps
  const { asset } = exposure
  const { base, quote } = marketOf(asset)
  const market = seen.markets.find((one) => one.base === base && one.quote === quote)
  const [middle, scale] = [seen.usdtMarkets.open.get(asset)?.middle, catalogue.find(asset)?.scale]
  if (!market || middle === undefined || scale === undefined) return false
  const left =
    policy.mostUsdtPerHour -
    (await usdtSince(runtime.db, venue.name, new Date(momentOf(runtime).at.getTime() - HOUR_MS)))
  const plan = planOrder({
    asset,
    exposure: toE18(exposure.exposure, scale),
    market,
    middle,
    slippageBps: policy.slippageBps,
    leastUsdt: policy.leastUsdt,
    mostUsdt: left < policy.mostUsdt ? (left > 0n ? left : 0n) : policy.mostUsdt,
    heldBase: seen.balances.find((one) => one.asset === base)?.total ?? 0n,
    spendable: {
      base: await spendableOf(deps, base, seen.balances),
      quote: await spendableOf(deps, quote, seen.balances),
    },
  })
  const short = plan.kind === 'short' ? (plan.of === 'base' ? base : quote) : undefined
  for (const side of [base, quote]) {
    const text =
      side === short
        ? `${asset} can't be hedged on ${venue.name}: too little ${side} is free there, or for sale in the position`
        : undefined
    await alertHedging(runtime.db, 'venue-balance-low', `${venue.name} ${side} for ${asset}`, text, momentOf(runtime))
  }
  if (plan.kind === 'full') {
    await alertHedging(
      runtime.db,
      'hedge-failing',
      asset,
      `${asset} is not hedged: ${venue.name} lets the account hold no more ${base}, of which it has ${formatUnits(seen.balances.find((one) => one.asset === base)?.total ?? 0n, 18)}`,
      momentOf(runtime),
    )
  }
  if (plan.kind !== 'order') return false
  const off = await isDrifting(runtime.db, venue.name, [base, quote])
  if (off === undefined) return place(deps, { exposure, market, middle, plan })
  await alertHedging(
    runtime.db,
    'hedge-failing',
    asset,
    `${asset} is not hedged: ${venue.name} holds less ${off} than the books say`,
    momentOf(runtime),
  )
  return false
}

/** The lesser of the free balance on the venue and the inventory for sale, 1e-18. */
const spendableOf = async (
  { runtime, catalogue }: HedgeDeps,
  asset: string,
  balances: readonly VenueBalance[],
): Promise<bigint> => {
  const scale = catalogue.find(asset)?.scale
  const units = (await exposuresOf(runtime.db)).find((one) => one.asset === asset)?.units
  const free = balances.find((one) => one.asset === asset)?.free
  if (scale === undefined || units === undefined || free === undefined) return 0n
  const forSale = toE18(units, scale)
  return free < forSale ? free : forSale
}

interface Placing {
  exposure: Exposure
  market: VenueMarket
  middle: bigint
  plan: Plan
}

const place = async (
  deps: HedgeDeps,
  { exposure: { asset, exposure }, market, middle, plan }: Placing,
): Promise<boolean> => {
  const { runtime, catalogue, venue, policy } = deps
  const moment = momentOf(runtime)
  const spends = plan.side === 'buy' ? market.quote : market.base
  const most = plan.side === 'buy' ? costOf(plan) : plan.amount
  const order: HedgeOrder = {
    id: moment.newId(),
    venue: venue.name,
    asset,
    base: market.base,
    quote: market.quote,
    side: plan.side,
    amount: plan.amount,
    price: plan.price,
    middle,
    spends,
    reserved: toUnits(most, catalogue.find(spends)!.scale, 'up'),
    executed: 0n,
    state: 'sending',
    reason: null,
    placedAt: new Date(runtime.clock.now()),
    validMs: policy.validMs,
    asks: 0,
    createdAt: moment.at,
    updatedAt: moment.at,
  }
  const begun = await beginOrNot(deps, order, exposure)
  if (begun !== undefined) {
    runtime.log.warn({ asset, because: begun }, 'a hedge order could not be placed')
    return false
  }
  await deps.pause('hedge-begun')
  const placed = await placeOnce(deps, order)
  await deps.pause('hedge-answered')
  if (placed === undefined) return true
  await record(deps, order, placed)
  await deps.pause('hedge-recorded')
  return true
}

/** The amount of quote that buying all of it at the limit costs, rounded up at the last digit. */
const costOf = ({ amount, price }: Plan): bigint => (amount * price + 10n ** 18n - 1n) / 10n ** 18n

class NotBegun extends Error {}

/** @returns why the order was not begun */
const beginOrNot = async (
  { runtime, policy }: HedgeDeps,
  order: HedgeOrder,
  exposure: bigint,
): Promise<string | undefined> => {
  try {
    await inTransaction(runtime.db, async (tx) => {
      const { at } = momentOf(runtime)
      const begun = await begin(tx, order, { exposure, policy, nextAskAt: new Date(at.getTime() + LEASE_MS) }, at)
      if (begun.kind === 'not') throw new NotBegun(begun.because)
    })
    return undefined
  } catch (error) {
    if (error instanceof NotBegun) return error.message
    throw error
  }
}

/** Calls the venue, once. Undefined: the outcome is unknown, and the asking job determines it. */
const placeOnce = async (
  { runtime, venue }: HedgeDeps,
  order: HedgeOrder,
): Promise<Parameters<typeof record>[2] | undefined> => {
  try {
    const { amount, price, side, placedAt, validMs } = order
    const placed = await venue.place({ ...keyOf(order), side, amount, price, placedAt: placedAt.getTime(), validMs })
    return placed.kind === 'refused' ? placed : await venue.find(keyOf(order))
  } catch (error) {
    runtime.log.warn(
      { err: error, order: clientIdOf(order) },
      'a venue did not confirm a hedge order; it will be queried',
    )
    await hurry(runtime, order)
    return undefined
  }
}

const hurry = async (runtime: HedgeDeps['runtime'], { id }: HedgeOrder): Promise<void> =>
  askAgainAt(runtime.db, id, momentOf(runtime).at)
