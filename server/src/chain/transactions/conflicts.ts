import { shareHeight } from '../watcher/index.ts'
import type { Block, Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { OUTGOING_COLUMNS } from './store.ts'
import type { Outgoing } from './transaction.ts'

/**
 * An input or nonce that one of our transactions needs, and that a conflicting transaction has used in a final block.
 */
export interface Lost {
  /** an outpoint, or address and nonce */
  key: string
  /** of the conflicting transaction; or of the final attempt that replaced the one that should have made the coin */
  hash: string
  height: number
}

/** Records coins and nonces of our unmined transactions that a block uses up. Idempotent. */
export const recordConflicts = async (
  tx: Tx,
  network: Network,
  block: Block,
  ours: ReadonlyMap<string, { outgoingId: string }>,
): Promise<void> => {
  const { rows } = await sql<{ id: string; keys: string[] }>`select id, keys from outgoing
    where network = ${network} and state in ('planned', 'signed', 'broadcast') and dropped_at is null and keys <> '{}'`.execute(
    tx,
  )
  if (rows.length === 0) return
  const waiting = new Map(rows.flatMap(({ id, keys }) => keys.map((key) => [key, id] as const)))
  const found = block.transactions.flatMap(({ hash, keys }) =>
    keys.flatMap((key) => {
      const id = waiting.get(key)
      return id === undefined || ours.get(hash)?.outgoingId === id ? [] : [{ id, key, hash }]
    }),
  )
  if (found.length === 0) return
  await sql`insert into outgoing_rivals(outgoing_id, key, network, hash, height)
    select u.id, u.key, ${network}, u.hash, ${block.height}
    from unnest(${found.map(({ id }) => id)}::uuid[], ${found.map(({ key }) => key)}::text[], ${found.map(({ hash }) => hash)}::text[]) u(id, key, hash)
    on conflict do nothing`.execute(tx)
}

/** Deletes the records of lost blocks, from a height on. */
export const forgetConflicts = async (tx: Tx, network: Network, fromHeight: number): Promise<void> => {
  await sql`delete from outgoing_rivals where network = ${network} and height >= ${fromHeight}`.execute(tx)
}

/**
 * SQL: the coins and nonces that a transaction `o` needs and that, as final blocks prove, it can never use. Either a
 * conflict used one of them, on Bitcoin also in a block read before the database knew the transaction; or, on Bitcoin,
 * the output was never made, because another attempt of its transaction is final.
 */
const lostKeys = sql`(select r.key, r.hash, r.height from outgoing_rivals r join watch_cursors c on c.network = r.network and r.height <= c.final_height
    where r.outgoing_id = o.id
  union
  select x.transaction || ':' || x.vout, x.spent_by, x.spent_height from utxos x join watch_cursors c on c.network = x.network and x.spent_height <= c.final_height
    where x.network = o.network and x.reserved_by = o.id and x.spent_by is not null and not exists (select from outgoing_attempts a where a.outgoing_id = o.id and a.hash = x.spent_by)
  union all
  select x.transaction || ':' || x.vout, p.mined_hash, p.mined_height from utxos x
    join outgoing_attempts a on a.network = x.network and a.hash = x.transaction join outgoing p on p.id = a.outgoing_id
    where x.reserved_by = o.id and x.block_height is null and p.state = 'final' and p.mined_height is not null and p.mined_hash <> a.hash)`

/** Returns signed transactions for which something is lost. */
export const findSuperseded = async (db: Db, network: Network): Promise<Outgoing[]> => {
  const { rows } =
    await sql<Outgoing>`select ${OUTGOING_COLUMNS} from outgoing o where o.network = ${network} and o.state in ('signed', 'broadcast')
    and o.purpose in ('payout', 'filler', 'rebalance', 'sweep', 'gas') and exists ${lostKeys} order by o.nonce nulls first, o.id`.execute(
      db,
    )
  return rows
}

/**
 * Returns the coins or nonce that a transaction can never use. While `db` is a transaction, no block is lost or becomes
 * final.
 */
export const lostOf = async (db: Db | Tx, { id, network }: Pick<Outgoing, 'id' | 'network'>): Promise<Lost[]> => {
  await shareHeight(db, network)
  const { rows } =
    await sql<Lost>`select l.key, l.hash, l.height from outgoing o cross join lateral ${lostKeys} l where o.id = ${id} order by l.height, l.key`.execute(
      db,
    )
  return rows
}
