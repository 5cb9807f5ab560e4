/** Decision 216: a payer who goes back to the page of a payment link comes back to the invoice that is still open. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openFiatInvoices } from '../../../../test/world/fiat-invoices.ts'
import { fieldOf, textOf } from '../../../../test/world/dashboard.ts'
import { at, idIn, send, useInvoicing } from './test-invoicing.ts'

const { edge, browse, memberOf, shop, newLink, invoicesOf } = useInvoicing()
const HOUR = 3_600_000
const MINUTE = 60_000

const linkOf = async (fields: Readonly<Record<string, string>>) => {
  const merchantId = await shop()
  const member = await memberOf(merchantId, 'owner')
  return { merchantId, member, ...(await newLink(member, merchantId, fields)) }
}

describe.each([
  ['crypto', { money: 'crypto:USDT' }, {}],
  ['crypto, priced in a currency', { money: 'crypto:UAH' }, {}],
  ['card', { money: 'card:UAH' }, {}],
])('a payer of a link (%s)', (_, money) => {
  test('who opens the page again comes back to the open invoice, and can start another', async () => {
    const { merchantId, path } = await linkOf({ ...money, amount: '250' })
    const payer = browse()
    const first = await send(payer, path, {})
    expect(first.headers['set-cookie']).toEqual([
      `__Host-pay=${path.split('/').at(-1)}:${idIn(first)}; Path=/; Secure; HttpOnly; SameSite=Lax`,
    ])
    const page = await payer.get(`${path}?lang=en`)
    expect(textOf(page)).toMatch(/You have an unfinished payment of .*250.* from this link/)
    expect(page.text).toContain(`href="${String(first.headers['location'])}"`)
    expect(fieldOf(page, 'key')).not.toBe(first.key)
    expect(idIn(await send(payer, path, {}))).toBe(idIn(first))
    expect(await invoicesOf(merchantId)).toHaveLength(1)
    const key = fieldOf(await payer.get(path), 'key')
    const others = await Promise.all([0, 1].map(() => payer.post(path, { key, another: '1' })))
    expect(new Set(others.map(idIn)).size).toBe(1)
    expect(idIn(others[0]!)).not.toBe(idIn(first))
    expect(idIn(await send(payer, path, {})), 'the newest invoice').toBe(idIn(others[0]!))
    expect(await invoicesOf(merchantId)).toHaveLength(2)
  })

  test('with another browser, or in a private window, makes an invoice of their own', async () => {
    const { merchantId, path } = await linkOf({ ...money, amount: '250' })
    const [one, other] = [await send(browse(), path, {}), await send(browse(), path, {})]
    expect(idIn(one)).not.toBe(idIn(other))
    expect(await invoicesOf(merchantId)).toHaveLength(2)
  })
})

test('a payer who types another amount gets another invoice, and the same amount in other digits is the same', async () => {
  const { merchantId, path } = await linkOf({ amount: '' })
  const payer = browse()
  const first = await send(payer, path, { value: '10' })
  expect((await payer.get(path)).text).toContain('required value="10"')
  expect(idIn(await send(payer, path, { value: '10,00' }))).toBe(idIn(first))
  expect(idIn(await send(payer, path, { value: '11' }))).not.toBe(idIn(first))
  expect(await invoicesOf(merchantId)).toHaveLength(2)
})

test('a price that the merchant has changed makes another invoice', async () => {
  const { merchantId, member, id, path } = await linkOf({ amount: '5' })
  const payer = browse()
  const first = await send(payer, path, {})
  const changed = { do: 'save', key: randomUUID(), name: 'Coffee', amount: '7', money: 'crypto:USDT' }
  expect((await member.post(at(merchantId, `links/${id}`), changed)).status).toBe(303)
  expect(idIn(await send(payer, path, {}))).not.toBe(idIn(first))
})

test('a link that this payer used up shows the way back to the open invoice, and to this payer only', async () => {
  const { path } = await linkOf({ amount: '5', uses: '1' })
  const payer = browse()
  const first = await send(payer, path, {})
  const [own, foreign] = [await payer.get(`${path}?lang=en`), await browse().get(`${path}?lang=en`)]
  expect([own.status, foreign.status]).toEqual([410, 410])
  expect([own, foreign].map(({ text }) => text.includes(String(first.headers['location'])))).toEqual([true, false])
  expect(idIn(await payer.post(path, { key: randomUUID() }))).toBe(idIn(first))
})

test('a paid invoice stays the result of its form, and the next visit makes another', async () => {
  const { merchantId, path } = await linkOf({ amount: '5' })
  const payer = browse()
  const first = await send(payer, path, {})
  // Raw: payments of a chain have tests of their own.
  await sql`update crypto_invoices set state = 'paid', blockchain = 'ETHEREUM', address = ${`0x${merchantId}`},
    address_id = ${randomUUID()} where merchant_id = ${merchantId}`.execute(edge.db)
  expect(idIn(await payer.post(path, { key: first.key }))).toBe(idIn(first))
  expect((await payer.get(path)).text).not.toContain(idIn(first))
  expect(idIn(await send(payer, path, {}))).not.toBe(idIn(first))
  // The audit after the tests compares paid invoices with their payments.
  await sql`update crypto_invoices set state = 'created', blockchain = null, address = null, address_id = null
    where merchant_id = ${merchantId}`.execute(edge.db)
})

test.each(['crypto:USDT', 'card:UAH'])('an invoice whose time is over stays that of its form (%s)', async (money) => {
  const { merchantId, path } = await linkOf({ money, amount: '250' })
  const payer = browse()
  const first = await send(payer, path, {})
  // The job that ends invoices has not run.
  edge.clock.ms += 73 * HOUR
  expect((await payer.get(path)).text).not.toContain(idIn(first))
  expect(idIn(await payer.post(path, { key: first.key }))).toBe(idIn(first))
  const key = fieldOf(await payer.get(path), 'key')
  const again = await Promise.all([0, 1, 2].map(() => payer.post(path, { key })))
  expect(new Set(again.map(idIn)).size).toBe(1)
  expect(idIn(again[0]!)).not.toBe(idIn(first))
  expect(idIn(await send(payer, path, {}))).toBe(idIn(again[0]!))
  expect(await invoicesOf(merchantId)).toHaveLength(2)
})

test('a payer who has paid a part of an invoice whose time is over comes back to it, until it is refunded', async () => {
  const { merchantId, path } = await linkOf({ amount: '5' })
  const payer = browse()
  const first = await send(payer, path, {})
  // Raw: payments of a chain have tests of their own.
  await sql`update crypto_invoices set state = 'expired', blockchain = 'ETHEREUM', address = ${`0x${merchantId}`},
    address_id = ${randomUUID()}, paid_units = units - 1 where merchant_id = ${merchantId}`.execute(edge.db)
  const named = (await payer.get(path)).text.includes(idIn(first))
  const [sameForm, loadedAgain] = [await payer.post(path, { key: first.key }), await send(payer, path, {})]
  await sql`update crypto_invoices set refunded = true where merchant_id = ${merchantId}`.execute(edge.db)
  const namedAfter = (await payer.get(path)).text.includes(idIn(first))
  const next = await send(payer, path, {})
  // The audit after the tests compares credited amounts with payments.
  await sql`update crypto_invoices set state = 'created', blockchain = null, address = null, address_id = null,
    paid_units = 0, refunded = false where merchant_id = ${merchantId}`.execute(edge.db)
  expect([named, namedAfter]).toEqual([true, false])
  expect([sameForm, loadedAgain].map(idIn)).toEqual([idIn(first), idIn(first)])
  expect(idIn(next)).not.toBe(idIn(first))
})

test('a cookie that names an invoice of another link, or no invoice, has no effect', async () => {
  const [here, there] = [await linkOf({ amount: '5' }), await linkOf({ amount: '5' })]
  const stray = idIn(await send(browse(), there.path, {}))
  for (const value of [stray, randomUUID(), '', 'x', '%00', `${stray}x`]) {
    const cookie = ['cookie', `__Host-pay=${here.path.split('/').at(-1)}:${value}`]
    const page = await edge.raw('GET', here.path, ['accept', 'text/html', ...cookie])
    expect([value, page.status, value !== '' && page.text.includes(`/crypto/${stray}`)]).toEqual([value, 200, false])
    const type = ['content-type', 'application/x-www-form-urlencoded']
    const sent = await edge.raw('POST', here.path, [...type, ...cookie], `key=${randomUUID()}`)
    expect([value, sent.status, idIn(sent) === stray]).toEqual([value, 303, false])
  }
})

test.each(['cross-site', 'same-site'])('a form that a page of another site sends (%s) sets no cookie', async (site) => {
  const { path } = await linkOf({ amount: '5' })
  const sent = await browse().post(path, { key: randomUUID() }, ['sec-fetch-site', site])
  expect([sent.status, sent.headers['set-cookie']]).toEqual([303, undefined])
})

test('a payer whose card payment is under way when the time of the invoice ends gets no second invoice', async () => {
  const merchantId = await shop()
  const { path } = await newLink(await memberOf(merchantId, 'owner'), merchantId, { money: 'card:UAH', amount: '250' })
  const payer = browse()
  const first = await send(payer, path, {})
  const id = idIn(first)
  const fiat = await openFiatInvoices({ url: edge.pool.options.connectionString!, pool: edge.pool, db: edge.db })
  fiat.merchantId = merchantId
  const { rows } = await sql<{ at: Date }>`select expires_at as at from fiat_invoices where id = ${id}`.execute(edge.db)
  // A minute before the end, the payer goes to the page of the acquirer.
  edge.clock.ms = rows[0]!.at.getTime() - MINUTE
  fiat.now = edge.clock.ms
  await fiat.proceed(id)
  await fiat.work()
  const [payment] = await fiat.payments(id)
  // The payer pays in time, and the acquirer can't be asked for some minutes.
  fiat.first.pays(payment!.id)
  for (let times = 0; times < 20; times += 1) fiat.first.troubles.push({ at: 'state', error: 'not-sent' })
  edge.clock.ms += 2 * MINUTE
  fiat.now = edge.clock.ms
  await fiat.work()
  expect(
    (await invoicesOf(merchantId)).map(({ state }) => state),
    'the expiry job leaves it open',
  ).toEqual(['pending'])
  // The bank takes long; the payer goes back, and continues again.
  const shown = await payer.get(`${path}?lang=en`)
  expect.soft(shown.text.includes(id), 'the page names the open invoice').toBe(true)
  expect.soft(idIn(await payer.post(path, { key: first.key })), 'the same form').toBe(id)
  expect.soft(idIn(await send(payer, path, {})), 'the page loaded again').toBe(id)
  // The callback comes late, and the acquirer confirms it later: the first one is paid all the same.
  await fiat.hear(payment!.id)
  await fiat.work()
  const statesOf = async () => (await invoicesOf(merchantId)).map((one) => [one.id === id, one.state])
  expect(await statesOf()).toEqual([[true, 'paid']])
  expect((await payer.get(path)).text, 'a payment that is not confirmed').toContain(id)
  expect(idIn(await send(payer, path, {}))).toBe(id)
  fiat.first.troubles.length = 0
  edge.clock.ms += HOUR
  fiat.now = edge.clock.ms
  await fiat.work()
  expect(await statesOf()).toEqual([[true, 'done']])
})

test.each(['https://evil.example', 'null'])(
  'a form of another site (%s) chooses no invoice for the payer',
  async (origin) => {
    const { path } = await linkOf({ amount: '5' })
    // The attacker chooses the key: the server never made it.
    const key = randomUUID()
    const theirs = await browse().post(path, { key })
    const payer = browse()
    // This browser sends no `Sec-Fetch-Site`.
    const planted = await payer.post(path, { key }, ['origin', origin])
    expect([idIn(planted), planted.headers['set-cookie']]).toEqual([idIn(theirs), undefined])
    expect((await payer.get(path)).headers['referrer-policy'], 'its own form names the origin').toBe('same-origin')
    expect(idIn(await send(payer, path, {}))).not.toBe(idIn(theirs))
  },
)

test('a browser keeps the way back to the invoices of its 20 newest links, in one small cookie', async () => {
  const merchantId = await shop()
  const member = await memberOf(merchantId, 'owner')
  const payer = browse()
  const made: { path: string; id: string }[] = []
  for (let n = 0; n < 21; n += 1) {
    const { path } = await newLink(member, merchantId, { amount: '5' })
    const sent = await send(payer, path, {})
    made.push({ path, id: idIn(sent) })
    expect(String(sent.headers['set-cookie']).length).toBeLessThan(1_300)
  }
  const named: boolean[] = []
  for (const { path, id } of made) named.push((await payer.get(path)).text.includes(id))
  expect(named).toEqual(made.map((_, n) => n > 0))
})

test.each([
  ['crypto:USDT', 'crypto_invoices'],
  ['card:UAH', 'fiat_invoices'],
])('an invoice whose asset left the catalogue is not named by its smallest units (%s)', async (money, table) => {
  const { merchantId, path } = await linkOf({ money, amount: '250' })
  const payer = browse()
  const first = await send(payer, path, {})
  const nameIt = (ticker: string) =>
    sql`update ${sql.table(table)} set ticker = ${ticker} where merchant_id = ${merchantId}`.execute(edge.db)
  await nameIt('GONE')
  const page = await payer.get(path)
  await nameIt(money.split(':')[1]!)
  expect(page.status).toBe(200)
  expect(page.text).not.toMatch(/GONE|unfinished/)
  expect((await payer.get(path)).text).toContain(idIn(first))
})
