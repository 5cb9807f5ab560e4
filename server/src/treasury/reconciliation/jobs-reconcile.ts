import { setTimeout as sleep } from 'node:timers/promises'
import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { ChainUnavailable, type ChainAdapter, type Head } from '../../adapters/chains/port.ts'
import { familyOf } from '../../chain/addresses/index.ts'
import {
  countTouched,
  differencesOf,
  recordOwnAddresses,
  storeComparisons,
  touchEverything,
  touchSince,
} from '../../ledger/address-balances/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { compareAtCursor, compareAtFinal, compareCoins, compareScan, isCoinTeller, isFinalTeller } from './comparing.ts'
import { noteScan, scannedAt, storeRound, type CustodyLine, type Round } from './comparisons.ts'
import { isShort, judgeRound } from './judging.ts'
import { assetsOn, DEFAULT_ROUND_LIMITS, readBooks, type Books, type RoundLimits } from './reconcile.ts'
import { takeBackSurplus } from './surplus.ts'

/**
 * Addresses in one request, on a chain that answers for each address or has to answer before its final block advances.
 */
const PAGE = 500
const FINAL_PAGE = 50
const SCAN_AFTER_MS = 24 * 60 * 60_000
const READ_WITHIN_MS = 30_000
/** Pause after a failed scan of all coins. */
const SCAN_PAUSE_MS = 60 * 60_000
/** Older than this, an alert is raised. */
const OLD_SCAN_MS = 3 * SCAN_AFTER_MS

/**
 * Compares the books with the chain at the block the watcher has read to (on TRON, the final block): in total, and at
 * every address that changed since its last comparison, differed then, is the platform's, or has been idle for long. On
 * Bitcoin the node is asked for known coins, and scans all of its own once a day. Undefined when no comparison is
 * possible now: the network has not been read, or its head has advanced on a chain whose node keeps no history.
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
  if (network !== 'BITCOIN') await recordOwnAddresses(runtime.db, network, familyOf(network), tickers)
  const scans = isCoinTeller(adapter) && (await isScanDue(runtime, network, limits, at))
  const books = await readBooks(runtime.db, network, limits, at)
  if (!books) return undefined
  let scan: Round['scan'] = null
  const compare: typeof compareAtCursor = async (...asked) => {
    if (isFinalTeller(adapter)) return compareAtFinal(...asked)
    if (!isCoinTeller(adapter)) return compareAtCursor(...asked)
    if (!scans) return compareCoins(...asked)
    const found = await compareScan(runtime, catalogue, adapter, asked[4], limits.readWithinMs ?? READ_WITHIN_MS).catch(
      (err: unknown) => {
        runtime.log.warn({ err, network }, 'the node did not scan all coins: it is asked for the known ones')
        return undefined
      },
    )
    scan = found ? 'done' : 'failed'
    return found ?? compareCoins(...asked)
  }
  const known = books.comparands.filter(({ asset }) => tickers.includes(asset))
  let block: Head | undefined = known.length === 0 ? books : undefined
  for (let from = 0; from < known.length;) {
    const page = known.slice(from, from + pageSize(adapter, known.length))
    const found = await compare(runtime, catalogue, adapter, books, page).catch((error: unknown) => {
      if (error instanceof ChainUnavailable && pageSize(adapter, known.length) < page.length) return 'fewer' as const
      throw error
    })
    if (found === 'fewer') continue
    if (!found) return undefined
    from += page.length
    await storeComparisons(
      runtime.db,
      network,
      page.map((one, i) => ({ ...one, booked: found.booked[i]! })),
      found.held,
      found.head.height,
      at,
    )
    block = found.head
  }
  const lines = await conclude(runtime, network, { ...books, ...headOf(block!) }, tickers, at)
  if (scan === 'done') await noteScan(runtime.db, network, at)
  return {
    network,
    height: block!.height,
    lines,
    compared: known.length,
    left: await countTouched(runtime.db, network),
    scan,
  }
}

/**
 * Returns the size of a page. A node that has to answer before its final block advances gets only as many addresses as
 * it has managed before: behind a gateway's limit, few.
 */
const pageSize = (adapter: ChainAdapter, known: number): number => {
  if (isFinalTeller(adapter)) return Math.max(1, Math.min(FINAL_PAGE, adapter.mostAtFinal?.() ?? FINAL_PAGE))
  return isEvmNetwork(adapter.network) ? PAGE : Math.max(1, known)
}

/**
 * Whether a scan of all coins is due. If so, addresses compared by known coins since the last scan are marked to be
 * compared again.
 */
const isScanDue = async (
  { db }: Runtime,
  network: Network,
  { scanAfterMs = SCAN_AFTER_MS }: RoundLimits,
  at: Date,
): Promise<boolean> => {
  if (scanAfterMs === Number.POSITIVE_INFINITY) return false
  const last = await scannedAt(db, network)
  if (last !== null && at.getTime() - last.getTime() < scanAfterMs) return false
  await touchSince(db, network, last)
  return true
}

const headOf = ({ height, hash }: Head): Head => ({ height, hash })

/**
 * Like `reconcileNetwork`, for every address and asset of the network, changed or not. Its duration depends on their
 * number.
 */
export const reconcileFully = async (
  runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  onRound: (round: Round) => void,
): Promise<Round | undefined> => {
  const tickers = assetsOn(catalogue, adapter.network).map(({ asset }) => asset.ticker)
  await touchEverything(runtime.db, adapter.network, tickers)
  for (;;) {
    const round = await reconcileNetwork(runtime, catalogue, adapter, { ...DEFAULT_ROUND_LIMITS, scanAfterMs: 0 })
    if (round) onRound(round)
    if (!round || round.left === 0 || round.compared < DEFAULT_ROUND_LIMITS.mostTouched) return round
  }
}

/** Takes explained surpluses out of suspense, and sums up and stores the result of each asset. */
const conclude = async (
  { db, clock, newId, log }: Runtime,
  network: Network,
  { height, hash, ledger, recorded }: Books,
  tickers: readonly string[],
  at: Date,
): Promise<CustodyLine[]> =>
  inTransaction(db, async (tx) => {
    const explained = await takeBackSurplus(tx, network, momentOf({ clock, newId }))
    if (explained.length > 0)
      log.warn(
        { network, explained: explained.map(({ address }) => address) },
        'a surplus is explained and leaves suspense',
      )
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

/** Pause before a shortage is checked again: a block or two of an account chain. */
const AGAIN_MS = 15_000

/**
 * Creates the job that compares networks in parallel at intervals and acts on the results, so that a slow or failing
 * node does not delay the others. A shortage must show twice before it stops anything: a node may answer for its newest
 * block with the state of a block in progress (anvil does under load), or another machine behind a load balancer may be
 * at another block.
 */
export const createReconcileJob = (
  runtime: Runtime,
  catalogue: Catalogue,
  adapters: readonly ChainAdapter[],
  everyMs: number,
): Job => {
  const noScanBefore = new Map<Network, number>()
  return {
    name: `reconcile custody ${adapters.map(({ network }) => network).join()}`,
    // A node scans all its coins in up to twenty minutes.
    longestMs: 60 * 60_000,
    everyMs,
    run: async (signal) => {
      await Promise.all(
        adapters.map(async (adapter) => {
          const { network } = adapter
          const now = runtime.clock.now()
          const limits =
            now < (noScanBefore.get(network) ?? 0)
              ? { ...DEFAULT_ROUND_LIMITS, scanAfterMs: Number.POSITIVE_INFINITY }
              : DEFAULT_ROUND_LIMITS
          try {
            const round = await readTwiceIfShort(
              runtime,
              catalogue,
              adapter,
              limits,
              Math.min(everyMs, AGAIN_MS),
              signal,
            )
            if (round?.scan === 'failed') noScanBefore.set(network, now + SCAN_PAUSE_MS)
            if (round) await alertOldScan(runtime, round)
            if (round) await judgeRound(runtime, catalogue, round)
          } catch (err) {
            runtime.log.warn({ err, network: adapter.network }, 'custody was not compared, and is tried again')
          }
        }),
      )
      return false
    },
  }
}

/** Raises an alert when no scan of all coins has succeeded for days: only a scan finds a surplus and unknown coins. */
const alertOldScan = async ({ db, clock, newId }: Runtime, { network, scan }: Round): Promise<void> => {
  const moment = momentOf({ clock, newId })
  if (scan === 'done') return resolveAlert(db, 'full-comparison-old', network, moment.at)
  if (scan === null) return
  const last = await scannedAt(db, network)
  if (last !== null && clock.now() - last.getTime() < OLD_SCAN_MS) return
  const since = last === null ? 'have never been' : `have not been since ${last.toISOString()}`
  const text =
    `All coins of ${network} ${since} scanned, and the node failed to do so now: coins of our addresses that we do not know are not compared. ` +
    `Try \`bitcoin-cli scantxoutset start '["addr(ADDRESS)"]'\`: it takes minutes, only one runs at a time, and the worker waits 20 minutes for it`
  await raiseOrRenewAlert(db, { kind: 'full-comparison-old', subject: network, text }, moment)
}

/** Reads again after a shortage. The second reading decides; if it fails, the first one does. */
const readTwiceIfShort = async (
  runtime: Runtime,
  catalogue: Catalogue,
  adapter: ChainAdapter,
  limits: RoundLimits,
  pauseMs: number,
  signal: AbortSignal,
): Promise<Round | undefined> => {
  const first = await reconcileNetwork(runtime, catalogue, adapter, limits)
  if (!first?.lines.some(isShort)) return first
  await sleep(pauseMs, undefined, { signal }).catch(() => {})
  if (signal.aborted) return undefined
  const second = await reconcileNetwork(runtime, catalogue, adapter, limits).catch((err: unknown) => {
    runtime.log.warn({ err, network: adapter.network }, 'a shortage could not be checked again')
    return undefined
  })
  return second ? { ...second, scan: second.scan ?? first.scan } : first
}
