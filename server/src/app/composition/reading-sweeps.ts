import { isEvmNetwork } from '@bursar/chainkit'
import type { ChainSubscriber } from '../../chain/watcher/index.ts'
import { joinEffects } from '../../ledger/effects/index.ts'
import { withCoinSwept, type SweepTreasuries } from '../../treasury/sweeps/index.ts'

/**
 * Joins subscribers into one. It passes them blocks to which the sweeps of coin in our addresses' logs are added.
 * @param treasuries the receivers of sweeps on EVM networks
 */
export const readingSweeps = (
  subscribers: readonly ChainSubscriber[],
  treasuries: SweepTreasuries,
): ChainSubscriber => {
  const all = async (ask: (subscriber: ChainSubscriber) => ReturnType<ChainSubscriber['block']>) => {
    const effects = []
    for (const subscriber of subscribers) effects.push(await ask(subscriber))
    return joinEffects(effects)
  }
  return {
    block: async (tx, network, block, moment) => {
      const shown = isEvmNetwork(network) ? await withCoinSwept(tx, network, block, treasuries) : block
      return all((subscriber) => subscriber.block(tx, network, shown, moment))
    },
    orphaned: (tx, network, fromHeight, moment) =>
      all((subscriber) => subscriber.orphaned(tx, network, fromHeight, moment)),
    settled: (tx, network, heights, moment) => all((subscriber) => subscriber.settled(tx, network, heights, moment)),
    mempool: (tx, network, pool, moment) => all((subscriber) => subscriber.mempool(tx, network, pool, moment)),
  }
}
