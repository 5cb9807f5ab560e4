/** Payment links in the signed API, with the rights of the api's database role. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { beginEnding } from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { at, send, useInvoicing } from './test-invoicing.ts'

const { edge, browse, memberOf } = useInvoicing()
const DAY = 86_400_000
const PATH = '/merchants/payment-links'
const LINK = { name: 'Donation', method: 'CRYPTO', ticker: 'USDT' }

const account = async () => {
  const { id, privateKey } = await makeMerchant(edge.db, edge.clock.ms, { name: 'Kava' })
  edge.directory.forget(id)
  return { id, key: privateKey }
}
type Account = Awaited<ReturnType<typeof account>>
const create = (by: Account, body: object, headers: readonly string[] = []) =>
  edge.call('POST', PATH, JSON.stringify(body), { ...by, headers: [...headers] })
const linksOf = async ({ id }: Account): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from payment_links where merchant_id = ${id}`.execute(edge.db))
    .rows[0]!.n

test('a link of the API is paid on its page, shown in the dashboard, looked up, disabled and started again', async () => {
  const shop = await account()
  const wanted = { ...LINK, minAmount: '05.50', maxAmount: '50', description: 'Any', language: 'kk', maxPayments: 3 }
  const made = await create(shop, { ...wanted, expiredAt: edge.clock.ms + DAY, localId: 'campaign 7' })
  expect(made).toMatchObject({
    status: 200,
    body: {
      ...wanted,
      minAmount: '5.5',
      status: 'ACTIVE',
      localId: 'campaign 7',
      createdAt: edge.clock.ms,
      expiredAt: edge.clock.ms + DAY,
    },
  })
  const { id, url } = made.body as unknown as { id: string; url: string }
  const found = await edge.call('GET', `${PATH}/${id}`, undefined, shop)
  expect(found.body).toEqual(made.body)
  const { pathname } = new URL(url)
  const paid = await send(browse(), pathname, { value: '6' })
  expect([paid.status, paid.headers['location']]).toEqual([303, expect.stringContaining('/invoices/crypto/')])
  const member = await memberOf(shop.id, 'support')
  expect((await member.get(at(shop.id, 'links'))).text).toContain(id)
  const disabled = await edge.call('POST', `${PATH}/${id}/disable`, '', shop)
  expect(disabled.body).toEqual({ ...made.body, status: 'DISABLED', disabledAt: edge.clock.ms })
  edge.clock.ms += 1_000
  expect((await edge.call('POST', `${PATH}/${id}/disable`, '', shop)).body).toEqual(disabled.body)
  expect((await browse().get(pathname)).status).toBe(410)
  await member.post(at(shop.id, `links/${id}`), { do: 'start' })
  expect((await edge.call('GET', `${PATH}/${id}`, undefined, shop)).body).toEqual(made.body)
  edge.clock.ms += DAY
  expect((await edge.call('GET', `${PATH}/${id}`, undefined, shop)).body).toMatchObject({ status: 'EXPIRED' })
})

test('a card link of a fixed amount makes card invoices', async () => {
  const shop = await account()
  const made = await create(shop, { name: 'Tea', method: 'CARD', ticker: 'UAH', amount: '250' })
  const { url } = made.body as unknown as { url: string }
  const paid = await send(browse(), new URL(url).pathname, {})
  expect(paid.headers['location']).toContain('/invoices/fiat/')
})

test.each([
  [{ ticker: 'DOGE' }, 'ticker'],
  [{ method: 'CARD' }, 'ticker'],
  [{ ticker: 'USD', amount: '1.005' }, 'amount'],
  [{ amount: '5', minAmount: '1' }, 'minAmount'],
  [{ amount: '5', maxAmount: '9' }, 'maxAmount'],
  [{ minAmount: '5.0000000000000000001' }, 'minAmount'],
  [{ minAmount: '5.01', maxAmount: '5.002' }, 'maxAmount'],
  [{ expiredAt: 1_677_486_443_000 }, 'expiredAt'],
  [{ kind: 'CRYPTO' }, 'kind'],
])('%j is refused by the name of the field, and makes no link', async (more, field) => {
  const shop = await account()
  expect(await create(shop, { ...LINK, ...more })).toMatchObject({ status: 400, body: { code: 100, field } })
  expect(await linksOf(shop)).toBe(0)
})

test('a localId is of one link, and an Idempotency-Key makes one, at the same moment too', async () => {
  const shop = await account()
  const answers = await Promise.all([1, 2, 3].map((n) => create(shop, { ...LINK, name: `n${n}`, localId: 'a' })))
  expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
    [200, undefined],
    [400, 0],
    [400, 0],
  ])
  const key = ['idempotency-key', randomUUID()]
  const [one, other] = await Promise.all([create(shop, LINK, key), create(shop, LINK, key)])
  expect([one.status, one.text]).toEqual([200, other.text])
  expect(await linksOf(shop)).toBe(2)
  expect((await create(await account(), { ...LINK, localId: 'a' })).status, 'of another merchant').toBe(200)
})

test('a link of another merchant is answered as an unknown one, and stays active', async () => {
  const [shop, thief] = [await account(), await account()]
  const { id } = (await create(shop, LINK)).body as unknown as { id: string }
  for (const [method, path] of [
    ['GET', `${PATH}/${id}`],
    ['POST', `${PATH}/${id}/disable`],
    ['GET', `${PATH}/x`],
    ['POST', `${PATH}/x/disable`],
  ] as const)
    expect(await edge.call(method, path, method === 'POST' ? '' : undefined, thief)).toMatchObject({
      status: 404,
      body: { code: 101 },
    })
  expect((await edge.call('GET', `${PATH}/${id}`, undefined, shop)).body).toMatchObject({ status: 'ACTIVE' })
})

test('no link is made beside 1000 active ones, nor by a merchant that is leaving', async () => {
  const shop = await account()
  // Raw: a thousand requests are slow.
  await sql`insert into payment_links (merchant_id, id, token, kind, name, ticker, created_at)
    select ${shop.id}::uuid, gen_random_uuid(), left(md5(${shop.id} || i), 22), 'crypto', 'Old', 'USDT', now()
    from generate_series(1, 1000) i`.execute(edge.db)
  expect(await create(shop, LINK)).toMatchObject({ status: 409, body: { code: 103 } })
  const leaving = await account()
  const moment = { at: new Date(edge.clock.ms), newId: () => randomUUID() }
  await inTransaction(edge.db, (tx) => beginEnding(tx, { merchantId: leaving.id, actor: 'test' }, moment))
  expect(await create(leaving, LINK)).toMatchObject({ status: 409, body: { code: 103 } })
  expect(await linksOf(leaving)).toBe(0)
})
