import type { EvmNetwork, Head, Network } from '@bursar/chainkit'
import { familyOf, openLeases, type AddressOwner } from '../../chain/addresses/index.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { Moment } from '../../platform/base/moment.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import { carryOut, noEffects, type Effects } from '../../ledger/effects/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { HeldBy } from './balance-check.ts'

import { finalHeightOf } from '../../chain/watcher/index.ts'
import { lostByBalance } from './queries.ts'

const PAGE = 200

export interface BalanceCheckDeps {
  runtime: Runtime
  network: EvmNetwork
  adapter: Pick<ChainAdapter, 'capabilities' | 'hashAt' | 'balancesAt'>
  deposits: {
    explainBalances(
      tx: Tx,
      network: Network,
      at: Head,
      held: readonly HeldBy[],
      moment: Moment,
    ): Promise<Effects | undefined>
  }
  everyMs: number
}

/**
 * Finds native coin that contracts sent to open rotating addresses, if the node has no traces that show it
 * (`contract.md` 19 #21), by comparing balances with the books. Also compares addresses with such deposits in lost
 * blocks. Does nothing on a node with traces.
 */
export const createBalanceCheckJob = (deps: BalanceCheckDeps): Job => ({
  name: `balance check ${deps.network}`,
  everyMs: deps.everyMs,
  run: async (signal) => {
    const { runtime, network, adapter } = deps
    if ((await adapter.capabilities()).traces) return false
    const height = await finalHeightOf(runtime.db, network)
    const hash = height === undefined ? null : await adapter.hashAt(height)
    if (height === undefined || hash === null) return false
    const at = { height, hash }
    const lost = await lostByBalance(runtime.db, network)
    for (let from = 0; from < lost.length && !signal.aborted; from += PAGE)
      await checkPage(deps, at, lost.slice(from, from + PAGE))
    let last: AddressOwner | undefined
    do {
      const owners = await openLeases(runtime.db, familyOf(network), momentOf(runtime).at, last, PAGE)
      if (owners.length > 0) await checkPage(deps, at, owners)
      last = owners.length === PAGE ? owners.at(-1) : undefined
    } while (last && !signal.aborted)
    return false
  },
})

const checkPage = async (
  { runtime, network, adapter, deposits }: BalanceCheckDeps,
  at: Head,
  owners: readonly AddressOwner[],
): Promise<void> => {
  const balances = await adapter.balancesAt(
    at.height,
    owners.map(({ address }) => ({ address, contract: null })),
  )
  const held = owners.map((owner, i) => ({ owner, units: balances[i]! }))
  await inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    await carryOut(tx, (await deposits.explainBalances(tx, network, at, held, moment)) ?? noEffects, moment)
  })
}
