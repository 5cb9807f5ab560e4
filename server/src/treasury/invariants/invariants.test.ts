import { sql, type RawBuilder } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { liftStops } from '../../../../test/world/stops.ts'
import { listStops } from '../../ledger/stops/index.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { openAlerts } from '../../platform/runtime/alerts.ts'
import { WHOLE } from './books.ts'
import { checkInvariants, createInvariantJob, INVARIANTS } from './index.ts'
import {
  CRYPTO_INVOICE,
  DEPOSIT,
  EXCHANGE,
  FIAT_INVOICE,
  MERCHANT,
  PART,
  PAYMENT,
  PAYOUT,
  REFUND,
  WITHDRAWAL,
  writeBooks,
} from './test-books.ts'

let roles: TestRoles | undefined
// Before the database's: hooks of the end run in reverse, and roles go after what they have rights in.
afterAll(() => roles?.drop())
const world = useDb()

beforeEach(async () => {
  await emptyTables(world.db)
  await writeBooks(world.db)
})

const spoil = (...statements: RawBuilder<unknown>[]): Promise<void> =>
  withoutTriggers(world.db, async (tx) => {
    for (const statement of statements) await statement.execute(tx)
  })
const found = async (): Promise<string[]> => [
  ...new Set((await checkInvariants(world.db)).map(({ invariant }) => invariant)),
]
const withoutEvent = (id: string, status: string): RawBuilder<unknown> =>
  sql`update events set status = 'Other' where object_id = ${id} and status = ${status}`
const USDT_OF_MERCHANT = sql`merchant_id = ${MERCHANT} and asset = 'USDT' and kind = 'merchant'`

interface Case {
  breaks: readonly string[]
  how: string
  by: readonly RawBuilder<unknown>[]
  /** what the job stops: an asset, or the merchant where none is concerned */
  stops: { asset: string | null; merchantId: string | null }
}

const asset = (ticker: string) => ({ asset: ticker, merchantId: null })
const merchant = { asset: null, merchantId: MERCHANT }

/** Each case changes one thing. `breaks` are all invariants that must report it, the named one first. */
const CASES: readonly Case[] = [
  {
    breaks: ['transfers-add-up', 'accounts-add-up', 'entries-add-up'],
    how: 'an entry of another amount, with the balance that follows from it',
    by: [
      sql`update ledger_entries set posted = posted + 1, posted_after = posted_after + 1 where account_id = (select id from ledger_accounts where merchant_id = ${MERCHANT} and asset = 'KZT' and kind = 'capital')`,
      sql`update ledger_accounts set posted = posted + 1 where merchant_id = ${MERCHANT} and asset = 'KZT' and kind = 'capital'`,
    ],
    stops: asset('KZT'),
  },
  {
    breaks: ['balances-are-entries', 'accounts-add-up', 'entries-add-up'],
    how: 'a balance without an entry',
    by: [sql`update ledger_accounts set posted = posted + 1 where ${USDT_OF_MERCHANT}`],
    stops: asset('USDT'),
  },
  {
    breaks: ['local-id-once'],
    how: 'a localId whose order has another',
    by: [sql`update local_ids set local_id = 'another' where local_id = 'mine'`],
    stops: merchant,
  },
  {
    breaks: ['withdrawal-hold'],
    how: 'a hold of another amount',
    by: [sql`update withdrawals set hold_id = ${WITHDRAWAL} where id = ${WITHDRAWAL}`],
    stops: asset('USDT'),
  },
  {
    breaks: ['withdrawal-paid-once'],
    how: 'a payment of another amount',
    by: [sql`update withdrawals set units = units + 1, fee_units = fee_units - 1 where id = ${WITHDRAWAL}`],
    stops: asset('USDT'),
  },
  {
    breaks: ['withdrawal-carried'],
    how: 'a settled withdrawal whose transaction is not final',
    by: [sql`update outgoing set state = 'mined' where purpose = 'payout'`],
    stops: asset('USDT'),
  },
  {
    breaks: ['withdrawal-notified'],
    how: 'a withdrawal that is Done and not notified',
    by: [withoutEvent(WITHDRAWAL, 'Done')],
    stops: merchant,
  },
  {
    breaks: ['deposit-credited-once'],
    how: 'a deposit of another fee than was posted',
    by: [sql`update deposits set fee_units = 9 where id = ${DEPOSIT}`],
    stops: asset('USDT'),
  },
  {
    breaks: ['deposit-block'],
    how: 'a deposit of a block that another branch has',
    by: [sql`update watch_blocks set hash = 'other' where height = 7`],
    stops: asset('USDT'),
  },
  {
    breaks: ['deposit-notified', 'crypto-invoice-sums'],
    how: 'a deposit outside of invoices that was not notified',
    by: [withoutEvent(DEPOSIT, 'Done'), sql`delete from crypto_invoice_payments`],
    stops: merchant,
  },
  {
    breaks: ['card-payout-hold'],
    how: 'parts that do not add up',
    by: [sql`update card_payouts set units = 201 where id = ${PAYOUT}`],
    stops: asset('KZT'),
  },
  {
    breaks: ['card-payout-paid-once'],
    how: 'a part that was paid by no order',
    by: [sql`update card_payout_attempts set state = 'refused' where part_id = ${PART}`],
    stops: asset('KZT'),
  },
  {
    breaks: ['card-payout-notified'],
    how: 'a card payout whose end was not notified',
    by: [withoutEvent(PAYOUT, 'Done')],
    stops: merchant,
  },
  {
    breaks: ['exchange-postings'],
    how: 'an exchange of another amount',
    by: [sql`update exchanges set target_units = 6 where id = ${EXCHANGE}`],
    stops: asset('USDT'),
  },
  {
    breaks: ['exchange-notified'],
    how: 'an exchange that was not notified',
    by: [withoutEvent(EXCHANGE, 'Done')],
    stops: merchant,
  },
  {
    breaks: ['inventory-is-position'],
    how: 'inventory that no exchange brought',
    by: [sql`update exchange_inventory set units = 11`],
    stops: asset('USDT'),
  },
  {
    breaks: ['crypto-invoice-sums'],
    how: 'a paid amount that no payment brought',
    by: [sql`update crypto_invoices set paid_units = 1001 where id = ${CRYPTO_INVOICE}`],
    stops: asset('USDT'),
  },
  {
    breaks: ['invoice-notified'],
    how: 'a paid invoice that was not notified',
    by: [withoutEvent(CRYPTO_INVOICE, 'DONE')],
    stops: merchant,
  },
  {
    breaks: ['fiat-invoice-paid'],
    how: 'a done invoice with another amount than its payment',
    by: [sql`update fiat_invoices set paid_units = 501 where id = ${FIAT_INVOICE}`],
    stops: asset('KZT'),
  },
  {
    breaks: ['payment-credited-once'],
    how: 'a payment credited with more than it brought',
    by: [sql`update payments set fee_units = 11 where id = ${PAYMENT}`],
    stops: asset('KZT'),
  },
  {
    breaks: ['refunds-of-payment'],
    how: 'refunds above what the payment says',
    by: [sql`update payment_refunds set units = 501 where id = ${REFUND}`],
    stops: asset('KZT'),
  },
  {
    breaks: ['events-due'],
    how: 'notifications without a next attempt',
    by: [sql`update event_streams set next_at = null where object_id = ${DEPOSIT}`],
    stops: merchant,
  },
  {
    breaks: ['endpoint-events-due'],
    how: 'notifications to an additional endpoint that are exhausted without an alert',
    by: [
      // Raw: rows that no command leaves so.
      sql`insert into webhook_endpoints(id, merchant_id, url, description, sealed, created_by, created_at)
        values (${DEPOSIT}, ${MERCHANT}, 'https://shop.example', '', '', 'test', now())`,
      // Raw: exhausted without an alert.
      sql`insert into endpoint_streams(endpoint_id, object_id, merchant_id, next_sequence, last_sequence, state, since, until)
        values (${DEPOSIT}, ${DEPOSIT}, ${MERCHANT}, 1, 1, 'exhausted', now(), now())`,
    ],
    stops: merchant,
  },
  {
    breaks: ['events-numbered'],
    how: 'a number that no notification has',
    by: [sql`update event_heads set sequence = sequence + 1`],
    stops: merchant,
  },
]

test('sound books break none', async () => {
  expect(await checkInvariants(world.db)).toEqual([])
})

test('each invariant has a case, and a name of its own', () => {
  const names = [...INVARIANTS.map(({ name }) => name), ...Object.keys(WHOLE)]
  expect(new Set(names).size).toBe(names.length)
  expect(INVARIANTS.map(({ name }) => name).toSorted()).toEqual([...new Set(CASES.map((c) => c.breaks[0]))].toSorted())
})

test('the expected balances of addresses must be in the books', async () => {
  await spoil(sql`update custody_addresses set booked = 901`)
  expect(await found()).toEqual(['records-are-books'])
})

describe.each(CASES)('$breaks.0: $how', ({ breaks, by, stops }) => {
  test('is found, and nothing else is', async () => {
    await spoil(...by)
    expect((await found()).toSorted()).toEqual([...breaks].toSorted())
  })

  test('stops the asset or merchant, with an alert, until an operator lifts it', async () => {
    const invariants = INVARIANTS.filter(({ name }) => name === breaks[0])
    const job = createInvariantJob(createTestRuntime(world.db), 1_000, { invariants, most: 1 })
    const walk = async (): Promise<void> => {
      for (let run = 0; run < 30; run += 1) await job.run(new AbortController().signal)
    }
    await walk()
    expect(await listStops(world.db)).toEqual([])
    await spoil(...by)
    await walk()
    expect((await listStops(world.db))[0]).toMatchObject({ ...stops, reason: expect.stringContaining(breaks[0]!) })
    expect((await openAlerts(world.db)).map(({ kind }) => kind)).toContain('invariant-broken')
    await liftStops(world.db)
    await walk()
    expect(await listStops(world.db)).toEqual([])
  })
})

test('a violation that a second snapshot does not show stops nothing', async () => {
  const [invariant] = INVARIANTS
  let asked = 0
  const violation = { invariant: 'once', asset: 'USDT', merchantId: null, subject: 'x', text: 'y' }
  const job = createInvariantJob(createTestRuntime(world.db), 1_000, {
    invariants: [
      {
        ...invariant!,
        find: () => {
          asked += 1
          return Promise.resolve({ violations: asked === 1 ? [violation] : [], next: undefined })
        },
      },
    ],
  })
  await job.run(new AbortController().signal)
  expect([asked, await listStops(world.db), await openAlerts(world.db)]).toEqual([2, [], []])
})

test('an alert ends once a whole walk no longer finds its violation; the stop stays', async () => {
  const job = createInvariantJob(createTestRuntime(world.db), 1_000)
  await spoil(sql`update exchange_inventory set units = 11`)
  await job.run(new AbortController().signal)
  expect(await openAlerts(world.db)).toHaveLength(1)
  await spoil(sql`update exchange_inventory set units = 10`)
  await job.run(new AbortController().signal)
  expect(await openAlerts(world.db)).toEqual([])
  expect(await listStops(world.db)).toHaveLength(1)
})

test('the role of the worker may read and write all that its job does', async () => {
  roles = await makeRoles(world.url, 'invariants')
  await roles.grant()
  await spoil(sql`update exchange_inventory set units = 11`)
  const pool = createPool({ url: roles.url('worker') })
  try {
    await createInvariantJob(createTestRuntime(createDb(pool)), 1_000).run(new AbortController().signal)
  } finally {
    await pool.end()
  }
  expect(await listStops(world.db)).toHaveLength(1)
  await spoil(sql`update exchange_inventory set units = 10`)
})
