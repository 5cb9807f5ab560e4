import { NATIVE_TICKER } from '@bursar/chainkit'
import { forEachIsolated, type Job } from '../../../platform/jobs/index.ts'
import { rescale } from '../../../platform/money/index.ts'
import { momentOf } from '../../../platform/runtime/runtime.ts'
import { freshPrices } from '../../../market/rates/index.ts'
import { alertFailing } from '../failing.ts'
import { returnLoans } from './jobs-returns.ts'
import { fundedOn, holdersOn, type Worthwhile } from '../store.ts'
import type { Holder } from '../sweep.ts'
import type { TronSweepDeps, TronSweepPermission } from './deps.ts'
import { lookAround } from './looking.ts'
import { quietAmong } from './loans.ts'
import { createTronStepping, type Judge } from './stepping.ts'
import { Overtaken, type TronTarget } from './storing.ts'
import { evenFloors, isWorthIt } from './worth.ts'

/** Most holders read at once; most of them rest. */
const MOST_HOLDERS = 5_000
const MOST_FUNDED = 1_000
/** Pause before a holding that is not worth its sweep is checked again; more deposits end it earlier. */
const REST_MS = 10 * 60_000
const TRX = NATIVE_TICKER.TRON

/**
 * Creates the job that sweeps deposits on TRON. Each run reads from the chain which resources an address still lacks
 * and plans those, so that it continues from any state. Lent energy is taken back after any outcome of the sweep. A run
 * ends early, to be repeated at once, when another job has planned from the hot address.
 */
export const createTronSweepJob = (deps: TronSweepDeps, everyMs: number): Job => {
  /** Times (business clock) when addresses with too small holdings are checked again, by their balances. */
  const rests = new Map<string, number>()
  return {
    name: 'sweeps TRON',
    everyMs,
    run: async () => {
      let isOvertaken = false
      const parts = [
        () => returnLoans(deps),
        () => goOn(deps, rests).catch((error: unknown) => void (isOvertaken = isOvertakenBy(error))),
      ]
      await forEachIsolated(parts, (part) => part())
      return isOvertaken
    },
  }
}

const goOn = async (deps: TronSweepDeps, rests: Map<string, number>): Promise<void> => {
  const { runtime, policy } = deps
  if (!policy.enabled) return
  const allowed = await deps.allowed()
  if (allowed.assets.size === 0) return
  const funded = (await fundedOn(runtime.db, 'TRON', MOST_FUNDED)).filter(({ asset }) => allowed.assets.has(asset))
  const holders = await restedHolders(deps, allowed, rests)
  if (funded.length === 0 && holders.length === 0) return
  const view = await lookAround(deps, allowed)
  if (!view) return
  const step = createTronStepping(deps, view)
  for (const { id, ...sweep } of funded)
    await guarded(deps, sweep.address, () => step({ ...sweep, sweepId: id }, () => true))
  await begin(deps, holders, step, rests)
}

/** Returns true if the figures that were read are out of date. Throws any other error again. */
const isOvertakenBy = (error: unknown): true => {
  if (error instanceof Overtaken) return true
  throw error
}

/** Returns holders with nothing under way that are not known to hold too little. */
const restedHolders = async (
  { runtime, policy, catalogue }: TronSweepDeps,
  { assets }: TronSweepPermission,
  rests: Map<string, number>,
): Promise<Holder[]> => {
  const { at } = momentOf(runtime)
  for (const [key, until] of rests) if (until <= at.getTime()) rests.delete(key)
  const prices = await freshPrices(runtime.db, [...assets], new Date(runtime.clock.now()))
  const least = evenFloors(
    [...assets].map((ticker) => ({ ticker, scale: catalogue.findCrypto(ticker)!.scale, usd: prices.get(ticker) })),
  )
  const worthwhile: Worthwhile = { now: at, overdue: new Date(at.getTime() - policy.maxAgeMs), least }
  const holders = (await holdersOn(runtime.db, 'TRON', MOST_HOLDERS, worthwhile)).filter(
    (holder) => !rests.has(keyOf(holder)),
  )
  const quiet = await quietAmong(
    runtime.db,
    holders.map(({ address }) => address),
  )
  return holders.filter(({ address }) => quiet.has(address))
}

const keyOf = ({ address, holdings }: Holder): string =>
  [address, ...holdings.map(({ asset, units }) => `${units} ${asset}`)].join()

/** Starts at most one sweep of each address, because its resources don't suffice for two. */
const begin = async (
  deps: TronSweepDeps,
  holders: readonly Holder[],
  step: ReturnType<typeof createTronStepping>,
  rests: Map<string, number>,
): Promise<void> => {
  const { runtime, policy, catalogue } = deps
  const tickers = [...new Set([TRX, ...holders.flatMap(({ holdings }) => holdings.map(({ asset }) => asset))])]
  const prices = await freshPrices(runtime.db, tickers, new Date(runtime.clock.now()))
  const native = catalogue.findCrypto(TRX)!
  const sunToLedger = (sun: bigint): bigint => rescale(sun, native.networks.get('TRON')!.decimals, native.scale)
  for (const holder of holders.slice(0, policy.batch)) {
    const { holdings, ...owner } = holder
    // A worthwhile sweep that could not be started, for lack of TRX or of an answer, is tried again soon.
    let [begun, isPoor] = [false, true]
    // Tokens first: TRX may pay for their transfer.
    for (const { asset, units, since, failures } of holdings.toSorted(
      (a, b) => Number(a.asset === TRX) - Number(b.asset === TRX),
    )) {
      const { scale } = catalogue.findCrypto(asset)!
      const judge: Judge = (cost) => {
        const isWorth = isWorthIt(
          { ticker: asset, units, scale, usd: prices.get(asset), since },
          { ticker: TRX, units: sunToLedger(cost), scale: native.scale, usd: prices.get(TRX) },
          policy,
          runtime.clock.business(),
        )
        isPoor &&= !isWorth
        return isWorth
      }
      const target: TronTarget = {
        asset,
        address: owner.address,
        merchantId: owner.merchantId,
        derivationIndex: owner.derivationIndex,
        units,
        sweepId: null,
      }
      await alertFailing(runtime.db, 'TRON', owner, { asset, units, since, failures }, momentOf(runtime))
      begun = await guarded(
        deps,
        owner.address,
        () => step(target, judge),
        () => void (isPoor = false),
      )
      if (begun) break
    }
    if (!begun && isPoor) rests.set(keyOf(holder), momentOf(runtime).at.getTime() + REST_MS)
  }
}

/** Catches the error of one address, so that it does not delay the others; not `Overtaken`, which concerns all. */
const guarded = async (
  { runtime }: TronSweepDeps,
  address: string,
  run: () => Promise<boolean>,
  onFailure = (): void => {},
): Promise<boolean> => {
  try {
    return await run()
  } catch (err) {
    if (err instanceof Overtaken) throw err
    runtime.log.warn({ err, address }, 'a sweep on TRON could not continue, and is tried again')
    onFailure()
    return false
  }
}
