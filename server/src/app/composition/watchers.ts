import { createChainSubscribers } from './chain-subscribers.ts'
import type { World } from './world.ts'
import type { Network } from '@bursar/chainkit'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import type { PoolSettings } from '../../platform/db/index.ts'
import { createLeadership, createWatcher, type Watcher } from '../../chain/watcher/index.ts'

/** Creates a watcher for each network with a configured node. Its pause points are named `NAME@NETWORK`. */
export const createWatchers = (
  world: World,
  adapters: ReadonlyMap<Network, ChainAdapter>,
  identities: ReadonlyMap<Network, string>,
  pool: PoolSettings,
  requireFit: (network: Network) => Promise<void>,
  pause?: PausePoint,
): Watcher[] => {
  const { runtime, policies } = world
  const { subscribers } = createChainSubscribers(world)
  return [...adapters].map(([network, adapter]) =>
    createWatcher({
      runtime,
      adapter,
      subscribers,
      settings: { ...policies.watch[network], network, identity: identities.get(network)! },
      leadership: createLeadership({ url: pool.url, network }),
      requireFit: () => requireFit(network),
      ...(pause && { pause: (name) => pause(`${name}@${network}`) }),
    }),
  )
}
