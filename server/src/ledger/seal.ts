import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/index.ts'

interface SealedEntry {
  accountId: number
  version: number
  transferId: string
  posted: bigint
  held: bigint
  postedAfter: bigint
  heldAfter: bigint
  kind: string
  causeKind: string
  causeId: string
}

/** The text of an entry that its account's chain hashes: everything an entry and its transfer say. */
const entryText = (e: SealedEntry): string =>
  [e.accountId, e.version, e.transferId, e.posted, e.held, e.postedAfter, e.heldAfter, e.kind, e.causeKind, e.causeId].join('|')

const link = (previous: Buffer, entry: SealedEntry): Buffer =>
  createHash('sha256').update(previous).update(entryText(entry)).digest()

const GENESIS = Buffer.alloc(32)
const MOST_ACCOUNTS = 500

/** Advances the hash chains of accounts that have entries beyond their last seal. Returns how many accounts it sealed. */
export const sealEntries = async (tx: Tx, at: Date): Promise<number> => {
  const locked = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(7262635001) as got`.execute(tx)
  if (!locked.rows[0]!.got) return 0
  const due = await sql<{ id: number; version: number; sealed: number; hash: Buffer | null }>`
    select a.id, a.version, coalesce(s.version, 0) as sealed, s.hash from ledger_accounts a
    left join lateral (select version, hash from ledger_seals where account_id = a.id order by version desc limit 1) s on true
    where a.version > coalesce(s.version, 0) limit ${MOST_ACCOUNTS}`.execute(tx)
  if (due.rows.length === 0) return 0
  const entries = await entriesAfter(tx, due.rows.map((r) => ({ id: r.id, from: r.sealed, to: r.version })))
  const hashes = new Map(due.rows.map((r) => [r.id, r.hash ?? GENESIS]))
  for (const entry of entries) hashes.set(entry.accountId, link(hashes.get(entry.accountId)!, entry))
  await sql`insert into ledger_seals(account_id, version, hash, sealed_at)
    select u.id, u.v, u.h, ${at} from unnest(${due.rows.map((r) => r.id)}::bigint[],
      ${due.rows.map((r) => r.version)}::bigint[], ${due.rows.map((r) => hashes.get(r.id)!)}::bytea[]) u(id, v, h)`.execute(tx)
  return due.rows.length
}

// The offsets keep the planner from turning the joins round: on tables it knows little of yet it would read all transfers for each entry.
const entriesAfter = async (
  db: Db | Tx,
  ranges: readonly { id: number; from: number; to: number }[],
): Promise<SealedEntry[]> => {
  const { rows } = await sql<SealedEntry>`
    select e.account_id as "accountId", e.version, e.transfer_id as "transferId", e.posted, e.held,
      e.posted_after as "postedAfter", e.held_after as "heldAfter", t.kind, t.cause_kind as "causeKind", t.cause_id as "causeId"
    from unnest(${ranges.map((r) => r.id)}::bigint[], ${ranges.map((r) => r.from)}::bigint[],
      ${ranges.map((r) => r.to)}::bigint[]) u(id, f, l)
    join ledger_accounts a on a.id = u.id
    cross join lateral (select * from ledger_entries e where e.account_id = u.id and e.version > u.f and e.version <= u.l offset 0) e
    cross join lateral (select * from ledger_transfers t where t.merchant_id = a.merchant_id and t.id = e.transfer_id offset 0) t
    order by e.account_id, e.version`.execute(db)
  return rows
}

/**
 * Writes the day's anchor: one hash over the newest seal of every account in id order. Kept outside the database, it
 * proves later that no history before it was changed.
 * @returns the anchor, or undefined when the day has one already
 */
export const anchorDay = async (tx: Tx, at: Date): Promise<Buffer | undefined> => {
  const day = at.toISOString().slice(0, 10)
  const seals = await sql<{ accountId: number; version: number; hash: Buffer }>`
    select distinct on (account_id) account_id as "accountId", version, hash from ledger_seals
    order by account_id, version desc`.execute(tx)
  const digest = createHash('sha256')
  for (const seal of seals.rows) digest.update(`${seal.accountId}|${seal.version}|`).update(seal.hash)
  const hash = digest.digest()
  const { rows } = await sql<{ day: string }>`insert into ledger_anchors(day, accounts, hash, created_at)
    values (${day}::date, ${seals.rows.length}, ${hash}, ${at}) on conflict do nothing returning day::text`.execute(tx)
  return rows.length === 1 ? hash : undefined
}

/** The first account whose entries no longer hash to a seal, or null when every chain holds. */
export const findBrokenSeal = async (db: Db): Promise<{ accountId: number; version: number } | null> => {
  const accounts = await sql<{ id: number; version: number }>`
    select account_id as id, max(version) as version from ledger_seals group by account_id order by account_id`.execute(db)
  for (const account of accounts.rows) {
    const seals = await sql<{ version: number; hash: Buffer }>`
      select version, hash from ledger_seals where account_id = ${account.id} order by version`.execute(db)
    const entries = await entriesAfter(db, [{ id: account.id, from: 0, to: account.version }])
    let hash: Buffer = GENESIS
    let next = 0
    for (const seal of seals.rows) {
      while (next < entries.length && entries[next]!.version <= seal.version) hash = link(hash, entries[next++]!)
      if (next !== seal.version || !hash.equals(seal.hash)) return { accountId: account.id, version: seal.version }
    }
  }
  return null
}
