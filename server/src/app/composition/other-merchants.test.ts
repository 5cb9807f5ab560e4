/**
 * A walk over every route of the dashboard with the ids of another merchant, in each position of path, query and form:
 * nothing is shown, and nothing changes. The routes are those of the production list, so that a new one needs a row.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDashboard } from '../../../../test/world/dashboard.ts'
import { LISTED, listedWorld, OTHER } from '../../../../test/world/listed.ts'
import { createDashboard } from './people.ts'
import { openForeignWorld, type Fields, type ForeignWorld } from './test-foreign-objects.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
// A stream of changes ends soon, so that its answer can be read.
const dashboard = useDashboard({ catalogue, longestStreamMs: 500 })
const { edge, routes, deps } = dashboard
/** Stands in texts of the other merchant's objects: an answer to a stranger does not contain it. */
const MARK = /secret-|Victim/

// The rows that are inserted raw are in no books.
afterAll(() => emptyTables(edge.db))

let { thief, victim, rows } = {} as ForeignWorld

beforeAll(async () => {
  ;({ thief, victim, rows } = await openForeignWorld(dashboard))
})

const PREFIX = '/app/merchants/{merchant}/'
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path.replace(PREFIX, '')}`
const fillIn = (path: string, merchant: string, given: Fields = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'merchant' ? merchant : (given[name] ?? (name === 'ticker' ? 'BTC' : 'none')),
  )
const pages = () => routes.filter(({ path }) => path.startsWith('/app'))

/** A digest of each table. Sessions note when they were used. @param merchantId only the rows of this merchant */
const digests = async (merchantId?: string): Promise<Record<string, string>> => {
  const { rows: tables } = await sql<{ name: string; owned: boolean }>`select t.tablename as name, exists (
      select from information_schema.columns c where c.table_name = t.tablename and c.column_name = 'merchant_id') as owned
    from pg_tables t where schemaname = 'public' and tablename <> 'dashboard_sessions' order by 1`.execute(edge.db)
  const asked = tables.filter(({ owned }) => merchantId === undefined || owned)
  const { rows: found } = await sql<Record<string, string>>`select ${sql.join(
    asked.map(
      ({ name }) =>
        sql`(select md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) from ${sql.table(name)} t
          ${merchantId === undefined ? sql`` : sql`where merchant_id::text = ${merchantId}`}) as ${sql.ref(name)}`,
    ),
  )}`.execute(edge.db)
  return found[0]!
}

test('each route of production has a row, and no other', () => {
  const production = createDashboard(
    {
      ...deps,
      acquirers: { byName: new Map(), table: deps.table },
      cardKeys: null,
      wallet: { bitcoinChain: 'regtest' },
    } as unknown as Parameters<typeof createDashboard>[0],
    [randomBytes(32)],
    new Map(),
    deps.trading,
    deps.documents,
  )
  expect(Object.keys(rows).toSorted()).toEqual(production.map(nameOf).toSorted())
  expect(pages().map(nameOf).toSorted()).toEqual(production.map(nameOf).toSorted())
  for (const route of production) {
    const { paths = [], forms = [] } = rows[nameOf(route)]!
    const params = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    const ids = params.filter((name) => !['merchant', 'ticker', 'token'].includes(name))
    expect(paths.length > 0, `${nameOf(route)} has objects`).toBe(
      ids.length > 0 || (params[0] === 'token' && forms.length > 0),
    )
  }
})

test('a member of the merchant sees each object, so that the ids below are good ones', async () => {
  for (const route of pages().filter(({ method, path }) => method === 'GET' && path.startsWith(PREFIX)))
    for (const given of rows[nameOf(route)]!.paths ?? [{}]) {
      const path = fillIn(route.path, OTHER, given)
      expect(`${(await victim.get(path)).status} ${path}`).toBe(`200 ${path}`)
    }
})

test('the merchant of another person does not exist, in any route', async () => {
  const before = await digests()
  for (const route of pages().filter(({ path }) => path.startsWith(PREFIX))) {
    const { paths = [{}], forms = [], acting = [] } = rows[nameOf(route)]!
    for (const given of paths) {
      const path = fillIn(route.path, OTHER, given)
      const sent = route.method === 'GET' ? [undefined] : [{}, ...forms, ...acting]
      for (const form of sent) {
        const answer = await (form === undefined ? thief.get(path) : thief.post(path, form))
        expect(`${answer.status} ${route.method} ${path}`).toBe(`404 ${route.method} ${path}`)
        expect(answer.text).not.toMatch(MARK)
      }
    }
  }
  expect(await digests()).toEqual(before)
})

test("objects of another merchant are unknown below one's own, in paths and queries", async () => {
  const before = await digests()
  for (const route of pages().filter(({ method }) => method === 'GET')) {
    const { paths = [], queries = [] } = rows[nameOf(route)]!
    for (const given of paths) {
      const path = fillIn(route.path, LISTED, given)
      const answer = await thief.get(path)
      expect(`${answer.status} ${path}`).toBe(`404 ${path}`)
      expect(answer.text).not.toMatch(MARK)
    }
    for (const query of queries) {
      const path = `${fillIn(route.path, LISTED)}?${new URLSearchParams(query).toString()}`
      const answer = await thief.get(path)
      expect(answer.status, path).toBeLessThan(500)
      expect(answer.text, path).not.toMatch(MARK)
    }
  }
  expect(await digests()).toEqual(before)
})

test("forms below one's own merchant change nothing by ids of another one", async () => {
  const before = await digests()
  for (const route of pages().filter(({ method }) => method === 'POST')) {
    const { paths = [{}], forms = [] } = rows[nameOf(route)]!
    for (const given of paths)
      for (const form of forms) {
        const path = fillIn(route.path, LISTED, given)
        const answer = await thief.post(path, form)
        const text = `${JSON.stringify(form)} to ${path}`
        expect(answer.text, text).not.toMatch(MARK)
        expect([200, 303, 400, 403, 404, 409], text).toContain(answer.status)
        expect(await digests(), text).toEqual(before)
      }
  }
})

test("a form that acts for one's own merchant with a key of another one leaves the other's objects alone", async () => {
  const before = await digests(OTHER)
  for (const route of pages().filter(({ method }) => method === 'POST'))
    for (const form of rows[nameOf(route)]!.acting ?? []) {
      const path = fillIn(route.path, LISTED)
      const answer = await thief.post(path, form)
      const text = `${JSON.stringify(form)} to ${path}`
      expect(answer.text.replaceAll(form['payout-meta'] ?? form['key-name'] ?? '-', ''), text).not.toMatch(MARK)
      expect(answer.status, text).toBeLessThan(500)
      if (answer.status === 303) {
        const next = await thief.get(String(answer.headers['location']))
        expect(next.status, text).toBe(200)
        expect(next.text.replaceAll(form['payout-meta'] ?? '-', ''), text).not.toMatch(MARK)
      }
      expect(await digests(OTHER), text).toEqual(before)
    }
})
