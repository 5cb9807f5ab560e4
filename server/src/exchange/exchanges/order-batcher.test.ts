import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { isWaitingForLock } from '../../../../test/world/locks.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { openSilentProxy } from '../../../../test/setup/silent-proxy.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createDb, createPool, inTransaction } from '../../platform/db/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { auditPositions } from './index.ts'
import {
  createExchangeWorld,
  giveBalance,
  marketsAt,
  PRICES,
  stock,
  type ExchangeWorld,
} from '../../../../test/world/exchange.ts'

/** Orders that arrive together: each is as if it had come alone. */
const { db, url } = useDb({ max: 20 })
let world: ExchangeWorld
beforeEach(async () => {
  await emptyTables(db)
  world = createExchangeWorld(db, { spreadBps: 50, feeBps: 50 })
  await stock(db, 'USDT', 1_000n * 10n ** 18n)
})

const order = { spendTicker: 'UAH', targetTicker: 'USDT', side: 'target', amount: '10', price: '41' }
const rich = async () => {
  const id = newId()
  await giveBalance(db, id, 'UAH', 10_000_00n)
  return id
}
const count = async (table: string) =>
  (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]!.n
const sound = async () => {
  expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])
  expect(await auditPositions(db)).toEqual([])
}

describe('orders that arrive together', () => {
  test('are filled or refused one by one, and a refused order moves nothing', async () => {
    const [poor, ...others] = [newId(), await rich(), await rich(), await rich(), await rich()]
    const asking: [string, object][] = [
      [others[0]!, { ...order, localId: 'a' }],
      [poor, order],
      [others[1]!, { ...order, price: '40' }],
      [others[0]!, { ...order, localId: 'a', amount: '11' }],
      [others[2]!, { ...order, fee: '0.01' }],
      [others[3]!, { ...order, side: 'spend', amount: '500' }],
      [others[3]!, { ...order, localId: 'a' }],
    ]
    const answers = await Promise.all(asking.map(([merchant, body]) => world.ask('createExchange', merchant, { body })))
    expect(answers.map(({ status, body: { code } }) => code ?? status)).toEqual([200, 1, 3, 0, 2, 200, 200])
    expect([await count('exchanges'), await count('events')]).toEqual([3, 3])
    expect(
      (
        await sql`select 1 from exchange_inventory where asset = 'USDT' having sum(units) = ${1_000n * 10n ** 18n}::numeric - (select sum(target_units) from exchanges)`.execute(
          db,
        )
      ).rows,
    ).toHaveLength(1)
    await sound()
  })

  test('the same request many times is one exchange with one answer; a key of another request is a conflict', async () => {
    const merchant = await rich()
    const same = Array.from({ length: 8 }, () =>
      world.ask('createExchange', merchant, { body: order, answerKeys: [{ key: 'k', fingerprint: 'f' }] }),
    )
    const answers = await Promise.all([
      ...same,
      world.ask('createExchange', merchant, { body: order, answerKeys: [{ key: 'k', fingerprint: 'g' }] }),
    ])
    const [first] = answers
    expect(first!.status).toBe(200)
    for (const answer of answers.slice(0, 8)) expect(answer).toEqual(first)
    expect(answers[8]!.status).toBe(409)
    expect(await count('exchanges')).toBe(1)
    await sound()
  })

  test('an order that was refused for lack of money is answered alike when it is repeated', async () => {
    const merchant = newId()
    const request = { body: order, answerKeys: [{ key: 'k', fingerprint: 'f' }] }
    const first = await world.ask('createExchange', merchant, request)
    await giveBalance(db, merchant, 'UAH', 10_000_00n)
    expect(first.body.code).toBe(1)
    expect(await world.ask('createExchange', merchant, request)).toEqual(first)
    expect(await count('exchanges')).toBe(0)
  })

  test('orders under promises alike take one each, and no more than there are', async () => {
    const merchant = await rich()
    const query = { spendTicker: 'UAH', targetTicker: 'USDT', side: 'target', amount: '10' }
    const estimates = await Promise.all([1, 2].map(() => world.ask('estimateExchange', merchant, { query })))
    const { value: price } = (estimates[0]!.body as unknown as { price: { value: string } }).price
    world.usdtMarkets = marketsAt({ ...PRICES, UAH: (PRICES.UAH * 10_040n) / 10_000n }, world.now)
    const answers = await Promise.all(
      [1, 2, 3].map(() => world.ask('createExchange', merchant, { body: { ...query, price } })),
    )
    expect(answers.map(({ status, body: { code } }) => code ?? status)).toEqual([200, 200, 3])
    expect(await count('exchange_quotes')).toBe(0)
    await sound()
  })

  test('do not wait in turn for a database that is silent, however alike they are', async () => {
    const proxy = await openSilentProxy(url)
    const pool = createPool({ url: proxy.url, answerMs: 500 })
    const far = createExchangeWorld(createDb(pool), { spreadBps: 50, feeBps: 50 })
    const merchant = await rich()
    const ask = () => far.ask('createExchange', merchant, { body: order })
    // Rows read before the transaction are in memory from then on.
    await expect.poll(async () => (await ask().catch(() => undefined))?.status, { timeout: 30_000 }).toBe(200)
    proxy.setSilent(true)
    const answers = await Promise.allSettled(Array.from({ length: 6 }, ask))
    expect(new Set(answers.map((answer) => 'reason' in answer && (answer.reason as unknown))).size).toBe(1)
    proxy.close()
    await pool.end()
    await sound()
  })

  test.each([
    ['accounts', (merchant: string) => sql`select from ledger_accounts where merchant_id = ${merchant} for update`],
    ['names', (merchant: string) => sql`select pg_advisory_xact_lock(hashtextextended(${`${merchant}/a`}, 5271))`],
  ])('whose prices become too old while they wait for locked %s are refused, and move nothing', async (_, lock) => {
    const merchant = await rich()
    const ask = (more: object) => world.ask('createExchange', merchant, { body: { ...order, ...more } })
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = inTransaction(db, async (tx) => {
      await lock(merchant).execute(tx)
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const waiting = [ask({ localId: 'a' }), ask({ localId: 'a', amount: '11' })]
    await expect.poll(() => isWaitingForLock(db), { timeout: 60_000 }).toBe(true)
    world.now += 20_001
    held.resolve()
    await holder
    const answers = await Promise.all(waiting)
    expect(answers.map(({ body: { code } }) => code)).toEqual([6, 6])
    expect(answers[0]!.body.description).toMatch(/price of UAH is of .*waited too long/)
    expect([await count('exchanges'), await count('local_ids')]).toEqual([0, 0])
    world.usdtMarkets = marketsAt(PRICES, world.now)
    expect((await ask({ localId: 'a' })).status).toBe(200)
    await sound()
  })

  test('too little for all is enough for some: no order is refused that could be filled by itself', async () => {
    const merchants = await Promise.all(Array.from({ length: 9 }, rich))
    // Nine of 120 are more than the 1,000 there are.
    const answers = await Promise.all(
      merchants.map((merchant) => world.ask('createExchange', merchant, { body: { ...order, amount: '120' } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
    expect(answers.filter(({ body: { code } }) => code === 6)).toHaveLength(1)
    await sound()
  })
})
