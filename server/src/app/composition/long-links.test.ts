/** Payment links with few invoices, in a merchant with many: the rows that their pages read. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { explain } from '../../../../test/setup/explaining.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { fillListed, LISTED } from '../../../../test/world/listed.ts'
import { createDb, createPool, type Db } from '../../platform/db/index.ts'
import { firstPage } from '../../platform/lists/page.ts'
import { countLinkInvoices, listInvoices } from '../../pay-in/crypto-invoices/index.ts'
import { countFiatLinkInvoices, listFiatInvoices } from '../../pay-in/fiat-invoices/index.ts'

const ROWS = 20_000
const [OLD_LINK, USED_LINK] = [randomUUID(), randomUUID()]
const PAGE = firstPage(10)
const ANY = {
  ids: null,
  states: null,
  ticker: null,
  blockchain: null,
  meta: null,
  email: null,
  address: null,
  unitsFrom: null,
  unitsTo: null,
}
/** More than the pages of an index that lead to a few rows, and those rows. */
const MOST_BUFFERS = 60

const database = useDatabase({ template: migrated })
const pools: { end(): Promise<void> }[] = []
const seen: Statement[] = []
let db: Db
let watched: Db

beforeAll(async () => {
  const [pool, watching] = [
    createPool({ url: database.url, statementMs: 600_000 }),
    createWatchedPool(database.url, (statement) => seen.push(statement)),
  ]
  pools.push(pool, watching)
  db = createDb(pool)
  watched = createDb(watching)
  // Rows are to be many, not right.
  const { rows } = await sql<{
    drop: string
  }>`select format('alter table %I drop constraint %I', conrelid::regclass, conname) as drop
    from pg_constraint where contype in ('c', 'f') and conrelid in ('crypto_invoices'::regclass, 'fiat_invoices'::regclass)`.execute(
    db,
  )
  for (const { drop } of rows) await sql.raw(drop).execute(db)
  await withoutTriggers(db, async (tx) => {
    await fillListed(tx, 1, ROWS, ['crypto_invoices', 'fiat_invoices'])
    // Raw: the oldest invoices are of one link; of another, thousands ended unpaid before a few that count.
    for (const [table, ended] of [
      ['crypto_invoices', 'expired'],
      ['fiat_invoices', 'failed'],
    ] as const) {
      await sql`update ${sql.table(table)} set link_id = ${OLD_LINK} where merchant_id = ${LISTED}
        and units <= 1000000`.execute(tx)
      await sql`update ${sql.table(table)} set link_id = ${USED_LINK}, state = ${ended} where merchant_id = ${LISTED}
        and units > 10000000`.execute(tx)
      await sql`update ${sql.table(table)} set state = 'created' where link_id = ${USED_LINK} and units > 19995000`.execute(
        tx,
      )
    }
  })
  await sql`vacuum analyze`.execute(db)
})
afterAll(async () => {
  for (const pool of pools) await pool.end()
})

test.each<[string, () => Promise<unknown>, unknown]>([
  [
    'the crypto invoices of an old link',
    async () => (await listInvoices(watched, LISTED, { ...ANY, linkId: OLD_LINK }, PAGE)).rows.length,
    10,
  ],
  [
    'the card invoices of an old link',
    async () => (await listFiatInvoices(watched, LISTED, { ...ANY, linkId: OLD_LINK }, PAGE)).rows.length,
    10,
  ],
  ['the count of crypto invoices', () => countLinkInvoices(watched, LISTED, USED_LINK, 10), 4],
  ['the count of card invoices', () => countFiatLinkInvoices(watched, LISTED, USED_LINK, 10), 4],
])('%s reads those invoices only', async (_, ask, found) => {
  seen.length = 0
  expect(await ask()).toBe(found)
  let buffers = 0
  for (const { text, values } of seen) {
    const plan = (await explain(db, text, values))!
    buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  expect(buffers).toBeLessThan(MOST_BUFFERS)
})
