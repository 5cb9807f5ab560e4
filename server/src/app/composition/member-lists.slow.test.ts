/**
 * Lists of the dashboard that the API does not have: a page reads as much of a small table as of a large one. The
 * statements are collected as the lists run, and explained on both. Takes ten seconds; `npm run test:long` fills a
 * million rows.
 */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { isLong } from '../../../../test/setup/cases.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { measure, type Measured } from '../../../../test/setup/explaining.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { listRefunds } from '../../cards/acquiring/index.ts'
import { listRefused } from '../../merchants/refused-requests/index.ts'
import { listClaimsOf } from '../../pay-in/crypto-invoices/index.ts'
import { listRequests, openRefundOf } from '../../pay-out/requests/index.ts'
import { createDb, createPool, type Db, type Tx } from '../../platform/db/index.ts'

const [SMALL, LARGE] = [10_000, isLong ? 1_000_000 : 100_000]
/** Buffers that deeper indexes and an uneven page may add. */
const EXTRA = 20
const PAGE = 25

/** The merchants: the second has every fifth row. */
const [MERCHANT, OTHER] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const
const SINCE = Date.UTC(2026, 0, 1)
const timeOf = (row: number): Date => new Date(SINCE + row * 60_000)
const AT = `timestamptz '2026-01-01T00:00:00Z' + i * interval '1 minute'`
const ID = `('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`
const idOf = (row: number): string => `00000000-0000-7000-8000-${row.toString(16).padStart(12, '0')}`
const OF = `(case when i % 5 = 0 then '${OTHER}' else '${MERCHANT}' end)::uuid`
const OWN = { merchant_id: OF, id: ID }

/** Tables with the SQL of their columns. All requests have ended. */
const TABLES: readonly (readonly [table: string, columns: Readonly<Record<string, string>>])[] = [
  [
    'payout_requests',
    {
      ...OWN,
      kind: "case when i % 3 = 0 then 'card' else 'one' end",
      refund_of: `case when i % 3 = 0 then ${ID} end`,
      state: "(array['placed', 'refused', 'withdrawn', 'waiting', 'failed'])[1 + i % 5]",
      created_at: AT,
      expires_at: `${AT} + interval '72 hours'`,
      decided_at: AT,
    },
  ],
  [
    'payout_lines',
    {
      merchant_id: OF,
      request_id: ID,
      number: '1',
      ticker: "'BTC'",
      state: "'placed'",
      withdrawal_id: ID,
      ended_at: AT,
    },
  ],
  ['payment_links', { ...OWN, token: "'token' || i", created_at: AT }],
  ['crypto_invoices', { ...OWN, ticker: "'BTC'", blockchain: "'BITCOIN'", units: '1', created_at: AT }],
  [
    'refund_claims',
    { ...OWN, invoice_id: ID, state: "(array['requested', 'refused', 'sent'])[1 + i % 3]", requested_at: AT },
  ],
  ['payments', { ...OWN, created_at: AT }],
  [
    'payment_refunds',
    {
      ...OWN,
      payment_id: ID,
      state: "(array['done', 'refused', 'requested'])[1 + i % 3]",
      ticker: "'UAH'",
      created_at: AT,
    },
  ],
  ['refused_requests', { merchant_id: OF, at: AT, request_id: "'r' || i" }],
]

/** Every list with its filters, at its first page, at its last page, and after all rows. @param rows of each table */
const listsOf = (db: Db, rows: number): Readonly<Record<string, () => Promise<unknown>>> => {
  const now = timeOf(rows + 10_000)
  const requests = (after: string | null, more: { openAt?: Date; isRefund?: boolean } = {}) =>
    listRequests(db, MERCHANT, { after, limit: PAGE, openAt: null, ...more })
  const page = (after: string | null, isNarrow = false) => ({
    limit: PAGE,
    after,
    timeFrom: isNarrow ? timeOf(5_000) : null,
    timeTo: isNarrow ? timeOf(6_000) : null,
    aheadMs: 0,
  })
  const [any, last] = [{ ids: null, states: null, ticker: null }, idOf(51)]
  return {
    'requests, first page': () => requests(null),
    'requests, last page': () => requests(last),
    'open requests': () => requests(null, { openAt: now }),
    'open requests of refunds': () => requests(null, { openAt: now, isRefund: true }),
    'the open request of a refund': () => openRefundOf(db, MERCHANT, idOf(6_003), now),
    'claims, first page': () => listClaimsOf(db, MERCHANT, any, page(null)),
    'claims, last page': () => listClaimsOf(db, MERCHANT, any, page(last)),
    'claims of days': () => listClaimsOf(db, MERCHANT, any, page(null, true)),
    'claims of a state': () => listClaimsOf(db, MERCHANT, { ...any, states: ['sent'] }, page(null)),
    'claims of a state that none has': () => listClaimsOf(db, MERCHANT, { ...any, states: ['failed'] }, page(null)),
    'claims of an asset that none has': () => listClaimsOf(db, MERCHANT, { ...any, ticker: 'ETH' }, page(null)),
    'card refunds, first page': () => listRefunds(db, MERCHANT, any, page(null)),
    'card refunds, last page': () => listRefunds(db, MERCHANT, any, page(last)),
    'card refunds of days': () => listRefunds(db, MERCHANT, any, page(null, true)),
    'card refunds of a state that none has': () => listRefunds(db, MERCHANT, { ...any, states: ['asked'] }, page(null)),
    'card refunds of a currency that none has': () => listRefunds(db, MERCHANT, { ...any, ticker: 'KZT' }, page(null)),
    'refused requests, first page': () => listRefused(db, MERCHANT, undefined, PAGE),
    'refused requests, last page': () => listRefused(db, MERCHANT, `${timeOf(51).getTime()}-r51`, PAGE),
  }
}

const database = useDatabase({ template: migrated })

test('a page of a list of members reads no more of a large table than of 10,000 rows, with any filter', async () => {
  const pool = createPool({ url: database.url, statementMs: 600_000 })
  const db = createDb(pool)
  // Rows are to be many, not right.
  const { rows: checks } = await sql<{
    drop: string
  }>`select format('alter table %I drop constraint %I', conrelid::regclass::text, conname) as drop
    from pg_constraint where contype in ('c', 'f') and connamespace = 'public'::regnamespace`.execute(db)
  for (const { drop } of checks) await sql.raw(drop).execute(db)
  for (const [table] of TABLES) await sql.raw(`alter table ${table} set unlogged`).execute(db)
  const seen: Statement[] = []
  const watched = createWatchedPool(database.url, (statement) => seen.push(statement))
  const grow = async (from: number, to: number): Promise<void> => {
    await withoutTriggers(db, async (tx) => {
      for (const [table, columns] of TABLES) await fill(tx, table, from, to, columns)
    })
    for (const [table] of TABLES) await sql.raw(`vacuum analyze ${table}`).execute(db)
  }
  const measureAll = async (rows: number, plan: (tx: Tx) => Promise<void>): Promise<Map<string, Measured>> => {
    const measured = new Map<string, Measured>()
    for (const [name, list] of Object.entries(listsOf(createDb(watched), rows))) {
      seen.length = 0
      await list()
      expect(seen.length, name).toBeGreaterThan(0)
      measured.set(name, await measure(db, seen, plan))
    }
    return measured
  }
  await grow(1, SMALL)
  // A small table would be read as a whole where it is large enough for an index only when it has grown.
  const small = await measureAll(SMALL, async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
  })
  await grow(SMALL + 1, LARGE)
  const large = await measureAll(LARGE, async () => {})
  await watched.end()
  await pool.end()
  const findings = [...large].flatMap(([name, { buffers, scans }]) => {
    const before = small.get(name)!.buffers
    const more = buffers > before * 1.5 + EXTRA ? [`${name}: ${before} buffers grew to ${buffers}`] : []
    return [...scans.map((table) => `${name}: reads all of ${table}`), ...more]
  })
  expect(findings).toEqual([])
})
