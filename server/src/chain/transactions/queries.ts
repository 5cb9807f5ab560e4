import { NETWORKS, type Network } from '@bursar/chainkit'
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Outgoing, Purpose } from './transaction.ts'

/** The unconfirmed transactions of a sender. */
export interface Load {
  transactions: number
  /** native units its transactions may cost */
  fees: bigint
}

export const loadOf = async (db: Db | Tx, network: Network, sender: string): Promise<Load> => {
  const { rows } =
    await sql<Load>`select count(*) as transactions, coalesce(sum(a.network_fee), 0) as fees from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = ${network} and o.senders[1] = ${sender} and o.state in ('planned', 'signed', 'broadcast')`.execute(
      db,
    )
  return rows[0]!
}

/** Returns the loads of several senders, without those that have no unconfirmed transaction. */
export const loadsOf = async (
  db: Db | Tx,
  network: Network,
  senders: readonly string[],
): Promise<ReadonlyMap<string, Load>> => {
  const { rows } = await sql<
    Load & { sender: string }
  >`select o.senders[1] as sender, count(*) as transactions, coalesce(sum(a.network_fee), 0) as fees
    from outgoing o join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = ${network} and o.senders[1] = any(${[...senders]}::text[]) and o.state in ('planned', 'signed', 'broadcast') group by 1`.execute(
    db,
  )
  return new Map(rows.map(({ sender, ...load }) => [sender, load]))
}

/** Whether payments of the same sender wait behind the nonce of this transaction. */
export const isWaitedFor = async (db: Db | Tx, { network, senders, nonce }: Outgoing): Promise<boolean> => {
  const { rows } =
    await sql`select from outgoing where network = ${network} and senders[1] = ${senders[0]} and nonce > ${nonce}
    and purpose in ('payout', 'cold') and state in ('planned', 'signed', 'broadcast') limit 1`.execute(db)
  return rows.length > 0
}

/** Returns those of these addresses that have an unconfirmed transaction of their own: they send one at a time. */
export const sendingAmong = async (
  db: Db | Tx,
  network: Network,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ sender: string }>`select senders[1] as sender from outgoing
    where network = ${network} and senders[1] = any(${[...addresses]}::text[]) and state in ('planned', 'signed', 'broadcast')`.execute(
    db,
  )
  return new Set(rows.map(({ sender }) => sender))
}

/** Returns those of these transactions that pay withdrawals. */
export const payoutsAmong = async (tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{
    id: string
  }>`select id from outgoing where id = any(${[...ids]}::uuid[]) and purpose = 'payout'`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Whether one of these addresses has an unconfirmed payout. */
export const isAnyPaying = async (tx: Tx, network: Network, addresses: readonly string[]): Promise<boolean> => {
  const { rows } =
    await sql`select from outgoing o where o.network = ${network} and o.senders[1] = any(${[...addresses]}::text[])
    and o.purpose = 'payout' and o.state in ('planned', 'signed', 'broadcast') limit 1`.execute(tx)
  return rows.length > 0
}

/** Whether a transaction of a purpose is on its way and has not been dropped. */
export const isSending = async (db: Db | Tx, network: Network, purpose: Purpose): Promise<boolean> => {
  const { rows } = await sql`select from outgoing where network = ${network} and purpose = ${purpose}
    and state in ('planned', 'signed', 'broadcast') and dropped_at is null limit 1`.execute(db)
  return rows.length > 0
}

/** Counts the unconfirmed TRON payouts of a sender, without those that nodes refuse. */
export const countTronPayouts = async (db: Db, sender: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from outgoing
    where network = 'TRON' and purpose = 'payout' and senders[1] = ${sender} and state in ('planned', 'signed', 'broadcast')
      and refused_since is null`.execute(db)
  return rows[0]!.count
}

/** Sums the fees, in sun, of an address's TRON transactions that are not final: at most, or actual once mined. */
export const tronFeesUnderWay = async (db: Db, sender: string): Promise<bigint> => {
  const { rows } = await sql<{
    fees: bigint
  }>`select coalesce(sum(coalesce(o.network_fee, a.network_fee)), 0) as fees from outgoing o
    join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.network = 'TRON' and ${sender} = any(o.senders) and o.state in ('planned', 'signed', 'broadcast', 'mined')`.execute(
    db,
  )
  return rows[0]!.fees
}

/** A transaction of ours as its chain shows it. */
export interface Appearance {
  /** with which it was mined, otherwise of its newest attempt */
  hash: string | null
  from: string[]
  block: number | null
}

export const appearanceOf = async (db: Db, id: string): Promise<Appearance | undefined> =>
  (await appearancesOf(db, [id])).get(id)

/** Returns transactions of ours by their ids. */
export const appearancesOf = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Appearance>> => {
  const { rows } = await sql<
    Appearance & { id: string }
  >`select o.id, coalesce(o.mined_hash, a.hash) as hash, o.senders as "from", o.mined_height as block
    from outgoing o left join outgoing_attempts a on a.outgoing_id = o.id and a.attempt = o.attempt
    where o.id = any(${[...ids]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, ...appearance }) => [id, appearance]))
}

/** Returns the ids of the transactions of ours of which an attempt has this hash, on any network. */
export const transactionsOfHash = async (db: Db, hash: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select distinct outgoing_id as id from outgoing_attempts
    where network = any(${[...NETWORKS]}::text[]) and hash = ${hash}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the hash of the final transaction of ours, other than one, that used a nonce. */
export const finalUserOfNonce = async (
  db: Db,
  network: Network,
  address: string,
  nonce: number,
  other: string,
): Promise<string | undefined> => {
  const { rows } = await sql<{
    hash: string
  }>`select mined_hash as hash from outgoing where network = ${network} and senders[1] = ${address} and nonce = ${nonce}
    and state in ('final', 'failed') and mined_hash <> ${other}`.execute(db)
  return rows[0]?.hash
}

/** Returns our transaction with an attempt of this hash, and its cost: native units, null while in no block. */
export const paidBy = async (
  db: Db,
  hash: string,
): Promise<{ id: string; network: Network; paid: bigint | null } | undefined> => {
  const { rows } = await sql<{ id: string; network: Network; paid: bigint | null }>`
    select o.id, o.network, case when o.mined_height is not null then o.network_fee end as paid
    from outgoing_attempts a join outgoing o on o.id = a.outgoing_id where a.hash = ${hash}`.execute(db)
  return rows[0]
}

/** The unsigned bytes of an attempt. */
export const unsignedOf = async (db: Db, { id, attempt }: Pick<Outgoing, 'id' | 'attempt'>): Promise<string> => {
  const { rows } = await sql<{
    unsigned: string
  }>`select unsigned from outgoing_attempts where outgoing_id = ${id} and attempt = ${attempt}`.execute(db)
  return rows[0]!.unsigned
}

/** How long a transaction may have waited before a refusal counts: the index is on `created_at`. */
const WAITED_MS = 7 * 24 * 60 * 60_000

/**
 * Returns the purposes of which a transaction waits for a signature, or was refused by the signer since a moment and
 * never signed.
 */
export const unsignedPurposes = async (db: Db, network: Network, since: Date): Promise<Purpose[]> => {
  const { rows } = await sql<{
    purpose: Purpose
  }>`select distinct o.purpose from outgoing o where o.network = ${network}
    and (o.state in ('planned', 'signed', 'broadcast')
        and exists (select from outgoing_attempts a where a.outgoing_id = o.id and a.attempt = o.attempt and a.raw is null)
      or o.state = 'abandoned' and o.updated_at > ${since} and o.created_at > ${new Date(since.getTime() - WAITED_MS)}
        and not exists (select from outgoing_attempts a where a.outgoing_id = o.id and a.raw is not null))`.execute(db)
  return rows.map(({ purpose }) => purpose)
}

/** SQL that is true when the signer has refused a transaction of a purpose since a moment and has never signed it. */
export const wasRefusedSince = (network: Network, purpose: Purpose, since: Date): RawBuilder<boolean> =>
  sql`exists (select from outgoing o where network = ${network} and purpose = ${purpose} and state = 'abandoned' and updated_at > ${since}
      and not exists (select from outgoing_attempts a where a.outgoing_id = o.id and a.raw is not null))`

/**
 * Returns signed Bitcoin payouts that no node has accepted, that nodes have refused as invalid since before a moment,
 * and whose coins no consolidation takes back yet.
 */
export const refusedPayouts = async (db: Db | Tx, since: Date): Promise<string[]> => {
  const { rows } = await sql<{
    id: string
  }>`select o.id from outgoing o where o.network = 'BITCOIN' and o.purpose = 'payout' and o.state = 'signed'
    and o.first_broadcast_at is null and o.refused_since <= ${since}
    and not exists (select from outgoing c where c.network = o.network and c.purpose = 'consolidation' and c.state <> 'abandoned' and c.keys && o.keys)
    order by o.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** SQL that is true where an address has an unconfirmed transaction of its own. Both arguments are SQL. */
export const isSendingFrom = (network: RawBuilder<unknown>, address: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from outgoing o where o.network = ${network} and o.senders[1] = ${address} and o.state in ('planned', 'signed', 'broadcast'))`

/** Like `isSendingFrom`, for transactions that pay withdrawals. */
export const isPayingFrom = (network: RawBuilder<unknown>, address: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from outgoing o where o.network = ${network} and o.senders[1] = ${address} and o.purpose = 'payout'
          and o.state in ('planned', 'signed', 'broadcast'))`
