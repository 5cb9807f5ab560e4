/** Orders of the signed API under the policy that the owner of a merchant sets in the dashboard. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import type { Answer } from '../../../../test/world/edge.ts'
import { catalogue } from '../../../../test/world/exchange.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { WalletKeys } from '../../chain/transactions/index.ts'
import { createOrderPolicy } from '../../pay-out/requests/index.ts'
import { targetKeeper } from './converting.ts'
import { moneyOperations, openOrders, ORDERS, signedRoutes, type OrderWorld } from './test-orders.ts'

const { edge, memberOf } = useDashboard({ catalogue, operations: signedRoutes(() => world) })
let world: OrderWorld
let owner: TestBrowser
beforeAll(async () => {
  world = await openOrders(edge, { url: edge.pool.options.connectionString! })
})
// The clock passes the end of a session.
beforeEach(async () => {
  owner = await memberOf(edge.merchant.id, 'owner')
})
afterAll(() => world.close())

const POLICY = 'payouts/policy'
const pathOf = (page: string): string => `/app/merchants/${edge.merchant.id}/${page}`
const TICKERS = ['USDT', 'ETH', 'UAH'] as const
const OUTSIDE = '0x1111111111111111111111111111111111111111'
const DAY_MS = 24 * 3_600_000

/** Sets the policy by its page. Numbers that are not given are those of no policy. */
const setPolicy = async (given: Readonly<Record<string, string>>): Promise<void> => {
  const rows = [...catalogue.crypto, ...catalogue.fiat].flatMap(({ ticker }) => [
    [`alone-${ticker}`, '0'],
    [`approvals-${ticker}`, '1'],
    [`hour-${ticker}`, ''],
    [`day-${ticker}`, ''],
    [`api-${ticker}`, '1000000'],
  ])
  const general = { 'from-hour': '0', 'to-hour': '0', cooling: '24', addresses: 'any', api: 'limited' }
  const version = fieldOf(await owner.get(pathOf(POLICY)), 'version')
  const answer = await owner.post(pathOf(POLICY), { ...Object.fromEntries(rows), ...general, version, ...given })
  expect(answer.status, textOf(answer)).toBe(303)
  // The list of merchants with a policy for the API is half a second old.
  edge.clock.ms += 1_000
}
/** Without a policy; nothing was paid. */
afterEach(async () => {
  await sql`truncate payout_policies, payout_api_sums, payout_addresses, payout_requests cascade`.execute(edge.db)
  edge.clock.ms += 1_000
  await world.change()
})

let orders = 0
/** Places an order with a localId of its own. */
const place = (operation: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  orders += 1
  return world.place(operation, { ...ORDERS[operation], localId: `policy-${orders}`, ...more })
}
const withdraw = (amount: string, more = {}): Promise<Answer> => place('createCryptoWithdrawal', { amount, ...more })
const resultOf = ({ status, body }: Answer): string =>
  status === 200 ? 'placed' : `${status} ${(body as { code: number }).code}`
const PAYOUTS = moneyOperations.map(({ id }) => id).filter((id) => id !== 'createExchange')

describe('orders of the API', () => {
  test.each(moneyOperations.map(({ id }) => id))('%s is free without a policy for the API', async (operation) => {
    expect(resultOf(await place(operation))).toBe('placed')
    await setPolicy({ api: 'free', addresses: 'book', 'from-hour': '3', 'to-hour': '4' })
    expect(resultOf(await place(operation))).toBe('placed')
  })

  test.each(PAYOUTS)(
    '%s is refused with code 7 above the amount of its asset, and nothing moves',
    async (operation) => {
      await setPolicy(Object.fromEntries(TICKERS.map((ticker) => [`api-${ticker}`, '5'])))
      const before = await world.balances()
      const answer = await place(operation)
      expect(resultOf(answer)).toBe('400 7')
      expect(answer.text).toMatch(/at most 5 (USDT|UAH) leave by the API in 24 hours, by the payout policy/)
      expect(await world.balances()).toEqual(before)
      expect((await sql`select from payout_api_sums`.execute(edge.db)).rows).toEqual([])
    },
  )

  test('createExchange pays nothing out, and obeys no policy of payouts', async () => {
    await setPolicy(Object.fromEntries(TICKERS.map((ticker) => [`api-${ticker}`, '0'])))
    expect(resultOf(await place('createExchange'))).toBe('placed')
  })

  test.each(PAYOUTS)('%s counts once, although its request is repeated, and its answer stays', async (operation) => {
    await setPolicy({})
    const body = { ...ORDERS[operation], localId: `once-${operation}` }
    const first = await world.place(operation, body)
    expect(resultOf(first)).toBe('placed')
    const sums = async () => (await sql`select ticker, units from payout_api_sums`.execute(edge.db)).rows
    const counted = await sums()
    expect(counted).toHaveLength(1)
    await setPolicy(Object.fromEntries(TICKERS.map((ticker) => [`api-${ticker}`, '0'])))
    expect((await world.place(operation, body, 1)).text).toBe(first.text)
    expect(await sums()).toEqual(counted)
  })

  test('20 requests at once are never paid above the amount, and one that the balance refuses does not count', async () => {
    await setPolicy({ 'api-USDT': '100' })
    expect(resultOf(await withdraw('99', { fee: '100000' }))).toBe('400 1')
    const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw('10')))
    expect(answers.map(resultOf).toSorted()).toEqual([...Array(10).fill('400 7'), ...Array(10).fill('placed')])
    expect(answers.find(({ status }) => status !== 200)!.text).toContain('0 USDT are left')
    edge.clock.ms += DAY_MS + 120_000
    await world.change()
    expect(resultOf(await withdraw('100'))).toBe('placed')
  })

  test('the sums of an hour and of a day are those of members and of the API together', async () => {
    const [maker, checker] = [await memberOf(edge.merchant.id, 'finance'), await memberOf(edge.merchant.id, 'approver')]
    const typed = { 'payout-asset': 'USDT/ETHEREUM', 'payout-to': OUTSIDE, 'payout-amount': '60', 'payout-meta': '' }
    const checked = await maker.post(pathOf('payouts/new'), { do: 'check', ...typed })
    const form = { 'form-key': fieldOf(checked, 'form-key'), fees: fieldOf(checked, 'fees'), ...typed }
    const path = (await maker.post(pathOf('payouts/new'), { do: 'ask', ...form })).headers['location'] as string
    await setPolicy({ 'hour-USDT': '100' })
    const shown = fieldOf(await checker.get(path), 'shown')
    const [approved, ordered] = await Promise.all([
      checker.post(path, { do: 'approve', shown }),
      withdraw('60').then(resultOf),
    ])
    expect([
      [303, '400 7'],
      [400, 'placed'],
    ]).toContainEqual([approved.status, ordered])
    expect(resultOf(await withdraw('41'))).toBe('400 7')
    expect(resultOf(await withdraw('40'))).toBe('placed')
  })

  test('a destination outside the address book, and a card, are refused with code 8', async () => {
    await setPolicy({ addresses: 'book' })
    for (const operation of PAYOUTS) expect(resultOf(await place(operation)), operation).toBe('400 8')
    const form = { do: 'add', 'address-name': 'Supplier', network: 'ETHEREUM', address: OUTSIDE }
    expect((await owner.post(pathOf('payouts/addresses'), form)).status).toBe(303)
    edge.clock.ms += DAY_MS
    await world.change()
    expect(resultOf(await withdraw('10'))).toBe('placed')
    expect(resultOf(await place('createCryptoExchangeWithdrawal'))).toBe('placed')
    expect(resultOf(await withdraw('10', { to: `0x${'3'.repeat(40)}` }))).toBe('400 8')
  })

  test('a new address of the book is refused until its waiting time has ended', async () => {
    await setPolicy({ addresses: 'book', cooling: '30' })
    const form = { do: 'add', 'address-name': 'New', network: 'ETHEREUM', address: OUTSIDE }
    expect((await owner.post(pathOf('payouts/addresses'), form)).status).toBe(303)
    expect(resultOf(await withdraw('10'))).toBe('400 8')
    edge.clock.ms += DAY_MS
    await world.change()
    expect(resultOf(await withdraw('10'))).toBe('400 8')
    edge.clock.ms += 6 * 3_600_000
    await world.change()
    expect(resultOf(await withdraw('10'))).toBe('placed')
  })

  test('an hour of the day that the policy forbids is answered with 503, and can be tried again', async () => {
    const hour = new Date(edge.clock.ms).getUTCHours()
    await setPolicy({ 'from-hour': String((hour + 2) % 24), 'to-hour': String((hour + 5) % 24) })
    const answer = await withdraw('10')
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '300'])
    edge.clock.ms += 3 * 3_600_000
    await world.change()
    expect(resultOf(await withdraw('10'))).toBe('placed')
  })
})

test('a target with an address is refused while the policy limits the API, and one without is stored', async () => {
  const runtime = createTestRuntime(edge.db, () => edge.clock.ms)
  const wallet = { bitcoinChain: 'regtest' } as WalletKeys
  const keep = targetKeeper({ runtime, catalogue, wallet }, createOrderPolicy(runtime))
  const owned = () => ({ merchantId: edge.merchant.id, kind: 'address', id: randomUUID() }) as const
  const sent = { ticker: 'USDT', address: OUTSIDE, blockchain: 'ETHEREUM' }
  await keep(owned(), sent)
  await setPolicy({})
  await expect(keep(owned(), sent)).rejects.toMatchObject({ status: 400, field: 'target.address' })
  await keep(owned(), { ticker: 'USDT' })
})

describe('a change of the policy for the API', () => {
  test('to one that forbids more is in force at once, to one that allows more after a day', async () => {
    await setPolicy({ 'api-USDT': '10' })
    await setPolicy({ 'api-USDT': '50' })
    expect(textOf(await owner.get(pathOf(POLICY)))).toContain('A change waits')
    expect(resultOf(await withdraw('11'))).toBe('400 7')
    await setPolicy({ api: 'free' })
    expect(resultOf(await withdraw('11'))).toBe('400 7')
    edge.clock.ms += DAY_MS + 1_000
    await world.change()
    expect(resultOf(await withdraw('11'))).toBe('placed')
  })

  test('needs the choice of the form', async () => {
    const version = fieldOf(await owner.get(pathOf(POLICY)), 'version')
    expect((await owner.post(pathOf(POLICY), { version, 'api-USDT': '1' })).status).toBe(400)
    await setPolicy({ 'api-USDT': '12.5' })
    const page = await owner.get(pathOf(POLICY))
    expect(page.text).toMatch(/name="api-USDT" value="12[.,]5"/)
    expect(page.text).toMatch(/value="limited" selected/)
  })
})
