/**
 * The pages of payouts that were made, as members see them. Rows of two merchants are inserted raw, in every state at
 * once; the list is compared with the lists of the API.
 */
import { parse } from 'csv-parse/sync'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { withoutTriggers } from '../../../../test/setup/unguarded.ts'
import { textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { NOW } from '../../../../test/world/edge.ts'
import { fillListed, LISTED, listedWorld, OTHER } from '../../../../test/world/listed.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import type { ApiRequest, Route } from '../../platform/api/route.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { listRoutes } from './lists.ts'

const { catalogue } = listedWorld(undefined as unknown as Parameters<typeof listedWorld>[0])
const { edge, memberOf, statements } = useDashboard({ catalogue })
let [member, stranger]: TestBrowser[] = []
let routes: Route[] = []

beforeAll(async () => {
  for (const id of [LISTED, OTHER]) await makeMerchant(edge.db, NOW, { id })
  await withoutTriggers(edge.db, (tx) => fillListed(tx, 1, 90))
  routes = listRoutes(listedWorld(edge.db))
  member = await memberOf(LISTED)
  stranger = await memberOf(OTHER)
})
// What was inserted raw is in no books.
afterAll(() => emptyTables(edge.db))

const at = (page: string, fields: Readonly<Record<string, string>> = {}): string =>
  `/app/merchants/${LISTED}/payouts/made${page}?${new URLSearchParams(fields).toString()}`

interface Item {
  id: string
  ticker: string
  amount: string
  status: string
  meta?: string
  localId?: string
  hash?: string
}

const itemsOf = async (kind: string, query: Readonly<Record<string, string>> = {}): Promise<Item[]> => {
  const operation = kind === 'card' ? 'listCardPayouts' : 'listCryptoWithdrawals'
  const request = { merchantId: LISTED, query: { limit: '1000', ...query } } as unknown as ApiRequest
  const answer = await routes.find((route) => route.operation === operation)!.handle(request)
  return (answer as unknown as { body: { items: Item[] } }).body.items
}

/** The ids of all pages of the list, in its order. */
const walk = async (fields: Readonly<Record<string, string>>): Promise<string[]> => {
  const ids: string[] = []
  let after: string | undefined
  do {
    const page = await member!.get(at('', after === undefined ? fields : { ...fields, after }))
    expect(page.status).toBe(200)
    ids.push(...[...page.text.matchAll(/\/payouts\/made\/(?:chain|card)\/([0-9a-f-]{36})/g)].map(([, id]) => id!))
    const next = /[?&;]after=([0-9a-f-]{36})[^"]*"[^>]*rel="next"/.exec(page.text)?.[1]
    expect(next).not.toBe(after ?? '')
    after = next
  } while (after !== undefined)
  return ids
}

describe('the list of payouts that were made', () => {
  test.each(['chain', 'card'])(
    'of kind %s has all payouts of the API, page by page, and nothing else',
    async (kind) => {
      const items = await itemsOf(kind)
      expect(items.length).toBeGreaterThan(30)
      expect(await walk({ kind })).toEqual(items.map(({ id }) => id))
    },
  )

  test.each([
    ['chain', { status: 'Failed' }, { status: 'Failed' }],
    ['chain', { asset: 'USDT' }, { ticker: 'USDT' }],
    ['chain', { network: 'ETHEREUM' }, { blockchain: 'ETHEREUM' }],
    ['chain', { address: 'to1' }, { address: 'to1' }],
    ['chain', { localId: 'local-8' }, { localId: 'local-8' }],
    ['card', { status: 'PENDING', asset: 'UAH' }, { status: 'PENDING', ticker: 'UAH' }],
    ['card', { localId: 'local-8' }, { localId: 'local-8' }],
  ])('of kind %s with %j is that of the API', async (kind, fields, query) => {
    const items = await itemsOf(kind, query as unknown as Record<string, string>)
    expect(items.length).toBeGreaterThan(0)
    const wanted = fields as unknown as Record<string, string>
    expect(await walk({ kind, ...wanted })).toEqual(items.map(({ id }) => id))
    const file = await member!.get(at('/export', { kind, ...wanted }))
    const lines = parse<Record<string, string>>(file.text, { columns: true })
    expect(lines.map(({ id, amount, ticker }) => [id, amount, ticker])).toEqual(
      items.map(({ id, amount, ticker }) => [id, amount, ticker]),
    )
  })

  test('says that a filter is not valid, and that nothing fits', async () => {
    expect(textOf(await member!.get(at('', { least: '1.500', asset: 'USDT' })))).toContain('A filter is not valid')
    expect(textOf(await member!.get(at('', { localId: 'nothing' })))).toContain('No such payouts')
  })
})

describe('one payout', () => {
  test('is shown in every language with its hash and its data, in at most ten queries', async () => {
    const [item] = (await itemsOf('chain')).filter(({ hash, meta }) => hash !== undefined && meta !== undefined)
    for (const language of LANGUAGES) {
      statements.length = 0
      const page = await member!.get(at(`/chain/${item!.id}`, { lang: language }))
      expect(statements.length).toBeLessThanOrEqual(10)
      for (const text of [item!.hash!, item!.meta!, item!.id]) expect(textOf(page)).toContain(text)
    }
    const [card] = await itemsOf('card')
    expect(textOf(await member!.get(at(`/card/${card!.id}`)))).toContain('411111******1111')
  })

  test('of another merchant, of an unknown kind, or that does not exist is not found', async () => {
    const [item] = await itemsOf('chain')
    for (const path of [at(`/card/${randomUUID()}`), at(`/chain/${randomUUID()}`), at(`/other/${item!.id}`)])
      expect((await member!.get(path)).status).toBe(404)
    const foreign = at(`/chain/${item!.id}`)
    expect((await stranger!.get(foreign)).status).toBe(404)
    expect((await stranger!.get(foreign.replace(LISTED, OTHER))).status).toBe(404)
  })

  test('is closed to roles that may not see payouts', async () => {
    const support = await memberOf(LISTED, 'support')
    const [item] = await itemsOf('chain')
    for (const page of ['', '/export', `/chain/${item!.id}`]) expect((await support.get(at(page))).status).toBe(403)
  })
})
