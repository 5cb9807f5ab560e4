import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { outgoingMoves, type OutgoingEvent, type OutgoingState } from './machine.ts'
import type { Attempt, Outgoing } from './transaction.ts'

export const OUTGOING_COLUMNS = sql.raw(`o.id, o.network, o.purpose, o.state, o.senders, o.nonce, o.keys, o.attempt,
  o.mined_hash as "minedHash", o.mined_height as "minedHeight", o.mined_block as "minedBlock",
  o.network_fee as "networkFee", o.succeeded, o.first_broadcast_at as "firstBroadcastAt",
  o.refused_since as "refusedSince", o.pays_for as "paysFor", o.epoch`)

/**
 * Changes the state of one transaction by its table, by compare-and-set. Returns undefined when its state does not
 * accept the event (another process was faster) or its claim is no longer ours (`epoch`). A reorganised one keeps its
 * fee and outcome until it is mined again, so that its postings can be reversed.
 */
export const move = async (
  tx: Tx,
  id: string,
  event: OutgoingEvent,
  at: Date,
  more: {
    epoch?: number
    mined?: { hash: string; height: number; block: string; fee: bigint | null; succeeded: boolean }
  } = {},
): Promise<Outgoing | undefined> => {
  const from = statesTaking(outgoingMoves, event)
  const target = moveOf(outgoingMoves, from[0]!, event)!.to
  const { mined } = more
  const forgets = event === 'reorganized'
  const { rows } = await sql<Outgoing>`update outgoing o set state = ${target}, updated_at = ${at},
      mined_hash = ${mined?.hash ?? (forgets ? null : sql`mined_hash`)},
      mined_height = ${mined?.height ?? (forgets ? null : sql`mined_height`)},
      mined_block = ${mined?.block ?? (forgets ? null : sql`mined_block`)},
      network_fee = ${mined ? mined.fee : sql`network_fee`},
      succeeded = ${mined ? mined.succeeded : sql`succeeded`},
      next_step_at = case when ${forgets} then ${at}::timestamptz else next_step_at end
    where id = ${id} and state = any(${from}) and (${more.epoch ?? null}::bigint is null or epoch = ${more.epoch ?? null})
    returning ${OUTGOING_COLUMNS}`.execute(tx)
  return rows[0]
}

/** Locks a transaction of ours, so that nothing else changes its state until the database transaction ends. */
export const lockOutgoing = async (tx: Tx, id: string): Promise<void> => {
  await sql`select from outgoing where id = ${id} for update`.execute(tx)
}

/**
 * Claims transactions whose next step is due for `leaseMs`, the oldest nonce first; no other worker takes them
 * meanwhile.
 */
export const claimDue = async (
  db: Db,
  network: Network,
  at: Date,
  leaseMs: number,
  most: number,
): Promise<Outgoing[]> => {
  const until = new Date(at.getTime() + leaseMs)
  const { rows } = await sql<Outgoing>`with due as (
      select id from outgoing where network = ${network} and state not in ('offered', 'final', 'failed', 'abandoned', 'mined')
        and (dropped_at is null or state <> 'signed') and next_step_at <= ${at} order by nonce nulls first, created_at limit ${most} for update skip locked),
    claimed as (update outgoing o set next_step_at = ${until}, epoch = epoch + 1 from due where o.id = due.id
      returning ${OUTGOING_COLUMNS})
    select * from claimed order by nonce nulls first, id`.execute(db)
  return rows
}

/** Sets when a claimed transaction is processed next. Does nothing when the claim is no longer ours. */
export const stepAgainAt = async (db: Db | Tx, { id, epoch }: Outgoing, next: Date): Promise<void> => {
  await sql`update outgoing set next_step_at = ${next} where id = ${id} and epoch = ${epoch}`.execute(db)
}

/** Whether any transaction of ours on a network is unconfirmed. */
export const isUnderWay = async (db: Db | Tx, network: Network): Promise<boolean> => {
  const { rows } =
    await sql`select from outgoing where network = ${network} and state in ('planned', 'signed', 'broadcast') and dropped_at is null limit 1`.execute(
      db,
    )
  return rows.length > 0
}

/**
 * Returns a transaction of ours that spends an unconfirmed output of this one, and so pays for both: one that a node
 * accepted, or that was planned since a moment.
 */
export const childOf = async (db: Db | Tx, id: string, since: Date): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`select c.id from outgoing_attempts a
    join utxos x on x.network = a.network and x.transaction = a.hash and x.block_height is null
    join outgoing c on c.id = x.reserved_by and c.state <> 'abandoned' and (c.first_broadcast_at is not null or c.created_at > ${since})
    where a.outgoing_id = ${id} limit 1`.execute(db)
  return rows[0]?.id
}

/** Returns the signed bytes of one of our attempts, by its hash. */
export const rawOf = async (db: Db | Tx, network: Network, hash: string): Promise<string | undefined> => {
  const { rows } = await sql<{
    raw: string
  }>`select raw from outgoing_attempts where network = ${network} and hash = ${hash} and raw is not null`.execute(db)
  return rows[0]?.raw
}

export const attemptsOf = async (db: Db | Tx, id: string): Promise<Attempt[]> => {
  const { rows } =
    await sql<Attempt>`select attempt, unsigned, signing_keys as keys, network_fee as "networkFee", hash, raw,
    expires_at as "expiresAt", created_at as "createdAt" from outgoing_attempts where outgoing_id = ${id} order by attempt`.execute(
      db,
    )
  return rows
}

/** Returns those of these chain transactions that are ours, by hash. */
export const oursAmong = async (
  tx: Db | Tx,
  network: Network,
  hashes: readonly string[],
): Promise<Map<string, { outgoingId: string; attempt: number; state: OutgoingState }>> => {
  if (hashes.length === 0) return new Map()
  const { rows } = await sql<{ hash: string; outgoingId: string; attempt: number; state: OutgoingState }>`
    select a.hash, a.outgoing_id as "outgoingId", a.attempt, o.state from outgoing_attempts a join outgoing o on o.id = a.outgoing_id
    where a.network = ${network} and a.hash = any(${[...hashes]}::text[]) order by o.nonce nulls first, o.id`.execute(
    tx,
  )
  return new Map(rows.map((row) => [row.hash, row]))
}

/** Returns which of these ids are transactions of this database. The id is given before anything is signed. */
export const plannedAmong = async (db: Db | Tx, ids: readonly string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`select id from outgoing where id = any(${[...ids]}::uuid[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
