import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { AccountChainAdapter, ChainAdapter } from '../../adapters/chains/port.ts'
import { inTransaction, type Db } from '../../platform/db/index.ts'
import { forEachIsolated } from '../../platform/jobs/index.ts'
import { momentOf } from '../../platform/runtime/runtime.ts'
import { isRemembered, newestFinal, shareHeight } from '../watcher/index.ts'
import { endSuperseded } from './commands.ts'
import type { SendingDeps } from './sending.ts'
import { OUTGOING_COLUMNS } from './store.ts'
import type { Outgoing } from './transaction.ts'

/**
 * Ends sweeps sent by deposit addresses whose nonce an authorisation of the address has used (EIP-7702): no transaction
 * in the block shows that. Anyone who saw an authorisation in a transaction of ours that was never mined can submit it
 * later. The proof is the address's nonce at a final block: the books have read that block, and would have the sweep as
 * mined. The address is then swept again, by the code it delegates to. Payments don't need this, because the signer
 * never signs one where it has signed an authorisation.
 */
export const endUsedNonces = async (deps: SendingDeps): Promise<void> => {
  const { runtime, network, adapter, policy } = deps
  if (!isEvmNetwork(network) || !readsNonces(adapter)) return
  const waiting = await waitingSweeps(runtime.db, network, new Date(runtime.clock.business() - policy.bumpAfterMs))
  const block = waiting.length === 0 ? undefined : await newestFinal(runtime.db, network)
  if (block === undefined) return
  await forEachIsolated(waiting, async ({ id, senders, nonce }) => {
    if ((await adapter.minedNonceIn(block, senders[0]!)) <= nonce!) return
    await inTransaction(runtime.db, async (tx) => {
      // No block is taken back until the transaction ends.
      await shareHeight(tx, network)
      const still = await newestFinal(tx, network)
      if (still === undefined || still.height < block.height || !(await isRemembered(tx, network, block))) return
      const moment = momentOf(runtime)
      await endSuperseded(tx, id, deps.subscribers, moment, new Set())
    })
  })
}

const readsNonces = (adapter: ChainAdapter): adapter is AccountChainAdapter => 'minedNonceIn' in adapter

const waitingSweeps = async (db: Db, network: Network, before: Date): Promise<Outgoing[]> => {
  const { rows } = await sql<Outgoing>`select ${OUTGOING_COLUMNS} from outgoing o
    where o.network = ${network} and o.state in ('signed', 'broadcast') and o.purpose = 'sweep' and o.nonce is not null and o.created_at <= ${before}
      and exists (select from addresses a where a.family = 'EVM' and a.address = o.senders[1])
    order by o.id`.execute(db)
  return rows
}
