import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { startLosingProxy } from '../../../../test/setup/losing-proxy.ts'
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

/** Orders that were filled already: who they are is looked at before their price, also where the effect is decided. */
const { url, db } = useDb({ max: 20 })
let world: ExchangeWorld
beforeEach(async () => {
  await emptyTables(db)
  world = createExchangeWorld(db, POLICY)
  await stock(db, 'USDT', 1_000n * 10n ** 18n)
})

const POLICY = { spreadBps: 50, feeBps: 50 }
const MOVED = { ...PRICES, UAH: (PRICES.UAH * 10_010n) / 10_000n }
const signed = (key: string) => [{ key, fingerprint: 'f' }]
const exchanges = async () =>
  Number((await sql<{ n: number }>`select count(*) as n from exchanges`.execute(db)).rows[0]!.n)
const sound = async () => {
  expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])
  expect(await auditPositions(db)).toEqual([])
}

/**
 * An order under an estimate, at a price that no order gets without its quote: the market has moved by a tenth of a
 * percent.
 */
const estimated = async () => {
  const merchant = newId()
  await giveBalance(db, merchant, 'UAH', 10_000_00n)
  const query = { spendTicker: 'UAH', targetTicker: 'USDT', side: 'target', amount: '10' }
  const { body } = await world.ask('estimateExchange', merchant, { query })
  const { value: price } = (body as unknown as { price: { value: string } }).price
  world.usdtMarkets = marketsAt(MOVED, world.now)
  return { merchant, body: { ...query, price, localId: 'x-1' } }
}

test('audit F-3: the very same signed request gets the first answer, though the promise is used up and the market has moved', async () => {
  const { merchant, body } = await estimated()
  const first = await world.ask('createExchange', merchant, { body, answerKeys: signed('sig:a') })
  expect(first.status).toBe(200)
  expect(await world.ask('createExchange', merchant, { body, answerKeys: signed('sig:a') })).toEqual(first)
  expect(await exchanges()).toBe(1)
  await sound()
})

test('audit F-3 C-2: the same order signed anew is refused with the id of the order that has its localId', async () => {
  const { merchant, body } = await estimated()
  const first = await world.ask('createExchange', merchant, { body, answerKeys: signed('sig:a') })
  const again = await world.ask('createExchange', merchant, { body, answerKeys: signed('sig:b') })
  expect(again.body).toMatchObject({ code: 0, description: expect.stringContaining(first.body.id!) as string })
  expect(await exchanges()).toBe(1)
  await sound()
})

test.each([
  ['the same signature', 'sig:a', 200],
  ['the same localId', 'sig:b', 400],
])(
  'audit F-3: of two equal orders at two processes the second waits for the first, known by %s',
  async (_what, key, status) => {
    const { merchant, body } = await estimated()
    const other = createExchangeWorld(db, POLICY)
    other.usdtMarkets = world.usdtMarkets
    const waiting = async (n: number) => {
      for (;;) {
        const { rows } = await sql<{ n: number }>`select count(*) as n from pg_locks where not granted`.execute(db)
        if (Number(rows[0]!.n) >= n) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    // The first has taken the promise, and waits for the merchant's account.
    const held = Promise.withResolvers<void>()
    const holder = inTransaction(db, async (tx) => {
      await sql`select from ledger_accounts where merchant_id = ${merchant} for update`.execute(tx)
      await held.promise
    })
    const first = world.ask('createExchange', merchant, { body, answerKeys: signed('sig:a') })
    await waiting(1)
    const second = other.ask('createExchange', merchant, { body, answerKeys: signed(key) })
    await waiting(2)
    held.resolve()
    await holder
    const [one, two] = await Promise.all([first, second])
    expect([one.status, two.status]).toEqual([200, status])
    if (status === 200) expect(two).toEqual(one)
    else expect(two.body).toMatchObject({ code: 0, description: expect.stringContaining(one.body.id!) as string })
    expect(await exchanges()).toBe(1)
    await sound()
  },
)

test('audit F-3: an exchange whose answer to COMMIT was lost is answered as filled, alone or with others', async () => {
  const proxy = await startLosingProxy(url)
  const lossy = createPool({ url: proxy.url, max: 5 })
  const through = createExchangeWorld(createDb(lossy), POLICY)
  const { merchant, body } = await estimated()
  through.usdtMarkets = world.usdtMarkets
  proxy.loseNextCommit()
  const first = await through.ask('createExchange', merchant, { body, answerKeys: signed('sig:a') })
  expect([proxy.lost(), first.status, await exchanges()]).toEqual([1, 200, 1])
  const fresh = { ...body, price: '50' }
  proxy.loseNextCommit()
  const both = await Promise.all(
    ['x-2', 'x-3'].map((localId) =>
      through.ask('createExchange', merchant, {
        body: { ...fresh, amount: localId === 'x-2' ? '11' : '12', localId },
        answerKeys: signed(`sig:${localId}`),
      }),
    ),
  )
  expect([proxy.lost(), both.map(({ status }) => status), await exchanges()]).toEqual([2, [200, 200], 3])
  await lossy.end()
  await proxy.close()
  await sound()
})
