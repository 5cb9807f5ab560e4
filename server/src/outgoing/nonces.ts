import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Tx } from '../db/index.ts'
import { move } from './store.ts'

/**
 * Nonces are a sequence for each hot address that the database hands out: taken in the transaction that stores what uses it, so none is lost. A
 * transaction that was only offered for signing gives way to whoever takes its nonce; one that came back signed keeps it.
 */
export const takeNonce = async (tx: Tx, network: Network, address: string, at: Date): Promise<number> => {
  const { rows } = await sql<{ nonce: number }>`update hot_wallets set next_nonce = next_nonce + 1
    where network = ${network} and address = ${address} returning next_nonce - 1 as nonce`.execute(tx)
  if (!rows[0]) throw new Error(`${address} is not set up as a hot address on ${network}`)
  const { nonce } = rows[0]
  const offered = await sql<{ id: string }>`select id from outgoing
    where network = ${network} and senders[1] = ${address} and nonce = ${nonce} and state = 'offered'`.execute(tx)
  for (const { id } of offered.rows) await move(tx, id, 'withdrawn', at)
  await passTaken(tx, network, address)
  return nonce
}

/** Lets the sequence go on behind nonces that signed transactions already have. */
export const passTaken = async (tx: Tx, network: Network, address: string): Promise<void> => {
  for (;;) {
    const { rows } = await sql`update hot_wallets h set next_nonce = next_nonce + 1 where h.network = ${network} and h.address = ${address} and exists (
        select from outgoing o where o.network = h.network and o.nonce = h.next_nonce and o.senders[1] = h.address
          and o.state not in ('offered', 'abandoned'))
      returning 1`.execute(tx)
    if (rows.length === 0) return
  }
}
