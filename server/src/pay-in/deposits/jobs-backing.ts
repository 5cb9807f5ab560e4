import type { Head, Network } from '@bursar/chainkit'
import type { ChainAdapter, TronChainAdapter } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, type Effects } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import { unbackedOn, type HeldAt } from './backing.ts'
import { finalHeightOf } from '../../chain/watcher/index.ts'

/** Small enough that a TRON node answers before its final block changes. */
const PAGE = 50

type Balances = Pick<ChainAdapter, 'hashAt' | 'balancesAt'> & Partial<Pick<TronChainAdapter, 'balancesAtFinal'>>

export interface BackingDeps {
  runtime: Runtime
  catalogue: Catalogue
  network: Network
  adapter: Balances
  deposits: { backInner(tx: Tx, network: Network, at: Head, held: readonly HeldAt[], moment: Moment): Promise<Effects> }
  everyMs: number
}

/** Compares inner transfers in final blocks with the balances of their addresses; only then are they credited. */
export const createBackingJob = ({ runtime, catalogue, network, adapter, deposits, everyMs }: BackingDeps): Job => ({
  name: `inner transfers ${network}`,
  everyMs,
  run: async (signal) => {
    const final = await finalHeightOf(runtime.db, network)
    if (final === undefined) return false
    for (let after = ''; !signal.aborted;) {
      const asked = await unbackedOn(runtime.db, network, final, after, PAGE)
      if (asked.length === 0) return false
      after = asked.at(-1)!.address
      const wanted = asked.map(({ address, asset }) => ({
        address,
        contract: catalogue.findCrypto(asset)?.networks.get(network)?.contract ?? null,
      }))
      const found = await balancesOf(adapter, final, wanted)
      if (!found) return false
      await inTransaction(runtime.db, async (tx) => {
        const moment = momentOf(runtime)
        const held = asked.map((one, i): HeldAt => ({ ...one, units: found.units[i]! }))
        await carryOut(tx, await deposits.backInner(tx, network, found.head, held, moment), moment)
      })
    }
    return false
  },
})

/**
 * Returns balances at the final block; from a chain that shows balances at no other block, at the node's own final
 * block.
 */
const balancesOf = async (
  adapter: Balances,
  height: number,
  wanted: { address: string; contract: string | null }[],
): Promise<{ head: Head; units: bigint[] } | undefined> => {
  if (adapter.balancesAtFinal) return adapter.balancesAtFinal(wanted)
  const hash = await adapter.hashAt(height)
  return hash === null ? undefined : { head: { height, hash }, units: await adapter.balancesAt(height, wanted) }
}
