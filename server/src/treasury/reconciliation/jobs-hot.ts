import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { TreasuryPolicy } from './hot-policy.ts'
import { positionsOf, type Position } from './positions.ts'
import { runwayOf, type Runway } from './runway.ts'
import { alertRefill, alertRunway, inLedgerUnits } from './watching-hot.ts'

/** The state of a network's hot wallet. */
export interface HotWalletState {
  positions: Position[]
  runway: Runway
}

/** Reads positions and runway of a network. */
export const readHotWallet = async (
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  catalogue: Catalogue,
  network: Network,
): Promise<HotWalletState> => {
  const positions = await positionsOf(db, catalogue, network)
  const native = positions.find(({ ticker }) => ticker === NATIVE_TICKER[network])
  return { positions, runway: await runwayOf(db, network, native?.hot ?? 0n, clock.business()) }
}

/** Raises alerts when a hot wallet runs low or the coin for fees runs out, and resolves them afterwards. */
export const createHotWatchJob = (deps: {
  runtime: Runtime
  catalogue: Catalogue
  policies: Readonly<Record<Network, TreasuryPolicy>>
  /** address to which the hot wallet of each network is refilled */
  addresses: ReadonlyMap<Network, string>
  everyMs: number
}): Job => ({
  name: 'watch hot wallets',
  everyMs: deps.everyMs,
  run: async () => {
    const { runtime, catalogue } = deps
    for (const [network, address] of deps.addresses) {
      const { positions, runway } = await readHotWallet(runtime, catalogue, network)
      const policy = deps.policies[network]
      for (const position of positions) {
        const limits = policy.hot.get(position.ticker)
        if (!limits) continue
        const { scale } = catalogue.findCrypto(position.ticker)!
        await alertRefill(
          runtime.db,
          position,
          inLedgerUnits(catalogue, network, position.ticker, limits),
          { address, scale },
          momentOf(runtime),
        )
      }
      await alertRunway(runtime.db, runway, policy, address, momentOf(runtime))
    }
    return false
  },
})
