import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import { inTransaction } from '../db/index.ts'
import type { Job } from '../jobs/index.ts'
import { formatUnits, rescale } from '../money/index.ts'
import { raiseAlert, resolveAlert } from '../platform/alerts.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import {
  countTouched, differencesOf, driftsOf, storeComparisons, storeRound, type CustodyLine, type Drift,
} from './comparisons.ts'
import { judgeLine, MOST_NAMED } from './judging.ts'
import {
  assetsOn, DEFAULT_ROUND_LIMITS, readBooks, recordHouseAddresses, touchEverything, type Books, type Comparand, type RoundLimits,
} from './reconcile.ts'
import { suspendedOf, suspendSurplus, takeBackSurplus } from './surplus.ts'

export interface Round {
  network: Network
  height: number
  lines: CustodyLine[]
  /** addresses that were asked about */
  compared: number
  /** addresses that changed and wait for the next round */
  left: number
}

/** Asked at once of a chain that answers for each address. */
const PAGE = 500

/**
 * Holds the books against the chain at the block the watcher has read to: in total, and at every address where something
 * happened since it was last compared, that differed then, that is the house's, or that has been idle for long. Undefined
 * when the two can't be compared now: the network has not been read, or its head has moved on where the chain keeps no
 * history.
 */
export const reconcileNetwork = async (
  runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  limits: RoundLimits = DEFAULT_ROUND_LIMITS,
): Promise<Round | undefined> => {
  const { network } = adapter
  const at = new Date(runtime.clock.now())
  const tickers = assetsOn(catalogue, network).map(({ asset }) => asset.ticker)
  if (isEvmNetwork(network)) await recordHouseAddresses(runtime.db, network, tickers)
  const books = await readBooks(runtime.db, network, limits, at)
  if (!books || !(await standsAt(adapter, books))) return undefined
  const known = books.comparands.filter(({ asset }) => tickers.includes(asset))
  const size = isEvmNetwork(network) ? PAGE : Math.max(1, known.length)
  for (let from = 0; from < known.length; from += size) {
    const page = known.slice(from, from + size)
    const held = await heldAt(catalogue, adapter, books.height, page)
    if (!(await standsAt(adapter, books))) return undefined
    await storeComparisons(runtime.db, network, page, held, books.height, at)
  }
  const lines = await conclude(runtime, network, books, tickers, at)
  return { network, height: books.height, lines, compared: known.length, left: await countTouched(runtime.db, network) }
}

/** The same, of every address and asset of the network whether anything happened or not: takes as long as they are many. */
export const reconcileFully = async (
  runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  onRound: (round: Round) => void,
): Promise<Round | undefined> => {
  const tickers = assetsOn(catalogue, adapter.network).map(({ asset }) => asset.ticker)
  await touchEverything(runtime.db, adapter.network, tickers)
  for (;;) {
    const round = await reconcileNetwork(runtime, catalogue, adapter)
    if (round) onRound(round)
    if (!round || round.left < DEFAULT_ROUND_LIMITS.mostTouched) return round
  }
}

/** Balances are of the block the books are of. Where a chain keeps no history they can only be those of its head. */
const standsAt = async (adapter: ChainAdapter, { height, hash }: Books): Promise<boolean> =>
  (isEvmNetwork(adapter.network) ? await adapter.hashAt(height) : (await adapter.head()).hash) === hash

const heldAt = async (catalogue: Catalogue, adapter: ChainAdapter, height: number, page: readonly Comparand[]): Promise<bigint[]> => {
  const assets = page.map(({ asset }) => catalogue.findCrypto(asset)!)
  const on = assets.map((asset) => asset.networks.get(adapter.network)!)
  const units = await adapter.balancesAt(height, page.map(({ address }, i) => ({ address, contract: on[i]!.contract })))
  return units.map((held, i) => rescale(held, on[i]!.decimals, assets[i]!.scale))
}

/** Takes back what has been explained, adds up, and stores how each asset stands. */
const conclude = async (
  { db, clock, newId, log }: Runtime,
  network: Network,
  { height, hash, ledger, recorded }: Books,
  tickers: readonly string[],
  at: Date,
): Promise<CustodyLine[]> =>
  inTransaction(db, async (tx) => {
    const explained = await takeBackSurplus(tx, network, momentOf({ clock, newId }))
    if (explained.length > 0) log.warn({ network, explained: explained.map(({ address }) => address) }, 'a surplus is explained and leaves suspense')
    const differences = await differencesOf(tx, network)
    const lines = tickers.map((ticker): CustodyLine => {
      const back = explained.filter(({ asset }) => asset === ticker).reduce((sum, { units }) => sum + units, 0n)
      const { sum, short, surplus } = differences.get(ticker) ?? { sum: 0n, short: 0n, surplus: 0n }
      const onChain = (recorded.get(ticker) ?? 0n) - back + sum
      return { network, ticker, height, hash, booked: (ledger.get(ticker) ?? 0n) - back, onChain, short, surplus }
    })
    await storeRound(tx, lines, at)
    return lines
  })

/** Compares every network every so often, and acts on what it finds. A node that fails does not keep the others waiting. */
export const createReconcileJob = (
  runtime: Runtime,
  catalogue: Catalogue,
  adapters: readonly ChainAdapter[],
  everyMs: number,
): Job => ({
  name: 'reconcile custody',
  everyMs,
  run: async (signal) => {
    for (const adapter of adapters) {
      if (signal.aborted) break
      try {
        const round = await reconcileNetwork(runtime, catalogue, adapter)
        if (round) await judgeRound(runtime, catalogue, round)
      } catch (err) {
        runtime.log.warn({ err, network: adapter.network }, 'custody was not compared, and is tried again')
      }
    }
    return false
  },
})

/** Acts on a round: freezes, alerts, and books surpluses that have stood. */
export const judgeRound = async (runtime: Runtime, catalogue: Catalogue, { network, lines }: Round): Promise<void> => {
  for (const line of lines) {
    const asset = catalogue.findCrypto(line.ticker)!
    await inTransaction(runtime.db, async (tx) => {
      const drifts: Drift[] = await driftsOf(tx, network, line.ticker, MOST_NAMED * 4)
      await judgeLine(tx, line, drifts, asset, momentOf(runtime))
    })
  }
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await suspendSurplus(tx, network, new Date(runtime.clock.now()), moment)
    const suspended = await suspendedOf(tx, network)
    for (const { ticker } of lines) {
      const units = suspended.get(ticker)
      const subject = `${network}/${ticker}`
      if (units === undefined) {
        await resolveAlert(tx, 'custody-suspended', subject, moment.at)
        continue
      }
      const { scale } = catalogue.findCrypto(ticker)!
      const text = `${formatUnits(units, scale)} ${ticker} on ${network} is in suspense: our addresses hold it and nothing explains it`
      await raiseAlert(tx, { kind: 'custody-suspended', subject, text }, moment)
    }
  })
}
