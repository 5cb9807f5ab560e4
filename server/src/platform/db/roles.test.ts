/** The rights of each role of the database. Rows are inserted raw: the statements are the subject. */
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../../../sandbox/postgres/connection.ts'
import { createDatabase, type TestDatabase } from '../../../../test/setup/database.ts'
import { makeRoles, type TestRoles } from '../../../../test/setup/roles.ts'
import { partRows, payoutRows } from '../../cards/card-payouts/store.ts'
import { exchangeRows } from '../../exchange/exchanges/store.ts'
import { withdrawalRows } from '../../pay-out/withdrawals/store.ts'
import { GRANTS, HISTORY } from './grants.ts'
import { migrate } from './migrate.ts'
import { applyGrants, findUngranted, privilegesOf, whoAmI } from './roles.ts'

const M = '00000000-0000-0000-0000-0000000000aa'
let database: TestDatabase
let roles: TestRoles
const urlAs = (kind: Parameters<TestRoles['url']>[0]): string => roles.url(kind)
/** The SQLSTATE that a statement fails with, or the number of rows it changed. */
const as = (kind: Parameters<TestRoles['url']>[0], text: string): Promise<unknown> =>
  withClient(urlAs(kind), (client) =>
    client.query(text).then(
      ({ rowCount }) => rowCount,
      (error: { code: string }) => error.code,
    ),
  )
const DENIED = '42501'

beforeAll(async () => {
  database = await createDatabase()
  // Made twice, and granted by the owner, who is no superuser: all that follows is within its rights.
  await makeRoles(database.url, 'rights')
  roles = await makeRoles(database.url, 'rights')
  await migrate(urlAs('owner'))
  expect(await applyGrants(urlAs('owner'), roles.prefix)).toEqual([])
  expect(await applyGrants(urlAs('owner'), roles.prefix)).toEqual([])
})
afterAll(async () => {
  await database?.drop()
  await roles?.drop()
})

describe('database roles', () => {
  test('audit S-3: every table and sequence has a row in the table of grants, and a new one without a row is named', async () => {
    await withClient(urlAs('owner'), async (client) => {
      expect(await findUngranted(client)).toEqual([])
      await client.query('begin')
      await client.query('create table parcels(id bigint generated always as identity); create sequence parcel_numbers')
      expect(await findUngranted(client)).toEqual([
        expect.stringContaining('table parcels has no row'),
        expect.stringContaining('sequence parcel_numbers has no row'),
      ])
      await client.query('rollback')
    })
  })

  test.each(['api', 'worker', 'watcher', 'operator', 'all', 'readonly'] as const)(
    'audit S-3: %s neither changes nor creates a table, trigger or function',
    async (kind) => {
      for (const text of [
        'create table mine(id int)',
        'create temporary table mine(id int)',
        'create schema mine',
        'alter table ledger_transfers disable trigger user',
        'drop table alerts',
        'alter table ledger_accounts drop constraint available_not_negative',
        "create function mine() returns int language sql as 'select 1'",
        'truncate alerts',
        'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$',
        `set role ${roles.name('owner')}`,
        'alter table ledger_transfers disable row level security',
        'set session_replication_role = replica',
      ])
        expect([text, await as(kind, text)]).toEqual([text, DENIED])
    },
  )

  test('audit S-3: no role updates or deletes rows of history', async () => {
    const kinds = ['api', 'worker', 'watcher', 'operator', 'all', 'readonly'] as const
    const { rows } = await withClient(urlAs('owner'), (client) =>
      client.query(
        `select r, t from unnest($1::text[]) r, unnest($2::text[]) t
      where has_any_column_privilege(r, t, 'update') or has_table_privilege(r, t, 'delete') or has_table_privilege(r, t, 'truncate')`,
        [kinds.map(roles.name), HISTORY],
      ),
    )
    expect(rows).toEqual([])
    for (const kind of kinds) {
      for (const text of [
        'update ledger_entries set posted = 1',
        'delete from events',
        'delete from ledger_accounts',
        'update ledger_accounts set bounded = false',
      ]) {
        expect([kind, text, await as(kind, text)]).toEqual([kind, text, DENIED])
      }
    }
  })

  test('audit S-3: the api opens no account that has money, and adds only holds and exchanges', async () => {
    const account = `('${M}', 'USDT', 'merchant', true)`
    expect(
      await as(
        'api',
        `insert into ledger_accounts(merchant_id, asset, kind, bounded, posted) values ('${M}', 'USDT', 'merchant', true, 5)`,
      ),
    ).toBe(DENIED)
    expect(await as('api', `insert into ledger_accounts(merchant_id, asset, kind, bounded) values ${account}`)).toBe(1)
    const transfer = (kind: string, cause: string): string =>
      `insert into ledger_transfers(merchant_id, id, kind, cause_kind, cause_id, created_at) values ('${M}', gen_random_uuid(), '${kind}', '${cause}', gen_random_uuid(), now())`
    for (const [kind, cause] of [
      ['hold', 'withdrawal'],
      ['hold', 'card-payout'],
      ['post', 'exchange'],
    ] as const)
      expect(await as('api', transfer(kind, cause))).toBe(1)
    for (const [kind, cause] of [
      ['post', 'deposit'],
      ['post', 'adjustment'],
      ['post', 'funding'],
      ['capture', 'withdrawal'],
      ['release', 'card-payout'],
      ['post', 'payment'],
    ] as const) {
      expect([kind, cause, await as('api', transfer(kind, cause))]).toEqual([kind, cause, DENIED])
      expect(await as('worker', transfer(kind, cause))).toBe(1)
      expect(await as('all', transfer(kind, cause))).toBe(1)
    }
  })

  test('audit S-3: no role redirects a payment, or inserts one that is half paid', async () => {
    for (const [kind, text] of [
      ['worker', "update withdrawals set to_address = 'x'"],
      ['watcher', 'update withdrawals set units = 1'],
      ['operator', 'update withdrawals set hold_id = id'],
      ['owner', "update withdrawals set to_address = 'x'"],
      ['worker', 'update deposits set units = 1'],
      ['watcher', 'update deposits set merchant_id = id'],
      ['worker', 'update card_payout_parts set units = 1'],
      ['worker', "update card_payouts set masked_card = 'x'"],
      ['api', 'update payments set merchant_id = id'],
      ['api', 'update payments set units = 1'],
      ['worker', 'update payment_refunds set units = 1'],
      ['owner', 'update addresses set merchant_id = id'],
    ] as const)
      expect([kind, text, await as(kind, text)]).toEqual([kind, text, '23000'])
    for (const [kind, text] of [
      ['api', 'insert into withdrawals(outgoing_id) values (null)'],
      ['worker', 'insert into withdrawals(done_sent) values (true)'],
      ['watcher', 'insert into withdrawals(id) values (null)'],
      ['api', 'insert into card_payout_parts(attempts) values (1)'],
      ['api', 'update refund_claims set withdrawal_id = null'],
      ['watcher', "update addresses set address = 'x'"],
    ] as const)
      expect([kind, text, await as(kind, text)]).toEqual([kind, text, DENIED])
  })

  test('audit S-3: the api may insert the columns that orders are written with', async () => {
    const rows = [
      ['api', withdrawalRows],
      ['worker', withdrawalRows],
      ['api', partRows],
      ['api', payoutRows],
      ['api', exchangeRows],
      ['worker', exchangeRows],
    ] as const
    await withClient(urlAs('owner'), async (client) => {
      for (const [kind, { name, columns }] of rows) {
        const { rows: lacks } = await client.query(
          'select c from unnest($3::text[]) c where not has_column_privilege($1, $2, c, $4)',
          [roles.name(kind), name, columns.map((column) => column.name), 'insert'],
        )
        expect([kind, name, lacks]).toEqual([kind, name, []])
      }
    })
  })

  test('audit S-3: the api reads no number of a card and no mail, and the read-only role no secret', async () => {
    expect(await as('api', 'select sealed_card from card_payouts')).toBe(DENIED)
    expect(await as('api', 'select * from card_payouts')).toBe(DENIED)
    expect(await as('api', 'select masked_card, units from card_payouts')).toBe(0)
    expect(await as('api', 'select data from mails')).toBe(DENIED)
    expect(await as('worker', 'select sealed_card from card_payouts')).toBe(0)
    for (const text of [
      'select sealed from merchant_keys',
      'select sealed_card from card_payouts',
      'select data from mails',
    ])
      expect([text, await as('readonly', text)]).toEqual([text, DENIED])
    expect(await as('readonly', 'select id, purpose from merchant_keys')).toBe(0)
    for (const text of ['insert into alerts(id) values (null)', 'update alerts set text = text', 'delete from alerts'])
      expect([text, await as('readonly', text)]).toEqual([text, DENIED])
  })

  test('audit S-3: the next migration revokes rights that were granted by hand', async () => {
    await as(
      'owner',
      `grant update, delete on ledger_entries to ${roles.name('api')}; grant update (posted) on ledger_entries to ${roles.name('api')}`,
    )
    expect(await as('api', 'update ledger_entries set posted = posted')).toBe('23000')
    await applyGrants(urlAs('owner'), roles.prefix)
    expect(await as('api', 'update ledger_entries set posted = posted')).toBe(DENIED)
  })

  test('roles that are missing are named, and nothing is granted', async () => {
    expect(await applyGrants(urlAs('owner'), `${roles.prefix}_none`)).toContain(`${roles.prefix}_none_api`)
  })

  test('whoAmI reports whether the role owns the tables', async () => {
    const who = (url: string) => withClient(url, (client: pg.Client) => whoAmI(client))
    expect(await who(urlAs('owner'))).toEqual({ user: roles.name('owner'), ownsTables: true })
    expect((await who(database.url)).ownsTables).toBe(true)
    expect(await who(urlAs('worker'))).toEqual({ user: roles.name('worker'), ownsTables: false })
  })

  test('rows of the table of grants are read as PostgreSQL writes them', () => {
    expect(privilegesOf('raw(a, b)d', {}, [])).toBe('select, insert, update (a, b), delete')
    expect(privilegesOf('pa', { secret: ['b'] }, ['a', 'b', 'c'])).toBe('select (a, c), insert')
    expect(() => privilegesOf('rx', {}, [])).toThrow(/no privilege/)
    for (const table of HISTORY) {
      const { owner: _, ...rights } = GRANTS[table]!
      for (const text of Object.values(rights)) expect(text).toMatch(/^[rpa]+$/)
    }
  })
})
