/**
 * A page of a list reads as much of a small table as of a large one, with every filter, alone and with a range of
 * times. The statements are collected from the routes as they run, and explained on both. `npm run test:long` fills a
 * million rows.
 */
import { createHash } from 'node:crypto'
import { operations, type Operation } from '@bursar/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isLong } from '../../../../test/setup/cases.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { measure, type Measured } from '../../../../test/setup/explaining.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createDb, createPool, type Db, type Tx } from '../../platform/db/index.ts'
import { listRoutes } from './lists.ts'
import {
  fillListed,
  LARGE_LISTED,
  LISTED,
  LISTED_ROWS,
  LISTED_SINCE,
  listedWorld,
  MINUTE,
} from '../../../../test/world/listed.ts'

const [SMALL, MEDIUM, LARGE] = [10_000, 40_000, isLong ? 1_000_000 : 200_000]
/** Buffers that deeper indexes and an uneven page may add. */
const EXTRA = 20
/** Of a range of entries: its two ends are found by halving, which takes a few steps more in a longer balance. */
const HALVING = 150

type Query = Readonly<Record<string, string>>

/** The row that the filters name; all tables have it. */
const NAMED = 5_048
const HEX = (LISTED_SINCE + NAMED * MINUTE).toString(16).padStart(12, '0')
const NAMED_ID = `${HEX.slice(0, 8)}-${HEX.slice(8)}-7000-8000-${NAMED.toString(16).padStart(12, '0')}`
/** Ids of fiat invoices are random. */
const RANDOM_ID = createHash('md5')
  .update(String(NAMED))
  .digest('hex')
  .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Values of filters in any list. */
const VALUES: Query = {
  ids: NAMED_ID,
  status: 'Failed',
  ticker: 'BTC',
  spendTicker: 'BTC',
  targetTicker: 'USDT',
  blockchain: 'BITCOIN',
  amountFrom: '0.05',
  meta: `meta ${NAMED / 4}`,
  localId: `local-${NAMED}`,
  email: `payer${Math.floor(NAMED / 8)}@example.com`,
}
/** The table of each list, and what differs in it. */
const LISTS: Readonly<Record<string, { table: string; values?: Query; order?: string }>> = {
  listDeposits: {
    table: 'deposits',
    values: { address: `address${Math.floor(NAMED / 40)}n${NAMED % 4}`, hash: `tx${Math.floor(NAMED / 8)}` },
  },
  listCryptoWithdrawals: {
    table: 'withdrawals',
    values: { address: `to${Math.floor(NAMED / 20)}`, hash: `0xmined${NAMED / 2}` },
  },
  listCryptoInvoices: { table: 'crypto_invoices', values: { status: 'EXPIRED', address: `invoice${NAMED}` } },
  listFiatInvoices: {
    table: 'fiat_invoices',
    values: { status: 'FAILED', ticker: 'UAH', ids: RANDOM_ID },
    order: 'created_at',
  },
  listPaymentLinks: { table: 'payment_links', values: { status: 'DISABLED', method: 'CARD', ticker: 'UAH' } },
  listCardPayouts: { table: 'card_payouts', values: { status: 'PENDING', ticker: 'UAH' } },
  listExchanges: { table: 'exchanges' },
  listEntries: { table: 'ledger_entries', values: { ticker: 'USDT' } },
}
const NOT_FILTERS = ['limit', 'after', 'format', 'timeFrom', 'timeTo', 'amountTo']

/** Every filter of a list, alone and with a range of times. */
const queriesOf = ({ id, query }: Operation): Query[] => {
  const values = { ...VALUES, ...LISTS[id]!.values }
  const needed: Query = id === 'listEntries' ? { ticker: 'USDT' } : {}
  const filters = Object.keys(query!.properties)
    .filter((name) => !NOT_FILTERS.includes(name))
    .map((name) => ({
      ...(name === 'amountFrom' ? { ticker: (values as Query)['ticker']! } : {}),
      [name]: (values as Query)[name]!,
    }))
  const at = (row: number): string => String(LISTED_SINCE + row * MINUTE)
  const range = { timeFrom: at(NAMED - 1_000), timeTo: at(NAMED + 1_000) }
  return [{}, ...filters].flatMap((one) => [
    { ...needed, ...one },
    { ...needed, ...one, ...range },
  ])
}

/** Indexes that the lists use, beside primary keys. */
const USED = [
  'deposits_source',
  'deposits_of_address',
  'withdrawals_outgoing',
  'outgoing_attempts_hash',
  'crypto_invoices_address',
  'crypto_invoices_email',
  'crypto_invoices_meta',
  'addresses_address',
  'refund_claims_invoice',
  'fiat_invoices_time',
  'fiat_invoices_email',
  'fiat_invoices_meta',
  'payment_links_local_id',
  'exchange_withdrawals_exchange',
] as const

const database = useDatabase({ template: migrated })

test('a page of a list reads no more of a large table than of one of 10,000 rows, with any filter', async () => {
  const pool = createPool({ url: database.url, statementMs: 600_000 })
  const db = createDb(pool)
  // Rows are to be many, not right.
  const { rows: checks } = await sql<{
    drop: string
  }>`select format('alter table %I drop constraint %I', conrelid::regclass::text, conname) as drop
    from pg_constraint where contype in ('c', 'f', 'u') and connamespace = 'public'::regnamespace order by contype = 'u'`.execute(
    db,
  )
  for (const { drop } of checks) await sql.raw(drop).execute(db)
  // Indexes that no list uses would only take time to fill.
  for (const [table] of LISTED_ROWS) {
    const { rows: indexes } = await sql<{ name: string }>`select indexname as name from pg_indexes
      where tablename = ${table} and indexname <> all(${[...USED]}::text[]) and indexname not like '%_pkey'`.execute(db)
    for (const { name } of indexes) await sql.raw(`drop index ${name}`).execute(db)
  }
  for (const table of LARGE_LISTED) await sql.raw(`alter table ${table} set unlogged`).execute(db)
  const seen: Statement[] = []
  const watched = createWatchedPool(database.url, (statement) => seen.push(statement))
  const routes = listRoutes(listedWorld(createDb(watched)))
  const lists = operations.filter(({ id }) => routes.some(({ operation }) => operation === id))

  const measureAll = async (plan: (tx: Tx) => Promise<void>, among = lists): Promise<Map<string, Measured>> => {
    const measured = new Map<string, Measured>()
    for (const operation of among) {
      const route = routes.find((one) => one.operation === operation.id)!
      for (const [page, end] of [
        ['first', {}],
        ['last', await lastPage(db, operation)],
      ] as const)
        for (const query of queriesOf(operation)) {
          seen.length = 0
          const request = { merchantId: LISTED, params: {}, query: { ...query, ...end }, answerKeys: [] }
          await route.handle(request as never)
          const name = `${operation.id}, ${page} page, ${Object.keys(query).join(' and ') || 'no filter'}`
          measured.set(name, await measure(db, seen, plan))
        }
    }
    return measured
  }

  await makeMerchant(db, LISTED_SINCE, { id: LISTED })
  await withoutTriggers(db, (tx) => fillListed(tx, 1, SMALL))
  const entries = lists.filter(({ id }) => id === 'listEntries')
  const unanalyzed = await measureAll(async () => {}, entries)
  await analyze(db)
  const small = await measureAll(withIndexesOnly)
  await withoutTriggers(db, (tx) => fillListed(tx, SMALL + 1, MEDIUM))
  await withoutTriggers(db, (tx) => fillListed(tx, MEDIUM + 1, LARGE, LARGE_LISTED))
  await analyze(db)
  // A merchant grows before PostgreSQL counts its rows: the planner expects few of them.
  for (const column of ['account_id', 'version'])
    await sql`select pg_clear_attribute_stats('public', 'ledger_entries', ${column}, false)`.execute(db)
  const grown = await measureAll(async () => {}, entries)
  await analyze(db)
  const large = await measureAll(async () => {})
  await watched.end()
  await pool.end()

  const findings = [...large, ...grown, ...unanalyzed].flatMap(([name, { buffers, scans }]) => {
    const before = small.get(name)!.buffers
    const more =
      buffers > before * 1.5 + EXTRA + (/^listEntries.*timeFrom/.test(name) ? HALVING : 0)
        ? [`${name}: ${before} buffers grew to ${buffers}`]
        : []
    return [...scans.map((table) => `${name}: reads all of ${table}`), ...more]
  })
  expect(findings).toEqual([])
  expect(large.size).toBeGreaterThan(60)
})

const analyze = async (db: Db): Promise<void> => {
  for (const [table] of LISTED_ROWS) await sql.raw(`vacuum analyze ${table}`).execute(db)
}

/** The cursor behind which the oldest rows are. */
const lastPage = async (db: Db, { id }: Operation): Promise<Query> => {
  const { table, order = 'id' } = LISTS[id]!
  const key =
    order === 'id' ? sql`t.id::text` : sql`(extract(epoch from t.created_at) * 1000000)::bigint::text || '/' || t.id`
  const { rows } =
    id === 'listEntries'
      ? { rows: [{ key: '50' }] }
      : await sql<{ key: string }>`select ${key} as key from ${sql.table(table)} t where t.merchant_id = ${LISTED}
        order by ${sql.ref(`t.${order}`)} limit 1 offset 50`.execute(db)
  return { after: Buffer.from(`${id}/${rows[0]!.key}`).toString('base64url') }
}

/** A small table would be read as a whole where it is large enough for an index only when it has grown. */
const withIndexesOnly = async (tx: Tx): Promise<void> => {
  await sql`set local enable_seqscan = off`.execute(tx)
}
