import { ANSWERS as ANSWERS_TABLE } from '../../platform/api/answers.ts'
import type { Query } from '../../platform/db/index.ts'
import { arrayLiteral, type Scalar } from './array-literal.ts'
import { keyText, ruleOf, type AccountKey } from './accounts.ts'
import type { AccountHead, Judgement, Reading } from './judge.ts'
import { Parameters } from './parameters.ts'
import type { Item, RowTable } from './posting.ts'

/** Account ids by `keyText`. Ids never change, so they may be cached without limit. */
export type AccountIds = Map<string, number>

const FIND_ACCOUNTS = `select a.id, a.merchant_id, a.asset, a.kind from unnest($1::uuid[], $2::text[], $3::text[]) u(m, a, k)
  join ledger_accounts a on a.merchant_id = u.m and a.asset = u.a and a.kind = u.k`
const OPEN_ACCOUNTS = `insert into ledger_accounts(merchant_id, asset, kind, bounded)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) on conflict do nothing`

/** Makes sure every account of the items exists and its id is in `ids`. */
export const openAccounts = async (query: Query, ids: AccountIds, items: readonly Item[]): Promise<void> => {
  const unknown = new Map<string, AccountKey>()
  for (const { transfer } of items) {
    for (const { account } of transfer.entries) {
      const key = keyText(account)
      if (!ids.has(key)) unknown.set(key, account)
    }
  }
  if (unknown.size === 0) return
  const missing = [...unknown.values()]
  // Always in the same order, so that two processes that open the same accounts can't deadlock.
  missing.sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1))
  const columns = [missing.map((k) => k.merchantId), missing.map((k) => k.asset), missing.map((k) => k.kind)]
  let rows = await query('ledger-find', FIND_ACCOUNTS, columns)
  if (rows.length < missing.length) {
    await query('ledger-open', OPEN_ACCOUNTS, [...columns, missing.map((k) => ruleOf(k.kind).bounded)])
    rows = await query('ledger-find', FIND_ACCOUNTS, columns)
  }
  for (const row of rows) ids.set(`${row.merchant_id}/${row.asset}/${row.kind}`, row.id as number)
}

const LOCK = `select id, posted, held, version from ledger_accounts
  where id = any($1::bigint[]) order by id for no key update`
// The offset prevents the planner from reversing a join: a plan made while a table is empty would later read all of it.
const LOCAL_IDS = `select t.merchant_id, t.local_id, t.object_id from unnest($1::uuid[], $2::text[]) u(m, k)
  cross join lateral (select * from local_ids t where t.merchant_id = u.m and t.local_id = u.k offset 0) t`
const ANSWERS = `select t.merchant_id, t.key, t.fingerprint, t.status, t.body from unnest($1::uuid[], $2::text[]) u(m, k)
  cross join lateral (select * from request_answers t where t.merchant_id = u.m and t.key = u.k offset 0) t`
const OPEN_HOLDS = `select t.merchant_id, t.id, e.account_id, e.held from unnest($1::uuid[], $2::uuid[]) u(m, h)
  join ledger_transfers t on t.merchant_id = u.m and t.id = u.h
  join ledger_entries e on e.transfer_id = t.id and e.held > 0
  where not exists (select from ledger_transfers c where c.merchant_id = t.merchant_id and c.closes = t.id)`

/**
 * The first round trip: locks the accounts of a batch in id order (so no two batches can deadlock), then reads the rows
 * that the guards need. All statements are sent at once; later ones see the changes that the lock waited for.
 */
export const readForJudging = async (query: Query, ids: AccountIds, items: readonly Item[]): Promise<Reading> => {
  const accountKeys = new Map<number, string>()
  for (const { transfer } of items) {
    for (const { account } of transfer.entries) {
      const key = keyText(account)
      accountKeys.set(ids.get(key)!, key)
    }
  }
  const localIds = items.filter((item) => item.localId)
  const answers = items.flatMap((item) =>
    (item.answers?.keys ?? []).map(({ key }) => ({ merchantId: item.transfer.merchantId, key })),
  )
  const holds = items.filter((item) => item.transfer.closes)
  const none: Record<string, unknown>[] = []
  const [accounts, taken, answered, open] = await Promise.all([
    query('ledger-lock', LOCK, [
      arrayLiteral(
        'bigint',
        [...accountKeys.keys()].sort((a, b) => a - b),
      ),
    ]),
    localIds.length === 0
      ? none
      : query('ledger-local-ids', LOCAL_IDS, [
          arrayLiteral(
            'uuid',
            localIds.map((item) => item.transfer.merchantId),
          ),
          arrayLiteral(
            'text',
            localIds.map((item) => item.localId!.value),
          ),
        ]),
    answers.length === 0
      ? none
      : query('ledger-answers', ANSWERS, [
          arrayLiteral(
            'uuid',
            answers.map((a) => a.merchantId),
          ),
          arrayLiteral(
            'text',
            answers.map((a) => a.key),
          ),
        ]),
    holds.length === 0
      ? none
      : query('ledger-holds', OPEN_HOLDS, [
          arrayLiteral(
            'uuid',
            holds.map((item) => item.transfer.merchantId),
          ),
          arrayLiteral(
            'uuid',
            holds.map((item) => item.transfer.closes!),
          ),
        ]),
  ])
  return {
    accounts: new Map(accounts.map((r) => [accountKeys.get(r.id as number)!, headOf(r)])),
    localIds: new Map(taken.map((r) => [`${r.merchant_id}/${r.local_id}`, r.object_id as string])),
    answers: new Map(
      answered.map((r) => [
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

/** The second round trip: writes everything of a judged batch in one statement. */
export const writeJudged = async (query: Query, items: readonly Item[], judged: Judgement): Promise<void> => {
  if (judged.applied.length === 0 && judged.answers.length === 0) return
  const { text, values } = writeStatement(items, judged)
  await query(nameOf(text), text, values)
}

const writeStatement = (
  items: readonly Item[],
  { applied, heads, entries, answers }: Judgement,
): { text: string; values: string[] } => {
  const done = applied.map((index) => items[index]!)
  const transfers = done.map((item) => item.transfer)
  const named = done.filter((item) => item.localId)
  const parameters = new Parameters()
  // Arrays are unnested in the select list, in parallel; in the from clause each would be materialised first.
  const arrays = <T>(
    of: readonly T[],
    columns: readonly (readonly [type: string, value: (one: T) => Scalar])[],
  ): string => columns.map(([type, value]) => `unnest(${parameters.array(type, of.map(value))})`).join(', ')
  const insert = (into: string, from: string): string => `insert into ${into} select ${from}`
  const parts = [
    `upd as (update ledger_accounts a set posted = n.p, held = n.h, version = n.v from (select ${arrays(heads, [
      ['bigint', (h) => h.id],
      ['numeric', (h) => h.posted],
      ['numeric', (h) => h.held],
      ['bigint', (h) => h.version],
    ])}) n(id, p, h, v) where a.id = n.id)`,
    `t as (${insert(
      'ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, closes, created_at)',
      arrays(transfers, [
        ['uuid', (t) => t.merchantId],
        ['uuid', (t) => t.id],
        ['text', (t) => t.kind],
        ['text', (t) => t.cause.kind],
        ['uuid', (t) => t.cause.id],
        ['uuid', (t) => t.closes ?? null],
        ['timestamptz', (t) => t.at.toISOString()],
      ]),
    )})`,
    `l as (${insert(
      'local_ids(merchant_id, local_id, operation, object_id)',
      arrays(named, [
        ['uuid', (item) => item.transfer.merchantId],
        ['text', (item) => item.localId!.value],
        ['text', (item) => item.localId!.operation],
        ['uuid', (item) => item.transfer.cause.id],
      ]),
    )})`,
    `r as (${insert(
      ANSWERS_TABLE,
      arrays(answers, [
        ['uuid', (a) => a.merchantId],
        ['text', (a) => a.key],
        ['text', (a) => a.fingerprint],
        ['smallint', (a) => a.answer.status],
        ['text', (a) => a.answer.body],
        ['timestamptz', (a) => a.at.toISOString()],
      ]),
    )})`,
    ...rowsByTable(done).map(({ table: { name, columns }, tuples }) => {
      const into = `${name}(${columns.map((column) => column.name).join(', ')})`
      return `row_${name} as (${insert(
        into,
        arrays(
          tuples,
          columns.map(({ type }, i) => [type, (tuple) => tuple[i]!] as const),
        ),
      )})`
    }),
  ]
  const last = insert(
    'ledger_entries(account_id, version, transfer_id, posted, held, posted_after, held_after)',
    arrays(entries, [
      ['bigint', (e) => e.accountId],
      ['bigint', (e) => e.version],
      ['uuid', (e) => e.transferId],
      ['numeric', (e) => e.posted],
      ['numeric', (e) => e.held],
      ['numeric', (e) => e.postedAfter],
      ['numeric', (e) => e.heldAfter],
    ]),
  )
  return { text: `with ${parts.join(',\n')}\n${last}`, values: parameters.values }
}

/** Most prepared statements: each combination of equal arrays makes one, and connections keep their plans. */
const MOST_KINDS = 100
/**
 * Names of prepared statements: batches of one kind share a statement, whose plan each connection keeps. Beyond the
 * first kinds, a statement is planned each time.
 */
const names = new Map<string, string>()
const nameOf = (text: string): string => {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST_KINDS) return known ?? UNNAMED
  const name = `ledger-write-${names.size + 1}`
  names.set(text, name)
  return name
}
const UNNAMED = ''

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
