import { createAdapters } from '../../adapters/chains/index.ts'
import type { Signer } from '../../adapters/signer/index.ts'
import { rescan } from '../../chain/watcher/index.ts'
import { attachSigned, findById, type Attached } from '../../pay-out/withdrawals/index.ts'
import { createChainSubscribers } from '../composition/chain-subscribers.ts'
import { createWithdrawalSubscribers } from '../composition/invoicing.ts'
import { required, tokensOf, type Opened } from '../installation/open.ts'
import { worldOf } from '../installation/world.ts'

export type Attach = (key: { merchantId: string; id: string }) => Promise<Attached>

/**
 * Makes the function that attaches a waiting withdrawal to the transactions that the signer signed for it, with the
 * nodes of this installation. It throws an Error that says what to do when they do not match.
 */
export const createAttaching = (opened: Opened, signer: Pick<Signer, 'transactionsOf'>): Attach => {
  const world = worldOf(opened)
  const adapters = createAdapters(required(opened.config.networks, 'BURSAR_NETWORKS_FILE'), tokensOf(world.catalogue))
  return async (key) => {
    const withdrawal = await findById(world.runtime.db, key.merchantId, key.id)
    const adapter = withdrawal && adapters.get(withdrawal.blockchain)
    if (!adapter)
      throw new Error(
        withdrawal ? `${withdrawal.blockchain} is not configured` : 'there is no such withdrawal: check both ids',
      )
    const { network } = adapter
    const { subscribers } = createChainSubscribers(world)
    const readAgain = async (height: number) => {
      await rescan({ runtime: world.runtime, network, adapter, subscribers }, height, height).catch(
        (error: unknown) => {
          // The watcher has not reached the block; it will read it in turn.
          if (!(error instanceof RangeError)) throw error
        },
      )
    }
    return attachSigned(
      { ...world, signer, adapter, readAgain, withdrawalSubscribers: createWithdrawalSubscribers(world) },
      key,
    )
  }
}
