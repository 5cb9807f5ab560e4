import type { Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import { inTransaction, type Db, type Tx } from '../../platform/db/index.ts'
import { isPlannedStill } from './planned.ts'
import { move } from './store.ts'
import type { Outgoing } from './transaction.ts'

/**
 * Takes the next nonce of a hot address, in the transaction that stores its user: the lowest nonce that was released
 * unsigned, otherwise the next of the sequence. A transaction that was only offered for signing loses its nonce to the
 * new user; a signed one keeps it.
 */
export const takeNonce = async (tx: Tx, network: Network, address: string, at: Date): Promise<number> => {
  const { rows: locked } = await sql<{ next: number }>`select next_nonce as next from hot_wallets
    where network = ${network} and address = ${address} for update`.execute(tx)
  if (!locked[0]) throw new Error(`${address} is not set up as a hot address on ${network}`)
  const { rows: freed } = await sql<{
    nonce: number
  }>`delete from free_nonces f where f.network = ${network} and f.address = ${address} and f.nonce = (
      select min(nonce) from free_nonces where network = f.network and address = f.address and not contested) returning nonce`.execute(
    tx,
  )
  if (freed[0]) return freed[0].nonce
  const nonce = locked[0].next
  await sql`update hot_wallets set next_nonce = ${nonce + 1} where network = ${network} and address = ${address}`.execute(
    tx,
  )
  const offered = await sql<{ id: string }>`select id from outgoing
    where network = ${network} and senders[1] = ${address} and nonce = ${nonce} and state = 'offered'`.execute(tx)
  for (const { id } of offered.rows) await move(tx, id, 'withdrawn', at)
  await passTaken(tx, network, address)
  return nonce
}

/**
 * Takes the next nonce of a hot address, like `takeNonce`, if nothing was planned from it since its count was read.
 * Otherwise returns undefined, because another planner may spend the same balance.
 */
export const takeExpected = async (
  tx: Tx,
  network: Network,
  address: string,
  planned: number,
  now: Date,
): Promise<number | undefined> =>
  (await isPlannedStill(tx, network, address, planned)) ? takeNonce(tx, network, address, now) : undefined

/** Returns the next nonce of a hot address's sequence, and locks the sequence until the transaction ends. */
export const lockNextNonce = async (tx: Tx, network: Network, address: string): Promise<number> => {
  const { rows } = await sql<{
    next: number
  }>`select next_nonce as next from hot_wallets where network = ${network} and address = ${address} for update`.execute(
    tx,
  )
  return rows[0]!.next
}

/** Expected duration of the signing: as many nonces as were used in such a time are left to payouts. */
const LEAD_MS = 60 * 60_000
const MOST_AHEAD = 256

/**
 * Returns a nonce for a transaction that will be signed later: not the next one, which would delay payouts, but one
 * that payouts will probably reach by the time of the signature. Undefined while the sequence is behind the chain.
 * @param mined how many nonces of the address the chain has used
 * @param now by the business clock, ms
 */
export const nonceAhead = async (
  db: Db,
  network: Network,
  address: string,
  mined: number,
  now: number,
): Promise<number | undefined> => {
  const since = new Date(now - LEAD_MS)
  const { rows } = await sql<{ next: number; used: number; offered: number | null }>`
    with wallet as (insert into hot_wallets(network, address, next_nonce) values (${network}, ${address}, ${mined})
      on conflict (network, address) do update set address = hot_wallets.address returning next_nonce as next)
    select next,
      (select count(*) from outgoing where network = ${network} and senders[1] = ${address} and nonce is not null and created_at > ${since}
        and purpose <> 'cold') as used,
      (select max(nonce) from outgoing where network = ${network} and senders[1] = ${address} and purpose = 'cold'
        and state not in ('abandoned', 'final', 'failed')) as offered
    from wallet`.execute(db)
  const { next, used, offered } = rows[0]!
  return mined > next ? undefined : Math.max(next + Math.min(used, MOST_AHEAD), (offered ?? -1) + 1)
}

/** Advances the sequence past nonces that signed transactions already have. */
export const passTaken = async (tx: Tx, network: Network, address: string): Promise<void> => {
  for (;;) {
    const { rows } =
      await sql`update hot_wallets h set next_nonce = next_nonce + 1 where h.network = ${network} and h.address = ${address} and exists (
        select from outgoing o where o.network = h.network and o.nonce = h.next_nonce and o.senders[1] = h.address
          and o.state not in ('offered', 'abandoned'))
      returning 1`.execute(tx)
    if (rows.length === 0) return
  }
}

/**
 * Releases the nonce of a transaction that was never signed. Does nothing if its sender is not a hot address.
 * @param contested the signer has signed this nonce for something that the database does not know: no payment takes it,
 *   and it is filled if that transaction does not appear within `CONTESTED_MS`
 */
export const freeNonce = async (
  tx: Tx,
  { network, senders, nonce }: Pick<Outgoing, 'network' | 'senders' | 'nonce'>,
  contested: boolean,
  at: Date,
): Promise<void> => {
  if (nonce === null) return
  await sql`insert into free_nonces(network, address, nonce, contested, since)
    select network, address, ${nonce}, ${contested}, ${at} from hot_wallets
    where network = ${network} and address = ${senders[0]} and next_nonce > ${nonce} on conflict do nothing`.execute(tx)
}

/**
 * Whether the signer refused a nonce of an address that is not a hot address, because it has signed this nonce for
 * something that the database does not know.
 */
export const isContested = async (db: Db, network: Network, address: string, nonce: number): Promise<boolean> => {
  const { rows } =
    await sql`select from outgoing where network = ${network} and senders[1] = ${address} and nonce = ${nonce} and contested limit 1`.execute(
      db,
    )
  return rows.length > 0
}

/**
 * Releases a handed-out nonce that the chain waits for and no transaction has: the next payment takes it. It is looked
 * for again under the lock of the sequence: another worker may have taken it when it was free, and not stored its
 * transaction yet.
 */
export const freeForgotten = async (
  db: Db,
  network: Network,
  address: string,
  nonce: number,
  at: Date,
): Promise<void> => {
  const { rows } = await forgotten(network, address, nonce).execute(db)
  if (rows.length === 0) return
  await inTransaction(db, async (tx) => {
    await lockNextNonce(tx, network, address)
    await sql`insert into free_nonces(network, address, nonce, since)
      select network, address, ${nonce}, ${at} from (${forgotten(network, address, nonce)}) h on conflict do nothing`.execute(
      tx,
    )
  })
}

const forgotten = (network: Network, address: string, nonce: number): RawBuilder<unknown> =>
  sql`select h.network, h.address from hot_wallets h where h.network = ${network} and h.address = ${address} and h.next_nonce > ${nonce}
    and not exists (select from free_nonces f where f.network = h.network and f.address = h.address and f.nonce = ${nonce})
    and not exists (select from outgoing o where o.network = h.network and o.senders[1] = h.address and o.nonce = ${nonce} and o.state <> 'abandoned')`

/**
 * Advances the sequence of an address of a replaced seed to the nonces that the chain has used, because another holder
 * of that seed may have used them.
 */
export const skipUsed = async (db: Db, network: Network, address: string, mined: number): Promise<void> => {
  await sql`update hot_wallets set next_nonce = ${mined} where network = ${network} and address = ${address} and next_nonce < ${mined}`.execute(
    db,
  )
}

/** Takes one released nonce; false when another transaction has taken it. */
export const takeFreed = async (tx: Tx, network: Network, address: string, nonce: number): Promise<boolean> => {
  const { rows } =
    await sql`delete from free_nonces where network = ${network} and address = ${address} and nonce = ${nonce} returning 1`.execute(
      tx,
    )
  return rows.length > 0
}

/**
 * How long a contested nonce is not filled: the signer's transaction may be on its way, or be attached by an operator.
 */
const CONTESTED_MS = 10 * 60_000

/** Returns released nonces below nonces of signed transactions of the same hot address. */
export const gapsOf = async (
  db: Db,
  network: Network,
  at: Date,
): Promise<{ address: string; index: number; nonce: number }[]> => {
  const { rows } = await sql<{
    address: string
    index: number
    nonce: number
  }>`select f.address, k.derivation_index as index, f.nonce
    from free_nonces f join house_addresses k on k.family = 'EVM' and k.account = 'hot' and k.address = f.address
    where f.network = ${network} and (not f.contested or f.since <= ${new Date(at.getTime() - CONTESTED_MS)})
      and exists (select from outgoing o where o.network = f.network and o.senders[1] = f.address and o.nonce > f.nonce and o.state in ('signed', 'broadcast'))
    order by k.derivation_index, f.nonce`.execute(db)
  return rows
}
