/**
 * The pages of payments and balances as members see them. Rows of two merchants are inserted raw, in every state at
 * once; the list is compared with the lists of the API.
 */
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { NOW } from '../../../../test/world/edge.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { nowOf, removeMember } from '../../people/access/index.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { inTransaction } from '../../platform/db/index.ts'
import type { ApiRequest, Route } from '../../platform/api/route.ts'
import { listRoutes } from './lists.ts'
import { fillListed, LISTED, LISTED_SINCE, listedWorld, MINUTE, OTHER } from '../../../../test/world/listed.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, deps, browse, memberOf, newAddress, inviteTo, statements } = useDashboard({ catalogue })
const ROWS = 90
let [member, stranger]: TestBrowser[] = []
let routes: Route[] = []

beforeAll(async () => {
  for (const id of [LISTED, OTHER]) await makeMerchant(edge.db, NOW, { id })
  await withoutTriggers(edge.db, async (tx) => {
    await fillListed(tx, 1, ROWS)
    // Raw: every tenth deposit pays the invoice of its number.
    await sql`update deposits d set address_id = c.address_id from crypto_invoices c
      where c.merchant_id = d.merchant_id and c.id = d.id and right(d.index, 1) = '2'`.execute(tx)
  })
  routes = listRoutes(listedWorld(edge.db))
  member = await memberOf(LISTED)
  stranger = await memberOf(OTHER)
})
// What was inserted raw is in no books.
afterAll(() => emptyTables(edge.db))

const at = (page: string, merchantId: string = LISTED): string => `/app/merchants/${merchantId}/${page}`
const query = (fields: Readonly<Record<string, string>>): string => `?${new URLSearchParams(fields).toString()}`

interface Item {
  id: string
  time?: number
  createdAt?: number
  meta?: string
  email?: string
  status: string
  hash?: string
}

/** Every item of a list of the API. */
const itemsOf = async (operation: string, merchantId: string = LISTED): Promise<Item[]> => {
  const request = { merchantId, query: { limit: '1000' } } as unknown as ApiRequest
  const answer = await routes.find((route) => route.operation === operation)!.handle(request)
  return (answer as unknown as { body: { items: Item[] } }).body.items
}
const LISTS = { crypto: 'listCryptoInvoices', card: 'listFiatInvoices', deposit: 'listDeposits' } as const
type Kind = keyof typeof LISTS

/** The payments of the API's lists, newest first, without the deposits that pay an invoice. */
const modelOf = async (): Promise<(Item & { kind: Kind })[]> => {
  const { rows } = await sql<{ id: string }>`select d.id from deposits d
    join crypto_invoices c on c.merchant_id = d.merchant_id and c.address_id = d.address_id`.execute(edge.db)
  const paying = new Set(rows.map(({ id }) => id))
  const all: (Item & { kind: Kind })[] = []
  for (const kind of Object.keys(LISTS) as Kind[])
    for (const item of await itemsOf(LISTS[kind]))
      if (kind !== 'deposit' || !paying.has(item.id)) all.push({ ...item, kind })
  expect(paying.size).toBeGreaterThan(0)
  return all
}
const timeOf = ({ time, createdAt }: Item): number => time ?? createdAt!

/** The payments that a page links, in its order. */
const linked = (text: string): string[] =>
  [...text.matchAll(/\/payments\/(crypto|card|deposit)\/([0-9a-f-]{36})/g)].map(([, kind, id]) => `${kind}/${id}`)

/** Every payment of the list, by pages. */
const walk = async (fields: Readonly<Record<string, string>> = {}): Promise<string[]> => {
  const found: string[] = []
  let path: string | undefined = at('payments') + query(fields)
  while (path !== undefined) {
    const page = await member!.get(path)
    expect(page.status).toBe(200)
    found.push(...linked(page.text))
    path = /href="([^"]*)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  }
  return found
}
const namesOf = (items: readonly (Item & { kind: Kind })[]): string[] => items.map(({ kind, id }) => `${kind}/${id}`)

describe('the list of payments', () => {
  test('has the invoices of both kinds and the plain deposits of the merchant, once each, newest first', async () => {
    const [found, model] = [await walk(), await modelOf()]
    expect(found.toSorted()).toEqual(namesOf(model).toSorted())
    const times = new Map(model.map((item) => [`${item.kind}/${item.id}`, timeOf(item)]))
    const shown = found.map((name) => times.get(name)!)
    expect(shown).toEqual(shown.toSorted((a, b) => b - a))
  })

  test.each<[string, Readonly<Record<string, string>>, (item: Item & { kind: Kind }) => boolean]>([
    ['kind', { kind: 'card' }, ({ kind }) => kind === 'card'],
    ['meta', { q: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    ['e-mail', { q: 'payer3@example.com' }, ({ email }) => email === 'payer3@example.com'],
    [
      'status',
      { status: 'ended' },
      ({ status, kind }) => status === { crypto: 'EXPIRED', card: 'FAILED', deposit: 'Failed' }[kind],
    ],
    [
      'status and kind',
      { status: 'waiting', kind: 'crypto' },
      ({ status, kind }) => kind === 'crypto' && (status === 'CREATED' || status === 'REGISTERED'),
    ],
  ])('is filtered by %s', async (_, fields, fits) => {
    const [found, model] = [await walk(fields), await modelOf()]
    const expected = namesOf(model.filter(fits))
    expect(found.toSorted()).toEqual(expected.toSorted())
    expect(expected.length).toBeGreaterThan(0)
  })

  test('is found by identifier', async () => {
    const model = await modelOf()
    for (const kind of ['crypto', 'card', 'deposit'] as const) {
      const one = model.find((item) => item.kind === kind)!
      expect(await walk({ q: one.id })).toContain(`${kind}/${one.id}`)
    }
  })

  test('says that a filter is not valid, and leaves it out', async () => {
    const page = await member!.get(at('payments') + query({ least: '5', from: '2026-02-30', kind: 'none', lang: 'en' }))
    expect(page.status).toBe(200)
    expect(textOf(page)).toContain('A filter is not valid')
    expect(linked(page.text)).toHaveLength(30)
  })

  test('is one day only, where the days say so', async () => {
    const day = new Date(LISTED_SINCE + MINUTE).toISOString().slice(0, 10)
    const found = await walk({ from: day, to: day })
    const isThatDay = (item: Item): boolean => new Date(timeOf(item)).toISOString().startsWith(day)
    expect(found.toSorted()).toEqual(namesOf((await modelOf()).filter(isThatDay)).toSorted())
  })

  test('is the same as a file, in which no cell is a formula', async () => {
    const file = await member!.get(at('payments/export') + query({ status: 'paid' }))
    expect(file.headers).toMatchObject({ 'content-disposition': 'attachment; filename="payments.csv"' })
    const rows = parse<Record<string, string>>(file.text, { columns: true })
    expect(rows.map(({ kind, id }) => `${kind}/${id}`)).toEqual(await walk({ status: 'paid' }))
    for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+@]/)
  })

  test('says how to go on where nothing fits', async () => {
    const none = await member!.get(at('payments') + query({ q: 'no such order', lang: 'en' }))
    expect(textOf(none)).toContain('No payment fits')
  })
})

describe('a page about a merchant', () => {
  const pages = async (): Promise<string[]> => {
    const model = await modelOf()
    const details = (Object.keys(LISTS) as Kind[]).map(
      (kind) => `payments/${kind}/${model.find((item) => item.kind === kind)!.id}`,
    )
    return ['payments', 'payments/export', 'balances', 'balances/USDT', 'balances/USDT/export', ...details]
  }
  /** Without what a page repeats of its URL. */
  const anonymous = (text: string): string => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')

  test('answers a person who is no member as if the merchant did not exist', async () => {
    const unknown = '00000000-0000-4000-8000-00000000ffff'
    for (const page of await pages()) {
      const [foreign, none] = [await stranger!.get(at(page)), await stranger!.get(at(page, unknown))]
      expect([page, foreign.status, none.status]).toEqual([page, 404, 404])
      expect(anonymous(foreign.text)).toBe(anonymous(none.text))
    }
  })

  test('shows no payment of another merchant, by any identifier', async () => {
    const some = (await modelOf()).filter((_, i) => i % 7 === 0)
    for (const { kind, id } of some) {
      const page = await stranger!.get(at(`payments/${kind}/${id}`, OTHER))
      expect([kind, id, page.status]).toEqual([kind, id, 404])
    }
    const found = await stranger!.get(at('payments', OTHER) + query({ q: 'meta 7' }))
    const own = new Set((await itemsOf('listDeposits', OTHER)).map(({ id }) => id))
    const linkedIds = linked(found.text).filter((name) => name.startsWith('deposit/'))
    expect(linkedIds.every((name) => own.has(name.slice('deposit/'.length)))).toBe(true)
  })

  test('shows a role only the pages that its permissions allow', async () => {
    const support = await memberOf(LISTED, 'support')
    const pages = ['payments', 'payments/export', 'team', 'balances', 'balances/USDT', 'balances/USDT/export', 'audit']
    const statuses: number[] = []
    for (const page of pages) statuses.push((await support.get(at(page))).status)
    expect(statuses).toEqual([200, 200, 200, 403, 403, 403, 403])
    for (const page of ['payments', 'team']) {
      const { text } = await support.get(at(page))
      const linked = ['payments', 'balances', 'team', 'audit'].filter((one) => text.includes(`href="${at(one)}"`))
      expect(linked).toEqual(['payments', 'team'])
    }
  })

  test('ends with the membership', async () => {
    const left = await memberOf(LISTED)
    expect((await left.get(at('payments'))).status).toBe(200)
    const { email } = left
    await inTransaction(edge.db, (tx) =>
      removeMember(tx, { merchantId: LISTED, email, actor: 'cli:test' }, nowOf(deps.runtime)),
    )
    const statuses = [(await left.get(at('payments'))).status, (await member!.get(at('payments'))).status]
    expect(statuses).toEqual([404, 200])
  })

  test('asks for a sign-in, and keeps its filters', async () => {
    const path = at('payments') + query({ status: 'paid', q: 'a b' })
    const answer = await browse().get(path)
    expect(answer.status).toBe(303)
    const location = new URL(String(answer.headers['location']), 'https://pay.example')
    expect([location.pathname, location.searchParams.get('next')]).toEqual(['/app/sign-in', path])
    const elsewhere = await browse().get(`/app/sign-in${query({ next: `//evil.example/app/merchants/${LISTED}/x` })}`)
    expect(elsewhere.text).not.toContain('evil.example')
  })

  test('takes at most ten statements and 20 kB compressed, in every language', async () => {
    const searches = ['payer3@example.com', LISTED, 'meta 7', `0x${'5a'.repeat(20)}`, `0x${'5a'.repeat(32)}`]
    const paths = [
      ...(await pages()).filter((page) => !page.endsWith('export')),
      ...searches.map((q) => `payments${query({ q })}`),
    ]
    for (const path of paths)
      for (const lang of LANGUAGES) {
        statements.length = 0
        const page = await member!.get(`${at(path)}${path.includes('?') ? '&' : '?'}lang=${lang}`)
        const counted = statements.filter((text) => !/^\s*(set|begin|commit)\b/i.test(text))
        expect([path, page.status, counted.length <= 10]).toEqual([path, 200, true])
        expect([path, lang, gzipSync(page.text).length < 20_000]).toEqual([path, lang, true])
      }
  })

  test('is linked from the list of merchants', async () => {
    expect((await member!.get('/app')).text).toContain(at('home'))
  })
})

describe('the balances', () => {
  /** The month that is so many months before that of now, as `2026-10`. */
  const monthsBefore = (count: number): string => {
    const now = new Date(edge.clock.ms)
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 7)
  }

  test('show each asset, and the statement of one has the entries of the API', async () => {
    const page = await member!.get(at('balances') + query({ lang: 'en' }))
    expect(textOf(page)).toMatch(/USDT Tether/)
    const file = await member!.get(at('balances/USDT/export'))
    const rows = parse<Record<string, string>>(file.text, { columns: true })
    const { rows: entries } = await sql<{ count: number }>`select count(*) as count from ledger_entries e
      join ledger_accounts a on a.id = e.account_id where a.merchant_id = ${LISTED}`.execute(edge.db)
    expect(rows).toHaveLength(entries[0]!.count)
  })

  test('have no statement of an asset that is not served, and none of a month that has not ended', async () => {
    const [month, thisMonth] = [monthsBefore(1), monthsBefore(0)]
    const paths = ['NONE', 'NONE/export', `NONE/month?month=${month}`, `USDT/month?month=${thisMonth}`]
    for (const path of paths) expect([path, (await member!.get(at(`balances/${path}`))).status]).toEqual([path, 404])
  })

  test('have a PDF of each of the last twelve months, for the roles that may see balances', async () => {
    const page = await member!.get(at('balances/USDT') + query({ lang: 'en' }))
    const offered = [...page.text.matchAll(/<option value="(\d{4}-\d{2})"/g)].map(([, month]) => month)
    expect(offered).toEqual(Array.from({ length: 12 }, (_, i) => monthsBefore(i + 1)))
    const file = await member!.get(at('balances/USDT/month') + query({ month: offered[0]! }))
    expect([file.status, file.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect(file.headers['content-disposition']).toBe(`attachment; filename="statement-USDT-${offered[0]}.pdf"`)
    expect(file.text.startsWith('%PDF-1.7')).toBe(true)
    const support = await memberOf(LISTED, 'support')
    expect((await support.get(at('balances/USDT/month') + query({ month: offered[0]! }))).status).toBe(403)
  })
})

test('an invitation that is not accepted shows nothing', async () => {
  const browser = browse()
  await browser.get(await inviteTo(newAddress(), 'owner', LISTED))
  expect((await browser.get(at('payments'))).status).toBe(303)
})
