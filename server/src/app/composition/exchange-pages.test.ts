/** Exchanges by members through their page, with the rights of the api. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fieldOf, PASSWORD, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { catalogue, giveBalance, marketsAt, PRICES, stock } from '../../../../test/world/exchange.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { stopMoney } from '../../../../test/world/stops.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { inTransaction } from '../../platform/db/index.ts'

let prices = PRICES
const { edge, memberOf, statements, join, codeAt } = useDashboard({
  catalogue,
  markets: async () => marketsAt(prices, edge.clock.ms),
})
const E18 = 10n ** 18n
const path = (merchantId: string): string => `/app/merchants/${merchantId}/exchange`
const TYPED = {
  'exchange-spend': 'USDT',
  'exchange-target': 'BTC',
  'exchange-side': 'spend',
  'exchange-amount': '650,5',
}

const shop = async (): Promise<string> => {
  const { id } = await makeMerchant(edge.db, edge.clock.ms, { name: 'Kava' })
  await giveBalance(edge.db, id, 'USDT', 10_000n * E18)
  return id
}
beforeAll(() => stock(edge.db, 'BTC', 100n * E18))
beforeEach(() => {
  prices = PRICES
})

/** Shows the price as a member does. @returns the form that makes the exchange */
const priced = async (browser: TestBrowser, merchantId: string, more: Partial<typeof TYPED> = {}) => {
  const typed = { ...TYPED, ...more }
  const page = await browser.post(path(merchantId), { do: 'price', ...typed })
  expect(page.status, textOf(page)).toBe(200)
  const form = {
    do: 'exchange',
    'exchange-key': fieldOf(page, 'exchange-key'),
    'exchange-price': fieldOf(page, 'exchange-price'),
    ...typed,
  }
  return { page, form }
}
const exchangesOf = async (merchantId: string) =>
  (
    await sql<{ id: string; spent: bigint }>`select id, exchange_units + fee_units as spent from exchanges
      where merchant_id = ${merchantId}`.execute(edge.db)
  ).rows
const auditOf = async (merchantId: string) =>
  (
    await sql<{ detail: object }>`select detail from dashboard_audit
      where merchant_id = ${merchantId} and action = 'exchanged'`.execute(edge.db)
  ).rows

describe('an exchange', () => {
  test('shows its price, is made at it, is listed, exported, notified and in the audit log', async () => {
    const merchantId = await shop()
    const browser = await memberOf(merchantId, 'finance')
    expect(textOf(await browser.get(path(merchantId)))).toContain('No exchanges yet')
    const { page, form } = await priced(browser, merchantId)
    expect(textOf(page)).toContain('You give 650.5 USDT')
    expect(textOf(page)).toContain('Nothing was exchanged yet.')
    expect(await exchangesOf(merchantId)).toEqual([])
    const made = await browser.post(path(merchantId), form)
    const [exchange] = await exchangesOf(merchantId)
    expect([made.status, made.headers['location']]).toEqual([303, `${path(merchantId)}?done=${exchange!.id}`])
    expect(exchange!.spent).toBe((6505n * E18) / 10n)
    const list = await browser.get(`${path(merchantId)}?done=${exchange!.id}`)
    for (const text of ['The exchange was made.', '650.5 USDT', '1 BTC =']) expect(textOf(list)).toContain(text)
    const file = await browser.get(`${path(merchantId)}/export?give=USDT`)
    expect(file.text.split('\r\n').filter((line) => line.includes(exchange!.id))).toHaveLength(1)
    expect(textOf(await browser.get(`${path(merchantId)}?give=ETH`))).not.toContain('650.5 USDT')
    expect(await auditOf(merchantId)).toMatchObject([{ detail: { id: exchange!.id, spent: '650.5 USDT' } }])
    const { rows } = await sql`select from events where merchant_id = ${merchantId} and kind = 'Exchange'`.execute(
      edge.db,
    )
    expect(rows).toHaveLength(1)
    expect(await inTransaction(edge.db, (tx) => auditLedger(tx))).toEqual([])
  })

  test('is made once by a form that is sent twice at once, and again later at a worse price', async () => {
    const merchantId = await shop()
    const browser = await memberOf(merchantId, 'owner')
    const { form } = await priced(browser, merchantId)
    const both = await Promise.all([1, 2].map(() => browser.post(path(merchantId), form)))
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    expect(both[0]!.headers['location']).toBe(both[1]!.headers['location'])
    prices = { ...PRICES, BTC: 2n * PRICES.BTC }
    const later = await browser.post(path(merchantId), form)
    expect(later.headers['location']).toBe(both[0]!.headers['location'])
    expect(await exchangesOf(merchantId)).toHaveLength(1)
    expect(await auditOf(merchantId)).toHaveLength(1)
  })

  test('is never made at a worse price than the one that was shown', async () => {
    const merchantId = await shop()
    const browser = await memberOf(merchantId, 'owner')
    const { form } = await priced(browser, merchantId)
    prices = { ...PRICES, BTC: (PRICES.BTC * 11n) / 10n }
    const answer = await browser.post(path(merchantId), form)
    expect([answer.status, textOf(answer).includes('The price is worse now')]).toEqual([400, true])
    expect(answer.text).toContain('value="650,5"')
    expect(await exchangesOf(merchantId)).toEqual([])
  })

  test.each([
    [{ 'exchange-amount': '1.500', 'exchange-target': 'USDT' }, ['two different assets', 'are not clear']],
    [{ 'exchange-amount': '' }, ['Enter the amount in digits']],
    [{ 'exchange-amount': '0.0000000000000000001' }, ['This amount can not be exchanged.']],
    [{ 'exchange-target': 'KZT' }, ['There is no price for this amount now.']],
    [{ 'exchange-spend': '<b>', 'exchange-target': 'X' }, ['Choose two different assets']],
  ])('of %j is refused with all its problems, and the typed text stays', async (more, texts) => {
    const merchantId = await shop()
    const answer = await (
      await memberOf(merchantId, 'owner')
    ).post(path(merchantId), { do: 'price', ...TYPED, ...more })
    expect(answer.status).toBe(400)
    for (const text of texts) expect(textOf(answer)).toContain(text)
  })

  test('beyond the balance, and while exchanges are stopped, is refused', async () => {
    const merchantId = await shop()
    const browser = await memberOf(merchantId, 'owner')
    const { form } = await priced(browser, merchantId, { 'exchange-amount': '10000.5' })
    const poor = await browser.post(path(merchantId), form)
    expect([poor.status, textOf(poor).includes('The balance is too small.')]).toEqual([400, true])
    const { form: next } = await priced(browser, merchantId)
    await stopMoney(edge.db, { merchantId })
    edge.clock.ms += 5_000
    const stopped = await browser.post(path(merchantId), next)
    expect([stopped.status, textOf(stopped).includes('are stopped now')]).toEqual([400, true])
    expect(await exchangesOf(merchantId)).toEqual([])
  })

  test('needs a recent proof, and the typed text stays', async () => {
    const merchantId = await shop()
    const { browser, seed } = await join(undefined, 'finance', merchantId)
    const { form } = await priced(browser, merchantId)
    edge.clock.ms += 6 * 60_000
    const answer = await browser.post(path(merchantId), form)
    expect(answer.status).toBe(403)
    for (const text of ['First confirm that it is you.', 'Confirm that it is you'])
      expect(textOf(answer)).toContain(text)
    expect(answer.text).toContain('value="650,5"')
    const again = await browser.post(path(merchantId), { do: 'price', ...TYPED })
    expect(again.text).not.toContain('name="exchange-key"')
    expect(textOf(again)).toContain('This price has expired. Confirm that it is you; then show a new price.')
    expect(textOf(again), 'there is no button to exchange').not.toMatch(/exchange now|exchange is made only/i)
    expect(await exchangesOf(merchantId)).toEqual([])
    const proof = { do: 'prove-password', next: path(merchantId), password: PASSWORD, code: codeAt(seed) }
    const proved = await browser.post('/app/security', { ...proof, ...TYPED })
    expect((await browser.get(proved.headers['location'] as string)).text).toContain('value="650,5"')
  })

  test('is closed to members without the permission, and to members of another merchant', async () => {
    const [merchantId, other] = [await shop(), await shop()]
    const { form } = await priced(await memberOf(merchantId, 'owner'), merchantId)
    for (const role of ['admin', 'approver', 'viewer'] as const) {
      const browser = await memberOf(merchantId, role)
      const page = await browser.get(path(merchantId))
      expect([page.status, page.text.includes('exchange-amount')]).toEqual([200, false])
      for (const fields of [form, { ...form, do: 'price' }])
        expect((await browser.post(path(merchantId), fields)).status).toBe(403)
    }
    for (const role of ['support', 'developer'] as const)
      expect((await (await memberOf(merchantId, role)).get(path(merchantId))).status).toBe(403)
    const stranger = await memberOf(other, 'owner')
    expect((await stranger.post(path(merchantId), form)).status).toBe(404)
    expect([await exchangesOf(merchantId), await exchangesOf(other)]).toEqual([[], []])
    // A key of another merchant's form makes an exchange of one's own.
    expect((await stranger.post(path(other), form)).status).toBe(303)
    expect(await exchangesOf(merchantId)).toEqual([])
  })

  test('page needs at most ten queries', async () => {
    const merchantId = await shop()
    const browser = await memberOf(merchantId, 'owner')
    await browser.get(path(merchantId))
    statements.length = 0
    await browser.get(path(merchantId))
    expect(statements.length).toBeLessThanOrEqual(10)
  })
})
