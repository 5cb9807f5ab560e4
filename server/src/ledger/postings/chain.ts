import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Entry } from './judge.ts'

/** An entry with the fields of its transfer: everything that an account's hash chain covers. */
export interface ChainEntry extends Entry {
  /** of its transfer; null when it has none, which only a manual change of the tables can cause */
  kind: string | null
  causeKind: string | null
  causeId: string | null
  closes: string | null
}

/** The text of an entry that its account's chain hashes: everything an entry and its transfer say. */
const entryText = (e: ChainEntry): string =>
  [
    e.accountId,
    e.version,
    e.transferId,
    e.posted,
    e.held,
    e.postedAfter,
    e.heldAfter,
    e.kind,
    e.causeKind,
    e.causeId,
  ].join('|')

export const link = (previous: Buffer, entry: ChainEntry): Buffer =>
  createHash('sha256').update(previous).update(entryText(entry)).digest()

/** The hash before an account's first entry. */
export const GENESIS = Buffer.alloc(32)

/** Entries of an account read at once: an account may have any number of them, but memory is limited. */
const PAGE = 5_000

/** Yields the entries of one account after one version, up to another, in pages. */
export async function* entriesOf(
  db: Db | Tx,
  account: { id: number; merchantId: string },
  after: number,
  upTo: number,
): AsyncGenerator<ChainEntry[]> {
  for (let version = after; version < upTo;) {
    // The offset prevents the planner from reversing the join: without statistics it would read all transfers for each
    // entry.
    const { rows } = await sql<ChainEntry>`
      select e.account_id as "accountId", e.version, e.transfer_id as "transferId", e.posted, e.held, e.posted_after as "postedAfter",
        e.held_after as "heldAfter", t.kind, t.cause_kind as "causeKind", t.cause_id as "causeId", t.closes
      from (select * from ledger_entries where account_id = ${account.id} and version > ${version} and version <= ${upTo}
        order by version limit ${PAGE}) e
      left join lateral (select * from ledger_transfers t where t.merchant_id = ${account.merchantId} and t.id = e.transfer_id offset 0) t on true
      order by e.version`.execute(db)
    if (rows.length === 0) return
    version = rows.at(-1)!.version
    yield rows
  }
}
