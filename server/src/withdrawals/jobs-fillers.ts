import type { EvmNetwork } from '@bursar/chainkit'
import { sql } from 'kysely'
import { inTransaction, type Db } from '../db/index.ts'
import { insertPlanned, paymentCall, planEvm, type HotKey } from '../outgoing/index.ts'
import { momentOf } from '../platform/runtime.ts'
import { gasRateOf, hotRow, type EvmPayoutDeps } from './payouts.ts'

const FILLER_GAS = 21_000n

/** Uses up the nonce of a refused transaction by paying nothing to its own sender, since what waits behind it can't skip it. */
export const planFiller = async (deps: EvmPayoutDeps, { key, nonce }: { key: HotKey; nonce: number }): Promise<void> => {
  const { runtime, network, chainId } = deps
  const rate = await gasRateOf(deps)
  const call = paymentCall({ to: key.address, units: 0n, contract: null })
  const plan = planEvm({ network, chainId, nonce, call, gas: FILLER_GAS, rate })
  await inTransaction(runtime.db, (tx) =>
    insertPlanned(tx, { ...hotRow(network, key, nonce), id: runtime.newId(), purpose: 'filler', ...plan, feeRate: rate }, momentOf(runtime)),
  )
}

/** Nonces of refused transactions that nothing uses yet: a process may die between the refusal and its filler. */
export const unfilledNonces = async (db: Db, network: EvmNetwork): Promise<{ key: HotKey; nonce: number }[]> => {
  const { rows } = await sql<{ nonce: number; address: string; index: number }>`select distinct a.nonce, k.address, k.derivation_index as index
    from outgoing a join hot_wallets h on h.network = a.network and h.address = a.senders[1] and a.nonce < h.next_nonce
    join house_addresses k on k.family = 'EVM' and k.account = 'hot' and k.address = h.address
    where a.network = ${network} and a.state = 'abandoned'
      and not exists (select from outgoing b where b.network = a.network and b.senders[1] = a.senders[1] and b.nonce = a.nonce and b.state <> 'abandoned')
    order by k.derivation_index, a.nonce`.execute(db)
  return rows.map(({ nonce, address, index }) => ({ key: { address, index }, nonce }))
}
