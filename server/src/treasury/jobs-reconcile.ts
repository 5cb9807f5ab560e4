import { isEvmNetwork, type Network } from '@bursar/chainkit'
import type { ChainAdapter, Head } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import { inTransaction } from '../db/index.ts'
import type { Job } from '../jobs/index.ts'
import { momentOf, type Runtime } from '../platform/runtime.ts'
import { compareAtCursor, compareAtFinal, isFinalTeller } from './comparing.ts'
import { countTouched, differencesOf, storeComparisons, storeRound, type CustodyLine, type Round } from './comparisons.ts'
import { judgeRound } from './judging.ts'
import {
  assetsOn, DEFAULT_ROUND_LIMITS, readBooks, recordHouseAddresses, touchEverything, type Books, type RoundLimits,
} from './reconcile.ts'
import { takeBackSurplus } from './surplus.ts'

/** Asked at once of a chain that answers for each address, and of one that has to answer before its final block moves on. */
const PAGE = 500
const FINAL_PAGE = 50

/**
 * Holds the books against the chain at the block the watcher has read to (on TRON, the final block): in total, and at every address where something
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
  if (network !== 'BITCOIN') await recordHouseAddresses(runtime.db, network, tickers)
  const books = await readBooks(runtime.db, network, limits, at)
  if (!books) return undefined
  const compare = isFinalTeller(adapter) ? compareAtFinal : compareAtCursor
  const known = books.comparands.filter(({ asset }) => tickers.includes(asset))
  const size = isFinalTeller(adapter) ? FINAL_PAGE : isEvmNetwork(network) ? PAGE : Math.max(1, known.length)
  let block: Head | undefined = known.length === 0 ? books : undefined
  for (let from = 0; from < known.length; from += size) {
    const page = known.slice(from, from + size)
    const found = await compare(runtime, catalogue, adapter, books, page)
    if (!found) return undefined
    await storeComparisons(runtime.db, network, page.map((one, i) => ({ ...one, booked: found.booked[i]! })), found.held, found.head.height, at)
    block = found.head
  }
  const lines = await conclude(runtime, network, { ...books, ...headOf(block!) }, tickers, at)
  return { network, height: block!.height, lines, compared: known.length, left: await countTouched(runtime.db, network) }
}

const headOf = ({ height, hash }: Head): Head => ({ height, hash })

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
    if (!round || round.left === 0 || round.compared < DEFAULT_ROUND_LIMITS.mostTouched) return round
  }
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
