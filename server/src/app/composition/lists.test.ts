/** Rows of two merchants are inserted raw, in every state at once; each list is compared with a model of its items. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { parse } from 'csv-parse/sync'
import { operations, type Operation } from '@bursar/contract'
import { Bursar } from '@bursar/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { NOW, useEdge } from '../../../../test/world/edge.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import type { Route } from '../../platform/api/route.ts'
import { fillListed, LISTED, LISTED_SINCE, listedWorld, MINUTE, OTHER } from '../../../../test/world/listed.ts'
import { listRoutes } from './lists.ts'

let routes: Route[] = []
const lists = operations.filter(({ path }) => path.startsWith('/merchants/lists/'))
/** The routes need the database of the edge, which is made later. */
const later = ({ id }: Operation): Route => {
  const route = (): Route => routes.find(({ operation }) => operation === id)!
  return {
    operation: id,
    handle: (request) => route().handle(request),
    stream: (request) => route().stream!(request),
  }
}
const edge = useEdge({ routes: lists.map(later) })
const ROWS = 90
const keys = new Map<string, string>()

beforeAll(async () => {
  for (const id of [LISTED, OTHER]) keys.set(id, (await makeMerchant(edge.db, NOW, { id })).privateKey)
  await withoutTriggers(edge.db, (tx) => fillListed(tx, 1, ROWS))
  routes = listRoutes(listedWorld(edge.db))
})
// What was inserted raw is in no books.
afterAll(() => emptyTables(edge.db))

interface Item {
  id: string
  [field: string]: unknown
}
type Query = Readonly<Record<string, string>>

const ask = (path: string, query: Query, merchantId: string = LISTED) =>
  edge.call('GET', `${path}?${new URLSearchParams(query).toString()}`, undefined, {
    id: merchantId,
    key: keys.get(merchantId)!,
  })

/** Every item, by pages. */
const walk = async (path: string, query: Query, merchantId: string = LISTED): Promise<Item[]> => {
  const items: Item[] = []
  let after: string | undefined
  do {
    const { status, text } = await ask(path, { ...query, ...(after === undefined ? {} : { after }) }, merchantId)
    expect(status, text).toBe(200)
    const page = JSON.parse(text) as { items: Item[]; next?: string }
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}

const timeOf = (item: Item): number => (item['time'] ?? item['createdAt']) as number
const minutes = (n: number): string => String(LISTED_SINCE + n * MINUTE)
const unitsIn = (item: Item, scale: number): bigint => {
  const [whole, fraction = ''] = (item['amount'] as string).split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

const asked = ({ amount }: Item, scale: number): bigint => unitsIn({ id: '', amount: (amount as Item)['value'] }, scale)
const askedIn = ({ amount }: Item): unknown => (amount as Item)['ticker']

/** Filters of each list, each with the model of the items that fit it. */
const FILTERS: Readonly<Record<string, readonly (readonly [Query, (item: Item) => boolean])[]>> = {
  listDeposits: [
    [{ status: 'Failed' }, ({ status }) => status === 'Failed'],
    [{ ticker: 'USDT' }, ({ ticker }) => ticker === 'USDT'],
    [{ blockchain: 'TRON' }, ({ blockchain }) => blockchain === 'TRON'],
    [
      { ticker: 'BTC', amountFrom: '0.0002', amountTo: '0.0006' },
      (item) => item['ticker'] === 'BTC' && unitsIn(item, 8) >= 20_000n && unitsIn(item, 8) <= 60_000n,
    ],
    [{ meta: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    [{ address: 'address1n2' }, ({ to }) => to === 'address1n2'],
    [{ hash: 'tx4' }, ({ hash }) => hash === 'tx4'],
    [{ hash: 'tx4', status: 'Done' }, ({ hash, status }) => hash === 'tx4' && status === 'Done'],
    [{ hash: 'tx4', timeTo: minutes(35) }, (item) => item['hash'] === 'tx4' && timeOf(item) < +minutes(35)],
  ],
  listCryptoWithdrawals: [
    [{ status: 'Failed' }, ({ status }) => status === 'Failed'],
    [{ status: 'Pending' }, ({ status }) => status === 'Pending'],
    [{ ticker: 'ETH' }, ({ ticker }) => ticker === 'ETH'],
    [{ blockchain: 'BITCOIN' }, ({ blockchain }) => blockchain === 'BITCOIN'],
    [{ ticker: 'BTC', amountTo: '0.0004' }, (item) => item['ticker'] === 'BTC' && unitsIn(item, 8) <= 40_000n],
    [{ meta: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    [{ localId: 'local-42' }, ({ localId }) => localId === 'local-42'],
    [{ address: 'TO1' }, ({ to }) => to === 'TO1'],
    [{ hash: '0xmined8' }, ({ hash }) => hash === '0xmined8'],
  ],
  listCryptoInvoices: [
    [{ status: 'EXPIRED' }, ({ status }) => status === 'EXPIRED'],
    [{ ticker: 'ETH' }, (item) => askedIn(item) === 'ETH'],
    [{ blockchain: 'TRON' }, ({ amount }) => (amount as { blockchain: string }).blockchain === 'TRON'],
    [{ ticker: 'BTC', amountFrom: '0.0003' }, (item) => askedIn(item) === 'BTC' && asked(item, 8) >= 30_000n],
    [{ meta: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    [{ email: 'payer3@example.com' }, ({ email }) => email === 'payer3@example.com'],
    [
      { email: 'payer3@example.com', status: 'PAID' },
      (item) => item['email'] === 'payer3@example.com' && item['status'] === 'PAID',
    ],
    [{ address: 'invoice42' }, ({ address }) => address === 'invoice42'],
  ],
  listFiatInvoices: [
    [{ status: 'DONE' }, ({ status }) => status === 'DONE'],
    [{ ticker: 'KZT' }, (item) => askedIn(item) === 'KZT'],
    [{ ticker: 'UAH', amountTo: '400' }, (item) => askedIn(item) === 'UAH' && asked(item, 2) <= 40_000n],
    [{ meta: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    [{ email: 'payer3@EXAMPLE.com' }, ({ email }) => email === 'payer3@example.com'],
  ],
  listPaymentLinks: [
    [{ status: 'ACTIVE' }, ({ status }) => status === 'ACTIVE'],
    [{ status: 'EXPIRED' }, ({ status }) => status === 'EXPIRED'],
    [{ status: 'DISABLED' }, ({ disabledAt }) => disabledAt !== undefined],
    [{ method: 'CARD' }, ({ method }) => method === 'CARD'],
    [{ ticker: 'USD' }, ({ ticker }) => ticker === 'USD'],
    [{ ticker: 'USDT', status: 'ACTIVE' }, ({ ticker, status }) => ticker === 'USDT' && status === 'ACTIVE'],
    [{ localId: 'local-42' }, ({ localId }) => localId === 'local-42'],
  ],
  listCardPayouts: [
    [{ status: 'PENDING' }, ({ status }) => status === 'PENDING'],
    [{ ticker: 'UAH' }, ({ ticker }) => ticker === 'UAH'],
    [{ ticker: 'UAH', amountFrom: '300' }, (item) => item['ticker'] === 'UAH' && unitsIn(item, 2) >= 30_000n],
    [{ meta: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    [{ localId: 'local-42' }, ({ localId }) => localId === 'local-42'],
  ],
  listExchanges: [
    [{ status: 'Failed' }, ({ status }) => status === 'Failed'],
    [{ spendTicker: 'ETH' }, ({ spendTicker }) => spendTicker === 'ETH'],
    [{ targetTicker: 'USDT' }, ({ targetTicker }) => targetTicker === 'USDT'],
    [{ meta: 'meta 7' }, ({ meta }) => meta === 'meta 7'],
    [{ localId: 'local-22' }, ({ localId }) => localId === 'local-22'],
    [{ localId: 'local-42' }, ({ withdrawal }) => (withdrawal as Item | undefined)?.['localId'] === 'local-42'],
  ],
  listEntries: [],
}

test('the example of the guide reads a list', async () => {
  const guide = readFileSync(new URL('../../../../docs/integrating/lists.md', import.meta.url), 'utf8')
  const [, code] = /```ts\n(.*?)```/s.exec(guide)!
  const module = `export default async (bursar) => { ${code} return paid }`
  const { default: run } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
    default(client: Bursar): Promise<unknown>
  }
  const account = { merchantId: LISTED, privateKey: keys.get(LISTED)! }
  const client = new Bursar({ url: `http://127.0.0.1:${edge.port}`, ...account, now: () => edge.clock.ms })
  const items = await walk('/merchants/lists/deposits', { status: 'Done', ticker: 'USDT' })
  expect(await run(client)).toEqual(items.map(({ id, amount, meta }) => ({ id, amount, meta })))
})

/** Parameters without which a list is refused. */
const NEEDED: Readonly<Record<string, Query>> = { listEntries: { ticker: 'USDT' } }
const keyOf = ({ id }: Item): string => id

test('every list of the contract is served, and this test knows its filters', () => {
  expect(routes.map(({ operation }) => operation).toSorted()).toEqual(lists.map(({ id }) => id).toSorted())
  expect(Object.keys(FILTERS).toSorted()).toEqual(lists.map(({ id }) => id).toSorted())
})

describe.each(lists.map(({ id }) => id))('%s', (id) => {
  const operation = lists.find((one) => one.id === id)!
  const { path } = operation
  const needed: Query = NEEDED[id] ?? {}

  test('has every item of its merchant once, newest first, and none of another, whatever the pages', async () => {
    const [own, other] = [await walk(path, needed), await walk(path, needed, OTHER)]
    expect(own.length).toBeGreaterThan(other.length)
    expect(other.length).toBeGreaterThan(5)
    const ids = own.map(keyOf)
    expect(new Set([...ids, ...other.map(keyOf)]).size).toBe(own.length + other.length)
    expect(own.map(timeOf)).toEqual(own.map(timeOf).toSorted((a, b) => b - a))
    for (const limit of ['1', '7', String(own.length), '1000'])
      expect((await walk(path, { ...needed, limit })).map(keyOf)).toEqual(ids)
    const isListed = new Ajv({ strict: false }).compile(operation.response!)
    expect(isListed({ items: own }), JSON.stringify(isListed.errors)).toBe(true)
  })

  test('a cursor of another merchant, or of another list, shows nothing of either', async () => {
    const { next } = JSON.parse((await ask(path, { ...needed, limit: '2' }, OTHER)).text) as { next: string }
    const all = await walk(path, needed)
    const behind = await walk(path, { ...needed, after: next })
    expect(all.map(keyOf)).toEqual(expect.arrayContaining(behind.map(keyOf)))
    const elsewhere = lists.find((one) => one.id !== id)!
    const refused = await ask(elsewhere.path, { ...NEEDED[elsewhere.id], after: next }, OTHER)
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([400, 100, 'after'])
  })

  test('a filter shows what fits it, alone and with a range of times', async () => {
    const all = await walk(path, needed)
    const [from, to] = [minutes(20), minutes(70)]
    const inTime = (item: Item): boolean => timeOf(item) >= +from && timeOf(item) < +to
    expect(all.filter(inTime).length).toBeGreaterThan(5)
    const filters = [[{}, () => true] as const, ...FILTERS[id]!]
    for (const [query, fits] of filters) {
      const fitting = all.filter(fits)
      expect(fitting.length, JSON.stringify(query)).toBeGreaterThan(0)
      const asked = { ...needed, ...query }
      expect((await walk(path, { ...asked, limit: '3' })).map(keyOf), JSON.stringify(query)).toEqual(fitting.map(keyOf))
      const ranged = { timeFrom: from, timeTo: to, ...asked }
      const expected = fitting.filter((item) => timeOf(item) >= +from && timeOf(item) < +ranged.timeTo)
      expect((await walk(path, ranged)).map(keyOf), JSON.stringify(ranged)).toEqual(expected.map(keyOf))
    }
  })

  test('ids find their items, and none of another merchant', async () => {
    if (!('ids' in operation.query!.properties)) return
    const [first, , third] = await walk(path, {})
    const [foreign] = await walk(path, {}, OTHER)
    const ids = [third!.id, foreign!.id, first!.id.toUpperCase()].join(',')
    expect((await walk(path, { ids })).map(keyOf)).toEqual([first!.id, third!.id])
    const many = Array.from({ length: 101 }, () => first!.id).join(',')
    expect((await ask(path, { ids: many })).body).toMatchObject({ code: 100, field: 'ids' })
  })

  test('CSV has every item of all pages, in cells that no spreadsheet runs', async () => {
    const items = await walk(path, needed)
    const { status, text } = await ask(path, { ...needed, format: 'csv', limit: '1' })
    expect(status).toBe(200)
    const [head, ...rows] = parse(text, { relax_column_count: false }) as string[][]
    expect(head).toEqual(operation.csv)
    expect(rows).toHaveLength(items.length)
    for (const [n, row] of rows.entries())
      for (const [at, column] of operation.csv!.entries()) {
        const value = column.split('.').reduce<unknown>((one, name) => (one as Item | null)?.[name], items[n])
        const isTime = /(^|\.)(time|[a-z]+At)$/.test(column)
        const shown = isTime && value !== undefined ? new Date(value as number).toISOString() : String(value ?? '')
        const expected = Array.isArray(value) ? value.join(' ') : shown
        expect(row[at]).toBe(/^[=+\-@\t\r]/.test(expected) && !/^-?\d/.test(expected) ? `'${expected}` : expected)
      }
    if (operation.csv!.includes('meta')) expect(text).toContain(`"'=cmd|""x"", `)
  })

  test.each([
    [{ after: 'bm8' }, 'after'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ timeFrom: '-1' }, 'timeFrom'],
    [{ timeTo: '2026-01-01' }, 'timeTo'],
    [{ format: 'xlsx' }, 'format'],
  ] as const)('%j is refused by name', async (query, field) => {
    const { status, body } = await ask(path, { ...needed, ...query })
    expect([status, body.code, body.field]).toEqual([400, 100, field])
  })

  test('an amount without a ticker, and an unknown ticker, are refused by name, also of CSV', async () => {
    const wrong: Query = { amountFrom: '1', ticker: 'DOGE' }
    const names = Object.keys(wrong).filter((name) => name in operation.query!.properties)
    const asked = names.flatMap((name) => ['json', 'csv'].map((format) => ({ [name]: wrong[name]!, format })))
    const answers = await Promise.all(asked.map((query) => ask(path, query)))
    expect(answers.map(({ body: { code, field } }) => [code, field])).toEqual(asked.map(() => [100, 'ticker']))
  })
})
