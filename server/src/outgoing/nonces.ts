import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../db/index.ts'
import { move } from './store.ts'

/**
 * Nonces are a sequence the database hands out: taken in the transaction that stores what uses it, so none is lost. A
 * transaction that was only offered for signing gives way to whoever takes its nonce; one that came back signed keeps it.
 */
export const takeNonce = async (tx: Tx, network: Network, at: Date): Promise<number> => {
  const { rows } = await sql<{ nonce: number }>`update hot_wallets set next_nonce = next_nonce + 1
    where network = ${network} returning next_nonce - 1 as nonce`.execute(tx)
  if (!rows[0]) throw new Error(`no hot wallet is set up on ${network}`)
  const { nonce } = rows[0]
  const offered = await sql<{ id: string }>`select id from outgoing where network = ${network} and nonce = ${nonce} and state = 'offered'`.execute(tx)
  for (const { id } of offered.rows) await move(tx, id, 'withdrawn', at)
  await passTaken(tx, network)
  return nonce
}

/** Lets the sequence go on behind nonces that signed transactions already have. */
export const passTaken = async (tx: Tx, network: Network): Promise<void> => {
  for (;;) {
    const { rows } = await sql`update hot_wallets h set next_nonce = next_nonce + 1 where h.network = ${network} and exists (
        select from outgoing o where o.network = h.network and o.nonce = h.next_nonce and o.senders[1] = h.address
          and o.state not in ('offered', 'abandoned'))
      returning 1`.execute(tx)
    if (rows.length === 0) return
  }
}
