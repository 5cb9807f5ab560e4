import type { EvmNetwork, Head, Network } from '@bursar/chainkit'
import { addressesAfter, familyOf, type AddressOwner } from '../addresses/index.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { readCursor, rememberedBelow } from './cursor.ts'
import { endComparison, notePage, wantComparison, wantDailyComparison, wantedComparison } from './untraced.ts'

const PAGE = 200
/** Pages of one run: a shared node answers few requests a second, and so many addresses are a thousand requests. */
const MOST_PAGES = 5

export interface UntracedDeps {
  runtime: Runtime
  network: EvmNetwork
  adapter: Pick<ChainAdapter, 'balancesAt' | 'capabilities'>
  deposits: {
    /** undefined: no conclusion about that block is possible */
    explainBalances(
      tx: Tx,
      network: Network,
      at: Head,
      held: readonly { owner: AddressOwner; units: bigint }[],
      moment: Moment,
    ): Promise<(Effects & { again: boolean }) | undefined>
  }
  everyMs: number
}

/** Interval of comparisons on a node that never traces: each is a request for every address. */
const NEVER_TRACED_MS = 24 * 3_600_000
/** How often a worker looks whether one is due. */
const LOOK_EVERY_MS = 10 * 60_000

/**
 * Finds native coin that contracts sent in blocks that the node did not trace. Once such a block is final, compares the
 * balance of every address with its record once, a few pages a run; a restart continues there. Blocks that are untraced
 * meanwhile get another comparison, and so do addresses that a lost payment has left. A node that never traces marks no
 * block: there all addresses are compared daily, whether workers restart or not.
 */
export const createUntracedJob = (deps: UntracedDeps): Job => {
  const { runtime, network, adapter, everyMs } = deps
  let lookedAt = Number.NEGATIVE_INFINITY
  const wantAll = async (): Promise<void> => {
    const now = runtime.clock.now()
    if (now - lookedAt < LOOK_EVERY_MS || (await adapter.capabilities()).traces) return
    const cursor = await readCursor(runtime.db, network)
    if (!cursor) return
    const since = new Date(now - NEVER_TRACED_MS)
    await inTransaction(runtime.db, (tx) =>
      wantDailyComparison(tx, network, cursor.finalHeight, { since, at: new Date(now) }),
    )
    lookedAt = now
  }
  return {
    name: `untraced blocks ${network}`,
    everyMs,
    run: async (signal) => {
      await wantAll()
      for (let page = 0; page < MOST_PAGES && !signal.aborted; page += 1) if (!(await comparePage(deps))) return false
      return false
    },
  }
}

/** @returns whether there may be another page */
const comparePage = async ({ runtime, network, adapter, deposits }: UntracedDeps): Promise<boolean> => {
  const cursor = await readCursor(runtime.db, network)
  const wanted = cursor && (await wantedComparison(runtime.db, network, cursor.finalHeight))
  if (!wanted) return false
  const covers = wanted.covers ?? cursor.finalHeight
  // The newest, because full nodes of BSC keep only the states of the last minute.
  const [at] = await rememberedBelow(runtime.db, network, cursor.finalHeight, 1)
  if (!at) return false
  const owners = await addressesAfter(runtime.db, familyOf(network), wanted.comparedTo, PAGE)
  const last = owners.at(-1)
  if (!last) {
    await inTransaction(runtime.db, (tx) => endComparison(tx, network, wanted, covers, momentOf(runtime).at))
    return false
  }
  const balances = await adapter.balancesAt(
    at.height,
    owners.map(({ address }) => ({ address, contract: null })),
  )
  return inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    const effects = await deposits.explainBalances(
      tx,
      network,
      at,
      owners.map((owner, i) => ({ owner, units: balances[i]! })),
      moment,
    )
    if (!effects) return false
    await carryOut(tx, effects, moment)
    // This comparison covers no later block: request another one, which includes the addresses skipped here.
    if (effects.again) await wantComparison(tx, network, covers + 1)
    await notePage(tx, network, wanted, covers, last.address)
    return true
  })
}
