import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { Listed, ListPage } from '../../platform/lists/page.ts'
import type { AccountKind } from './accounts.ts'
import type { Cause, Transfer } from './posting.ts'

/** An entry of an account, in ledger units, credit positive. */
export interface PostedEntry {
  /** of the account: each entry has the next one */
  version: number
  transferId: string
  kind: Transfer['kind']
  cause: Cause
  posted: bigint
  held: bigint
  /** what the account holds after the entry */
  postedAfter: bigint
  heldAfter: bigint
  at: Date
}

/** The time of an entry may be so much before that of an entry with a lower version, ms. */
const DISORDER_MS = 5 * 60_000
const LEAST_VERSION = 1

/**
 * A page of the entries of a merchant's balance of an asset, newest first, without gaps. The key of an entry is its
 * version.
 */
export const listEntries = async (
  db: Db,
  merchantId: string,
  asset: string,
  { after, limit, timeFrom, timeTo }: ListPage,
): Promise<Listed<PostedEntry>> => {
  const account = await accountOf(db, merchantId, asset)
  if (!account) return { rows: [], next: null }
  const versionAt = async (time: Date | null, ms: number): Promise<number | null> =>
    time && firstVersionAt(db, merchantId, account, new Date(time.getTime() + ms))
  const least = (await versionAt(timeFrom, -DISORDER_MS)) ?? LEAST_VERSION
  const beforeTime = (await versionAt(timeTo, DISORDER_MS)) ?? Number.MAX_SAFE_INTEGER
  const before = Math.min(after === null ? Infinity : Number(after), beforeTime, account.version + 1)
  const { rows: entries, next } = await readEntries(db, merchantId, account, { least, before, limit })
  const isInTime = ({ at }: PostedEntry): boolean =>
    (timeFrom === null || at >= timeFrom) && (timeTo === null || at < timeTo)
  return { rows: entries.filter(isInTime), next }
}

/** A page of the entries of a range. Amounts are in ledger units. */
export interface ListedRange extends Listed<PostedEntry> {
  /** what the account held before the oldest entry of the page; of an empty page, before the range */
  balanceBefore: bigint
}

/**
 * A page of the entries of a range of times, newest first, without gaps. The range begins with the entry of the lowest
 * version that has its first time or a later one, and ends before the first entry of its end: each entry is in one of
 * two ranges that follow each other, and the first closes with the balance with which the second opens. Times near the
 * ends may be out of order, so that an entry whose time is a little before a range can be listed in it.
 */
export const listRange = async (
  db: Db,
  merchantId: string,
  asset: string,
  { after, limit, timeFrom, timeTo }: Pick<ListPage, 'after' | 'limit' | 'timeFrom' | 'timeTo'>,
): Promise<ListedRange> => {
  const account = await accountOf(db, merchantId, asset)
  if (!account) return { rows: [], next: null, balanceBefore: 0n }
  const least = timeFrom === null ? LEAST_VERSION : await cutAt(db, merchantId, account, timeFrom)
  const end = timeTo === null ? account.version + 1 : await cutAt(db, merchantId, account, timeTo)
  const before = Math.min(after === null ? Infinity : Number(after), end)
  const page = await readEntries(db, merchantId, account, { least, before, limit })
  const oldest = page.rows.at(-1)
  const balanceBefore = oldest ? oldest.postedAfter - oldest.posted : await balanceAfter(db, account, least - 1)
  return { ...page, balanceBefore }
}

const accountOf = async (db: Db, merchantId: string, asset: string): Promise<Account | undefined> =>
  (
    await sql<Account>`select id, version from ledger_accounts
      where merchant_id = ${merchantId} and asset = ${asset} and kind = 'merchant'`.execute(db)
  ).rows[0]

const balanceAfter = async (db: Db, { id }: Account, version: number): Promise<bigint> => {
  const { rows } = await sql<{ balance: bigint }>`select posted_after as balance from ledger_entries
    where account_id = ${id} and version = ${version}`.execute(db)
  return rows[0]?.balance ?? 0n
}

/** The entries with versions from `least`, and below `before`. */
const readEntries = async (
  db: Db,
  merchantId: string,
  account: Account,
  { least, before, limit }: { least: number; before: number; limit: number },
): Promise<Listed<PostedEntry>> => {
  // Versions have no gaps. Both bounds together hold one page, in any plan and with any statistics.
  const from = Math.max(least, before - limit - 1)
  const { rows } = await sql<EntryRow>`select version, transfer_id as "transferId", posted, held,
      posted_after as "postedAfter", held_after as "heldAfter"
    from ledger_entries where account_id = ${account.id} and version >= ${from} and version < ${before}
    order by version desc`.execute(db)
  const shown = rows.slice(0, limit)
  const transfers = await transfersOf(
    db,
    merchantId,
    shown.map(({ transferId }) => transferId),
  )
  const entries = shown.map((row) => ({ ...row, ...transfers.get(row.transferId)! }))
  return { rows: entries, next: rows.length > limit ? String(shown.at(-1)!.version) : null }
}

/** `version` is that of the newest entry. */
interface Account {
  id: number
  version: number
}
type EntryRow = Pick<PostedEntry, 'version' | 'transferId' | 'posted' | 'held' | 'postedAfter' | 'heldAfter'>
type TransferRow = Pick<PostedEntry, 'kind' | 'cause' | 'at'>

const transfersOf = async (
  db: Db,
  merchantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TransferRow>> => {
  const { rows } = await sql<{
    id: string
    kind: Transfer['kind']
    causeKind: Cause['kind']
    causeId: string
    at: Date
  }>`select id, kind,
      cause_kind as "causeKind", cause_id as "causeId", created_at as at
    from ledger_transfers where merchant_id = ${merchantId} and id = any(${[...ids]}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ id, kind, causeKind, causeId, at }) => [id, { kind, cause: { kind: causeKind, id: causeId }, at }]),
  )
}

/** An entry on an account of a merchant, in ledger units, credit positive. */
export interface CausedEntry {
  transferId: string
  kind: Transfer['kind']
  causeKind: string
  causeId: string
  at: Date
  asset: string
  account: AccountKind
  posted: bigint
  held: bigint
}

/** The most entries of an answer: an object has a few transfers with a few entries each. */
const MOST_CAUSED = 200

/** Entries of the transfers that these objects caused, on a merchant's accounts of these kinds, oldest first. */
export const entriesCausedBy = async (
  db: Db,
  merchantId: string,
  causeIds: readonly string[],
  kinds: readonly AccountKind[],
): Promise<CausedEntry[]> => {
  const { rows } =
    await sql<CausedEntry>`select t.id as "transferId", t.kind, t.cause_kind as "causeKind", t.cause_id as "causeId",
      t.created_at as at, l.asset, l.kind as account, e.posted, e.held
    from ledger_transfers t
    join ledger_entries e on e.transfer_id = t.id
    join ledger_accounts l on l.id = e.account_id
    where t.cause_id = any(${[...causeIds]}::uuid[]) and t.merchant_id = ${merchantId}
      and l.merchant_id = ${merchantId} and l.kind = any(${[...kinds]}::text[])
    order by t.created_at, t.id, l.id limit ${MOST_CAUSED}`.execute(db)
  return rows
}

/** The version of the first entry of that time or later, by halving: entries have no times of their own. */
const firstVersionAt = async (db: Db, merchantId: string, account: Account, time: Date): Promise<number> => {
  const { rows } = await sql<{ version: number }>`with recursive search(least, above) as (
      select ${LEAST_VERSION}::bigint, ${account.version + 1}::bigint
      union all
      select case when m.is_before then m.version + 1 else s.least end,
        case when m.is_before then s.above else m.version end
      from search s cross join lateral (
        select e.version, t.created_at < ${time} as is_before
        from ledger_entries e join ledger_transfers t on t.merchant_id = ${merchantId} and t.id = e.transfer_id
        where e.account_id = ${account.id} and e.version = (s.least + s.above) / 2) m
      where s.least < s.above)
    select least as version from search where least = above`.execute(db)
  return rows[0]?.version ?? LEAST_VERSION
}

/** The lowest version of an entry of that time or later; behind the newest entry if there is none. */
const cutAt = async (db: Db, merchantId: string, account: Account, time: Date): Promise<number> => {
  const near = (ms: number): Promise<number> => firstVersionAt(db, merchantId, account, new Date(time.getTime() + ms))
  // All entries before the first of these are earlier, and all from the second on are later.
  const [least, above] = [await near(-DISORDER_MS), await near(DISORDER_MS)]
  const { rows } = await sql<{ version: number }>`select e.version
    from ledger_entries e join ledger_transfers t on t.merchant_id = ${merchantId} and t.id = e.transfer_id
    where e.account_id = ${account.id} and e.version >= ${least} and e.version < ${above} and t.created_at >= ${time}
    order by e.version limit 1`.execute(db)
  return rows[0]?.version ?? above
}
