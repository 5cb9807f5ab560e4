import type { Query } from '../db/index.ts'
import { arrayLiteral, type Scalar } from './array-literal.ts'
import { keyText, ruleOf, type AccountKey } from './accounts.ts'
import type { AccountHead, Judgement, Reading } from './judge.ts'
import type { Item, RowTable } from './posting.ts'

/** Account ids by `keyText`. Ids never change, so they may be kept for ever. */
export type AccountIds = Map<string, number>

const FIND_ACCOUNTS = `select a.id, a.merchant_id, a.asset, a.kind from unnest($1::uuid[], $2::text[], $3::text[]) u(m, a, k)
  join ledger_accounts a on a.merchant_id = u.m and a.asset = u.a and a.kind = u.k`
const OPEN_ACCOUNTS = `insert into ledger_accounts(merchant_id, asset, kind, bounded)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) on conflict do nothing`

/** Makes sure every account exists and its id is in `ids`. */
export const openAccounts = async (query: Query, ids: AccountIds, keys: readonly AccountKey[]): Promise<void> => {
  const missing = [...new Map(keys.filter((key) => !ids.has(keyText(key))).map((key) => [keyText(key), key])).values()]
  if (missing.length === 0) return
  // In one order everywhere, so that two processes opening the same accounts wait for each other and don't deadlock.
  missing.sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1))
  const columns = [missing.map((k) => k.merchantId), missing.map((k) => k.asset), missing.map((k) => k.kind)]
  let rows = await query('ledger-find', FIND_ACCOUNTS, columns)
  if (rows.length < missing.length) {
    await query('ledger-open', OPEN_ACCOUNTS, [...columns, missing.map((k) => ruleOf(k.kind).bounded)])
    rows = await query('ledger-find', FIND_ACCOUNTS, columns)
  }
  for (const row of rows) ids.set(`${row.merchant_id}/${row.asset}/${row.kind}`, row.id as number)
}

const LOCK = `select id, merchant_id, asset, kind, posted, held, version from ledger_accounts
  where id = any($1::bigint[]) order by id for no key update`
// The offset keeps the planner from turning a join round: a plan made while a table is empty would read all of it later.
const LOCAL_IDS = `select t.merchant_id, t.local_id, t.object_id from unnest($1::uuid[], $2::text[]) u(m, k)
  cross join lateral (select * from local_ids t where t.merchant_id = u.m and t.local_id = u.k offset 0) t`
const ANSWERS = `select t.merchant_id, t.key, t.fingerprint, t.status, t.body from unnest($1::uuid[], $2::text[]) u(m, k)
  cross join lateral (select * from request_answers t where t.merchant_id = u.m and t.key = u.k offset 0) t`
const OPEN_HOLDS = `select t.merchant_id, t.id, e.account_id, e.held from unnest($1::uuid[], $2::uuid[]) u(m, h)
  join ledger_transfers t on t.merchant_id = u.m and t.id = u.h
  join ledger_entries e on e.transfer_id = t.id and e.held > 0
  where not exists (select from ledger_transfers c where c.merchant_id = t.merchant_id and c.closes = t.id)`

/**
 * The first trip: locks the accounts of a batch in id order (so no two batches can deadlock), then reads what the guards
 * need. All statements are sent at once; later ones see what the lock waited for.
 */
export const readForJudging = async (query: Query, ids: AccountIds, items: readonly Item[]): Promise<Reading> => {
  const accountIds = new Set(items.flatMap((item) => item.transfer.legs.map((leg) => ids.get(keyText(leg.account))!)))
  const localIds = items.filter((item) => item.localId)
  const answers = items.flatMap((item) => (item.answers?.keys ?? []).map(({ key }) => ({ merchantId: item.transfer.merchantId, key })))
  const holds = items.filter((item) => item.transfer.closes)
  const none: Record<string, unknown>[] = []
  const [accounts, taken, kept, open] = await Promise.all([
    query('ledger-lock', LOCK, [arrayLiteral('bigint', [...accountIds].sort((a, b) => a - b))]),
    localIds.length === 0
      ? none
      : query('ledger-local-ids', LOCAL_IDS, [
          arrayLiteral('uuid', localIds.map((item) => item.transfer.merchantId)),
          arrayLiteral('text', localIds.map((item) => item.localId!.value)),
        ]),
    answers.length === 0
      ? none
      : query('ledger-answers', ANSWERS, [
          arrayLiteral('uuid', answers.map((a) => a.merchantId)),
          arrayLiteral('text', answers.map((a) => a.key)),
        ]),
    holds.length === 0
      ? none
      : query('ledger-holds', OPEN_HOLDS, [
          arrayLiteral('uuid', holds.map((item) => item.transfer.merchantId)),
          arrayLiteral('uuid', holds.map((item) => item.transfer.closes!)),
        ]),
  ])
  return {
    accounts: new Map(accounts.map((r) => [`${r.merchant_id}/${r.asset}/${r.kind}`, headOf(r)])),
    localIds: new Map(taken.map((r) => [`${r.merchant_id}/${r.local_id}`, r.object_id as string])),
    answers: new Map(
      kept.map((r) => [
        `${r.merchant_id}/${r.key}`,
        { fingerprint: r.fingerprint as string, status: r.status as number, body: r.body as string },
      ]),
    ),
    openHolds: holdsOf(open),
  }
}

const headOf = (row: Record<string, unknown>): AccountHead => ({
  id: row.id as number,
  posted: row.posted as bigint,
  held: row.held as bigint,
  version: row.version as number,
})

const holdsOf = (rows: readonly Record<string, unknown>[]): Reading['openHolds'] => {
  const holds: Reading['openHolds'] = new Map()
  for (const row of rows) {
    const key = `${row.merchant_id}/${row.id}`
    const held = holds.get(key) ?? new Map<number, bigint>()
    holds.set(key, held.set(row.account_id as number, row.held as bigint))
  }
  return holds
}

const WRITE_HEAD = `with upd as (update ledger_accounts a set posted = n.p, held = n.h, version = n.v
    from unnest($1::bigint[], $2::numeric[], $3::numeric[], $4::bigint[]) n(id, p, h, v) where a.id = n.id),
  t as (insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, closes, created_at)
    select * from unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::uuid[], $10::uuid[], $11::timestamptz[])),
  l as (insert into local_ids(merchant_id, local_id, operation, object_id)
    select * from unnest($12::uuid[], $13::text[], $14::text[], $15::uuid[])),
  r as (insert into request_answers(merchant_id, key, fingerprint, status, body, created_at)
    select * from unnest($16::uuid[], $17::text[], $18::text[], $19::smallint[], $20::text[], $21::timestamptz[]))`
const WRITE_ENTRIES = `
  insert into ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after)
    select * from unnest($22::bigint[], $23::bigint[], $24::uuid[], $25::numeric[], $26::numeric[], $27::numeric[], $28::numeric[])`
const FIRST_ROW_PARAMETER = 29

/** The second trip: everything a judged batch writes, in one statement. */
export const writeJudged = async (query: Query, items: readonly Item[], judged: Judgement): Promise<void> => {
  if (judged.applied.length === 0 && judged.answers.length === 0) return
  const applied = judged.applied.map((i) => items[i]!)
  const transfers = applied.map((item) => item.transfer)
  const named = applied.filter((item) => item.localId)
  const { heads, entries, answers } = judged
  const at = items[0]!.transfer.at.toISOString()
  const values = [
    arrayLiteral('bigint', heads.map((h) => h.id)),
    arrayLiteral('numeric', heads.map((h) => h.posted)),
    arrayLiteral('numeric', heads.map((h) => h.held)),
    arrayLiteral('bigint', heads.map((h) => h.version)),
    arrayLiteral('uuid', transfers.map((t) => t.merchantId)),
    arrayLiteral('uuid', transfers.map((t) => t.id)),
    arrayLiteral('text', transfers.map((t) => t.kind)),
    arrayLiteral('text', transfers.map((t) => t.cause.kind)),
    arrayLiteral('uuid', transfers.map((t) => t.cause.id)),
    arrayLiteral('uuid', transfers.map((t) => t.closes ?? null)),
    arrayLiteral('timestamptz', transfers.map((t) => t.at.toISOString())),
    arrayLiteral('uuid', named.map((item) => item.transfer.merchantId)),
    arrayLiteral('text', named.map((item) => item.localId!.value)),
    arrayLiteral('text', named.map((item) => item.localId!.operation)),
    arrayLiteral('uuid', named.map((item) => item.transfer.cause.id)),
    arrayLiteral('uuid', answers.map((a) => a.merchantId)),
    arrayLiteral('text', answers.map((a) => a.key)),
    arrayLiteral('text', answers.map((a) => a.fingerprint)),
    arrayLiteral('smallint', answers.map((a) => a.answer.status)),
    arrayLiteral('text', answers.map((a) => a.answer.body)),
    arrayLiteral('timestamptz', answers.map(() => at)),
    arrayLiteral('bigint', entries.map((e) => e.accountId)),
    arrayLiteral('bigint', entries.map((e) => e.version)),
    arrayLiteral('uuid', entries.map((e) => e.transferId)),
    arrayLiteral('numeric', entries.map((e) => e.posted)),
    arrayLiteral('numeric', entries.map((e) => e.held)),
    arrayLiteral('numeric', entries.map((e) => e.postedAfter)),
    arrayLiteral('numeric', entries.map((e) => e.heldAfter)),
  ]
  const rows = rowsByTable(applied)
  let parameter = FIRST_ROW_PARAMETER
  let inserts = ''
  for (const { table, tuples } of rows) {
    const arrays = table.columns.map((column) => `$${parameter++}::${column.type}[]`)
    inserts += `,\n  row_${table.name} as (insert into ${table.name}(${table.columns.map((c) => c.name).join(', ')})
    select * from unnest(${arrays.join(', ')}))`
    table.columns.forEach(({ type }, i) => values.push(arrayLiteral(type, tuples.map((tuple) => tuple[i]!))))
  }
  const name = `ledger-write ${rows.map((r) => r.table.name).join(' ')}`
  await query(name, WRITE_HEAD + inserts + WRITE_ENTRIES, values)
}

/** Tables in one fixed order, so that statements with the same tables are the same statement. */
const rowsByTable = (items: readonly Item[]): { table: RowTable; tuples: (readonly Scalar[])[] }[] => {
  const byName = new Map<string, { table: RowTable; tuples: (readonly Scalar[])[] }>()
  for (const row of items.flatMap((item) => item.rows ?? [])) {
    if (row.values.length !== row.table.columns.length) throw new RangeError(`${row.table.name}: values and columns`)
    const group = byName.get(row.table.name) ?? { table: row.table, tuples: [] }
    group.tuples.push(row.values)
    byName.set(row.table.name, group)
  }
  return [...byName.values()].sort((a, b) => (a.table.name < b.table.name ? -1 : 1))
}
