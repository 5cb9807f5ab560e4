/** The command that erases a payer's e-mail address, as it is typed. */
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { useInstallation } from '../../../../test/world/installation.ts'
import { fillListed, LISTED, OTHER } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { listActions } from '../../platform/operators/index.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'

const { db, env } = useInstallation()
const PAYER = 'Anna@Payer.example'
const bursar = (...words: string[]) => captured(() => runCommand(words, env))

beforeEach(async () => {
  await emptyTables(db)
  for (const id of [LISTED, OTHER]) await makeMerchant(db, 1_800_000_000_000, { id })
  await withoutTriggers(db, async (tx) => {
    await fillListed(tx, 1, 40)
    for (const table of ['crypto_invoices', 'fiat_invoices'])
      await sql`update ${sql.table(table)} set email = ${PAYER} where right(id::text, 1) in ('1', '2', '3')`.execute(tx)
    await sql`insert into mails(merchant_id, id, kind, about, recipient, mailbox, audience, language, data, next_at, created_at, updated_at)
      select m, gen_random_uuid(), 'paid', 'invoice', ${PAYER}, 'anna@payer.example', audience, 'en', '{}', now(), now(), now()
      from unnest(array[${LISTED}, ${OTHER}]::uuid[], array['payer', 'payer']) u(m, audience)`.execute(tx)
    await sql`insert into payments(merchant_id, id, invoice_id, acquirer, tried, ticker, units, description, email, language, return_url, expires_at, state, created_at, updated_at)
      values (${LISTED}, gen_random_uuid(), gen_random_uuid(), 'first', '{}', 'UAH', 100, 'Coffee', ${PAYER}, 'en', 'https://shop.example', now(), 'refused', now(), now())`.execute(
      tx,
    )
  })
})

// What was inserted raw is in no books.
afterAll(() => emptyTables(db))

/** Every column of text in which the address stands, with the number of its rows. */
const found = async (): Promise<Record<string, number>> => {
  const { rows } = await sql<{
    table: string
    column: string
  }>`select c.table_name as "table", c.column_name as "column"
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb')`.execute(db)
  const counts: Record<string, number> = {}
  for (const { table, column } of rows) {
    const [row] = (
      await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}
        where ${sql.ref(column)}::text ilike ${'%anna@payer.example%'}`.execute(db)
    ).rows
    if (row!.count > 0) counts[`${table}.${column}`] = row!.count
  }
  return counts
}

test('payer erase removes the address from every table, in any case, and from the record of the command', async () => {
  const before = await found()
  expect(Object.keys(before).toSorted()).toEqual([
    'crypto_invoices.email',
    'fiat_invoices.email',
    'mails.mailbox',
    'mails.recipient',
    'payments.email',
  ])
  const units = async () => (await sql`select id, units, paid_units from crypto_invoices order by id`.execute(db)).rows
  const books = await units()
  const { code, text } = await bursar('payer', 'erase', 'anna@payer.example', '--yes')
  expect([code, text.includes('anna@')]).toEqual([0, false])
  expect(await found()).toEqual({})
  expect(await units()).toEqual(books)
  const [action] = await listActions(db, { most: 1, command: 'payer' })
  expect(action).toMatchObject({ command: 'payer erase', outcome: 'done', arguments: { EMAIL: '[e-mail address]' } })
})

test('payer erase --merchant leaves the address at other merchants', async () => {
  await bursar('payer', 'erase', PAYER, '--merchant', LISTED, '--yes')
  const { rows } = await sql<{ merchant: string }>`select distinct merchant_id as merchant from (
    select merchant_id from crypto_invoices where email is not null and email = ${PAYER}
    union all select merchant_id from fiat_invoices where email = ${PAYER}
    union all select merchant_id from mails where recipient = ${PAYER}) x`.execute(db)
  expect(rows).toEqual([{ merchant: OTHER }])
})

test.each([
  ['anna@кава.укр', 'Anna@кава.укр'],
  ['anna@кава.укр', 'anna@xn--80aaf4a.xn--j1amh'],
  ['anna@xn--80aaf4a.xn--j1amh', 'anna@кава.укр'],
  ['anna!@[10.0.0.1]', 'anna!@[10.0.0.1]'],
  ['anna@localhost', 'ANNA@localhost'],
])('payer erase finds the address %s of a crypto invoice by %s', async (stored, typed) => {
  await withoutTriggers(db, (tx) => sql`update crypto_invoices set email = ${stored}`.execute(tx))
  expect(await bursar('payer', 'erase', typed, '--yes')).toMatchObject({ code: 0 })
  const { rows } = await sql`select count(*)::int as n from crypto_invoices where email is not null`.execute(db)
  expect(rows).toEqual([{ n: 0 }])
  const [action] = await listActions(db, { most: 1, command: 'payer' })
  expect(JSON.stringify(action)).not.toMatch(/anna/i)
})

test('payer erase refuses a text that is no address', async () => {
  const { code, err } = await bursar('payer', 'erase', 'anna', '--yes')
  expect([code, err.includes('EMAIL is one e-mail address')]).toEqual([2, true])
})
