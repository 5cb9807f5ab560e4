/** Anyone can send dust to the address of an invoice, as often as they like: thousands of deposits, inserted raw. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { explain } from '../../../../test/setup/explaining.ts'
import { fill } from '../../../../test/setup/filling.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { createWatchedPool, type Statement } from '../../../../test/setup/watched-pool.ts'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { listedWorld, NOTIFIED_STATUS } from '../../../../test/world/listed.ts'
import { largestDepositsAt } from '../../pay-in/deposits/index.ts'
import { createDb } from '../../platform/db/index.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, memberOf } = useDashboard({ catalogue })
const DUST = 20_000
const INVOICE = '00000000-0000-7000-8000-00000000aaaa'
const CARD_INVOICE = '00000000-0000-7000-8000-00000000cccc'
const ATTEMPTS = 60
const PAID_HASH = 'ab'.repeat(32)
let member: TestBrowser

beforeAll(async () => {
  member = await memberOf(edge.merchant.id)
  const merchant_id = `'${edge.merchant.id}'::uuid`
  const address_id = "'00000000-0000-4000-8000-00000000bbbb'::uuid"
  const ofAddress = {
    merchant_id,
    address_id,
    network: "'BITCOIN'",
    asset: "'BTC'",
    address: "'invoice'",
    fee_units: '0',
  }
  await withoutTriggers(edge.db, async (tx) => {
    await fill(tx, 'deposits', 1, DUST, {
      ...ofAddress,
      units: '1 + i % 100',
      state: "'suspended'",
      [NOTIFIED_STATUS]: "'Failed'",
      fail_reason: "'LESS_THEN_MIN_AMOUNT'",
      index: "'o:' || i",
    })
    // The payment arrives last, and is smaller than a pending one.
    await fill(tx, 'deposits', DUST + 1, DUST + 1, {
      ...ofAddress,
      units: '100000',
      state: "'credited'",
      [NOTIFIED_STATUS]: "'Done'",
      transaction: `'${PAID_HASH}'`,
    })
    await fill(tx, 'deposits', DUST + 2, DUST + 2, {
      ...ofAddress,
      units: '700000',
      state: "'pending'",
      [NOTIFIED_STATUS]: "'Pending'",
    })
    await fill(tx, 'crypto_invoices', 1, 1, {
      merchant_id,
      address_id,
      id: `'${INVOICE}'::uuid`,
      state: "'paid'",
      ticker: "'BTC'",
      blockchain: "'BITCOIN'",
      units: '100000',
      address: "'invoice'",
    })
    await fill(tx, 'fiat_invoices', 1, 1, {
      merchant_id,
      id: `'${CARD_INVOICE}'::uuid`,
      state: "'done'",
      ticker: "'UAH'",
      units: '100000',
    })
    // The credited attempt is the first of all: a refund of it may have been followed by others.
    await fill(tx, 'payments', 1, ATTEMPTS, {
      merchant_id,
      invoice_id: `'${CARD_INVOICE}'::uuid`,
      ticker: "'UAH'",
      state: "case i when 1 then 'credited' else 'refused' end",
      masked_card: "'411111******' || lpad(i::text, 4, '0')",
      created_at: "timestamptz '2026-01-01' + i * interval '1 minute'",
    })
  })
})
// What was inserted raw is in no books.
afterAll(() => emptyTables(edge.db))

test('the page of an invoice shows its payments and the largest of the rest, and says that there are more', async () => {
  const page = await member.get(`/app/merchants/${edge.merchant.id}/payments/crypto/${INVOICE}?lang=en`)
  expect(page.status).toBe(200)
  const text = textOf(page)
  expect(text).toContain(PAID_HASH)
  expect(text).toContain('0.007 BTC')
  expect(text).toContain('Only credited and large payments are shown: there are more.')
  expect(page.text.match(/<span class="hash">/g)).toHaveLength(25)
})

test('the page of a card invoice shows the credited attempt and the newest, and says that there are more', async () => {
  const page = await member.get(`/app/merchants/${edge.merchant.id}/payments/card/${CARD_INVOICE}?lang=en`)
  expect(page.status).toBe(200)
  const cards = [...textOf(page).matchAll(/411111\*{6}(\d{4})/g)].map(([, number]) => Number(number))
  const newest = [...Array.from({ length: 24 }).keys()].map((n) => ATTEMPTS - 23 + n)
  expect(cards).toEqual([1, ...newest])
  expect(textOf(page)).toContain('Older attempts are not shown.')
})

test('the deposits of an address are read by an index of their size, however many there are', async () => {
  const seen: Statement[] = []
  const pool = createWatchedPool(edge.pool.options.connectionString!, (statement) => seen.push(statement))
  const found = await largestDepositsAt(createDb(pool), edge.merchant.id, 'BITCOIN', 'invoice', 3)
  await pool.end()
  expect(found.map(({ units }) => units)).toEqual([100_000n, 700_000n, 100n])
  const { text, values } = seen.find((one) => one.text.includes('from deposits'))!
  const plan = (await explain(edge.db, text, values, async () => {}))!
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(100)
})
