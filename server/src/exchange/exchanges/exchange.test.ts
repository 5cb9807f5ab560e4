import { Ajv } from 'ajv'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { estimateExchange, exchangeNotice, listExchangeDirections } from '@bursar/contract'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { stopMoney } from '../../../../test/world/stops.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { auditPositions, fundPosition, positionsOf, spreadIncomeOf } from './index.ts'
import {
  createExchangeWorld,
  giveBalance,
  marketsAt,
  PRICES,
  stock,
  type ExchangeWorld,
} from '../../../../test/world/exchange.ts'

const { db } = useDb({ max: 20 })
let world: ExchangeWorld
let merchant: string
const ajv = new Ajv()
beforeEach(async () => {
  await emptyTables(db)
  world = createExchangeWorld(db, { spreadBps: 50, feeBps: 50 })
  merchant = newId()
})

const order = { spendTicker: 'UAH', targetTicker: 'USDT', side: 'target', amount: '100' }
const balance = async (asset: string, kind = 'merchant', of = merchant) => {
  const { rows } = await sql<{
    posted: bigint
  }>`select coalesce(sum(posted), 0) as posted from ledger_accounts where merchant_id = ${of} and asset = ${asset} and kind = ${kind}`.execute(
    db,
  )
  return rows[0]!.posted
}
const inventory = async (asset: string) => {
  const { rows } = await sql<{
    units: bigint
  }>`select coalesce(sum(units), 0) as units from exchange_inventory where asset = ${asset}`.execute(db)
  return rows[0]!.units
}
const position = async (asset: string) => {
  const { rows } = await sql<{
    posted: bigint
  }>`select coalesce(sum(posted), 0) as posted from ledger_accounts where asset = ${asset} and kind = 'position'`.execute(
    db,
  )
  return rows[0]!.posted
}
const notices = async () =>
  (await sql<{ body: string }>`select body from events order by sequence`.execute(db)).rows.map(
    ({ body }) => JSON.parse(body) as Record<string, unknown>,
  )
const soundLedger = async () => expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])

describe('directions', () => {
  test('are those with a price, in the fixed order of the pair, as the contract has them', async () => {
    const { body } = await world.ask('listExchangeDirections', merchant, {})
    const list = body as unknown as {
      target: { ticker: string }
      exchange: { ticker: string; min: string }
      price: { value: string; pair: string[] }
    }[]
    expect(ajv.compile(listExchangeDirections.response)(list)).toBe(true)
    expect(list.map(({ exchange, target }) => `${exchange.ticker}>${target.ticker}`).toSorted()).toEqual([
      'BTC>ETH',
      'BTC>UAH',
      'BTC>USDT',
      'ETH>BTC',
      'ETH>UAH',
      'ETH>USDT',
      'UAH>BTC',
      'UAH>ETH',
      'UAH>USDT',
      'USDT>BTC',
      'USDT>ETH',
      'USDT>UAH',
    ])
    expect(
      list.find(({ exchange, target }) => exchange.ticker === 'UAH' && target.ticker === 'BTC')!.price.pair,
    ).toEqual(['BTC', 'UAH'])
  })

  test('audit C-20: while sources are down they are the last known ones, and a header says of when; nothing is filled at them', async () => {
    const at = world.now
    const known = (await world.ask('listExchangeDirections', merchant, {})).body as unknown as {
      exchange: { ticker: string }
    }[]
    const last = new Map(Object.entries(PRICES).map(([ticker, middle]) => [ticker, { middle, at: new Date(at) }]))
    world.usdtMarkets = { open: new Map(), closed: new Map([['UAH', 'last read long ago']]), last }
    const { body, headers } = await world.ask('listExchangeDirections', merchant, {})
    expect([(body as unknown as unknown[]).length, headers]).toEqual([
      known.length,
      { 'x-last-known-prices': String(at) },
    ])
    expect(ajv.compile(listExchangeDirections.response)(body)).toBe(true)
    expect((await world.ask('estimateExchange', merchant, { query: order })).body.code).toBe(2)
    world.now += 24 * 3_600_000 + 1
    expect(await world.ask('listExchangeDirections', merchant, {})).toMatchObject({ body: [] })
  })

  test('buying costs more than the middle price and selling brings less', async () => {
    const { body } = await world.ask('listExchangeDirections', merchant, {})
    const list = body as unknown as {
      target: { ticker: string }
      exchange: { ticker: string }
      price: { value: string }
    }[]
    const price = (spend: string, target: string) =>
      Number(list.find((d) => d.exchange.ticker === spend && d.target.ticker === target)!.price.value)
    expect(price('USDT', 'BTC')).toBeCloseTo(65_000 * 1.001 * (1 / 0.995), 4)
    expect(price('BTC', 'USDT')).toBeCloseTo(65_000 * 0.999 * 0.995, 4)
    expect(price('ETH', 'BTC')).toBeGreaterThan(26)
    expect(price('BTC', 'ETH')).toBeLessThan(26)
  })
})

describe('an estimate', () => {
  test('adds up and is as the contract has it', async () => {
    await stock(db, 'USDT', 1_000n * 10n ** 18n)
    const { status, body } = await world.ask('estimateExchange', merchant, { query: order })
    expect(status).toBe(200)
    expect(ajv.compile(estimateExchange.response)(body)).toBe(true)
    expect(body).toEqual({
      // 40.04 / 0.995 of spread, up: for USDT that is bought
      price: { value: '40.24120604', pair: ['USDT', 'UAH'] },
      exchange: { amount: '4024.13', ticker: 'UAH', fee: '20.13' },
      target: { amount: '100', ticker: 'USDT' },
      spend: { amount: '4044.26', ticker: 'UAH' },
    })
  })

  test.each([
    [{ ...order, targetTicker: 'DOGE' }, 1, /Ticker pair not allowed: UAH to DOGE/],
    [{ ...order, targetTicker: 'UAH' }, 1, /not allowed/],
    [{ ...order, amount: '0.000000001' }, 0, /finer than the step of USDT: 0\.00000001/],
    [{ ...order, amount: '0' }, 0, /greater than zero/],
    [{ ...order, amount: '0.1' }, 0, /Amount too low: 4\.\d+ UAH would be spent, the least is 50 UAH/],
    [{ ...order, amount: '1000000' }, 0, /Amount too high: .* the most is 4000000 UAH/],
    [{ ...order, targetTicker: 'KZT' }, 2, /Not enough liquidity: KZT: 0 of 1 sources/],
    [{ ...order, amount: '2000' }, 2, /not that much USDT to sell/],
    [{ ...order, price: '40' }, 0, /the price is 40\.24120604 now, worse/],
  ])('of %j is refused with code %i', async (query, code, description) => {
    await stock(db, 'USDT', 1_000n * 10n ** 18n)
    const { status, body } = await world.ask('estimateExchange', merchant, { query })
    expect([status, body.code]).toEqual([400, code])
    expect(body.description).toMatch(description)
  })

  test('audit C-22: of the side exchange is that of the side spend', async () => {
    await stock(db, 'USDT', 1_000n * 10n ** 18n)
    const query = { ...order, amount: '4020' }
    const spend = await world.ask('estimateExchange', merchant, { query: { ...query, side: 'spend' } })
    expect(await world.ask('estimateExchange', merchant, { query: { ...query, side: 'exchange' } })).toEqual(spend)
    await giveBalance(db, merchant, 'UAH', 10_000_00n)
    expect(
      (await world.ask('createExchange', merchant, { body: { ...query, side: 'exchange', price: '41' } })).status,
    ).toBe(200)
  })

  test('audit F-9.2: counts the quotes of its own merchant that it can pay for', async () => {
    await stock(db, 'USDT', 150n * 10n ** 18n)
    const estimates = async (n: number) =>
      (
        await Promise.all(Array.from({ length: n }, () => world.ask('estimateExchange', merchant, { query: order })))
      ).map(({ status }) => status)
    // About one of them: the same amount asked for again and again is bought once at most.
    await giveBalance(db, merchant, 'UAH', 4_500_00n)
    expect(await estimates(3)).toEqual([200, 200, 200])
    await giveBalance(db, merchant, 'UAH', 4_500_00n)
    expect(await estimates(1)).toEqual([400])
    world.now += 10_001
    expect(await estimates(2)).toEqual([200, 400])
  })

  test('audit F-9.2: estimates of a merchant without money do not close the exchange for others', async () => {
    await stock(db, 'USDT', 150n * 10n ** 18n)
    for (let n = 0; n < 5; n += 1)
      expect((await world.ask('estimateExchange', newId(), { query: { ...order, amount: '150' } })).status).toBe(200)
    expect((await world.ask('estimateExchange', merchant, { query: order })).status).toBe(200)
  })

  test('of more than the books hold has no price', async () => {
    await stock(db, 'USDT', 10n ** 24n)
    world.usdtMarkets = marketsAt(PRICES, world.now, 10n)
    const { body } = await world.ask('estimateExchange', merchant, { query: order })
    expect(body).toMatchObject({ code: 2, description: expect.stringMatching(/order books hold less/) as string })
  })
})

describe('an exchange', () => {
  beforeEach(async () => {
    await stock(db, 'USDT', 1_000n * 10n ** 18n)
    await giveBalance(db, merchant, 'UAH', 10_000_00n)
  })
  const body = { ...order, price: '40.24120604' }

  test('moves the balance, the position and the fee, and notifies Done once', async () => {
    const { status, body: answer } = await world.ask('createExchange', merchant, {
      body: { ...body, localId: 'x1', meta: 'm' },
    })
    expect(status).toBe(200)
    expect(await balance('UAH')).toBe(10_000_00n - 4044_26n)
    expect(await balance('USDT')).toBe(100n * 10n ** 18n)
    expect([await position('UAH'), await balance('UAH', 'fees')]).toEqual([4024_13n, 20_13n])
    expect([await inventory('UAH'), await inventory('USDT')]).toEqual([4024_13n, 900n * 10n ** 18n])
    expect(await position('USDT')).toBe(900n * 10n ** 18n)
    const [notice, ...more] = await notices()
    expect(more).toEqual([])
    expect(ajv.compile(exchangeNotice.schema)(notice)).toBe(true)
    expect(notice).toMatchObject({
      id: answer.id,
      status: 'Done',
      spendAmount: '4044.26',
      fee: '20.13',
      targetAmount: '100',
      price: '40.24120604',
      pricePair: ['USDT', 'UAH'],
      localId: 'x1',
      meta: 'm',
    })
    await soundLedger()
  })

  test.each([
    [{ ...body, price: '40' }, 3, /the price is 40\.24120604 UAH for 1 USDT now/],
    [{ ...body, amount: '250', price: '41' }, 1, /Not enough balance: 10000 UAH is available/],
    [{ ...body, fee: '20.12' }, 2, /the current fee is 20\.13 UAH/],
    [{ ...body, amount: '1' }, 5, /Amount too low/],
    [{ ...body, targetTicker: 'DOGE' }, 4, /not allowed/],
    [{ ...body, price: '40.123456789' }, 3, /price is a decimal/],
  ])('of %j is refused with code %i and leaves nothing', async (asked, code, description) => {
    const { status, body: answer } = await world.ask('createExchange', merchant, { body: asked })
    expect([status, answer.code]).toEqual([400, code])
    expect(answer.description).toMatch(description)
    expect(await balance('UAH')).toBe(10_000_00n)
    expect([await inventory('UAH'), await inventory('USDT')]).toEqual([0n, 1_000n * 10n ** 18n])
    expect(await notices()).toEqual([])
  })

  test('of more than there is to sell is refused with code 6, and leaves nothing', async () => {
    await giveBalance(db, merchant, 'UAH', 90_000_00n)
    const { body: answer } = await world.ask('createExchange', merchant, {
      body: { ...body, amount: '1001', price: '41' },
    })
    expect(answer).toMatchObject({ code: 6, description: expect.stringContaining('not that much USDT') })
    expect([await balance('UAH'), await inventory('USDT'), await notices()]).toEqual([
      100_000_00n,
      1_000n * 10n ** 18n,
      [],
    ])
  })

  test('a localId is taken once; the same request again gets the first answer', async () => {
    const answerKeys = [{ key: 'sig:1', fingerprint: 'f' }]
    const first = await world.ask('createExchange', merchant, { body: { ...body, localId: 'x1' }, answerKeys })
    expect(await world.ask('createExchange', merchant, { body: { ...body, localId: 'x1' }, answerKeys })).toEqual(first)
    expect((await world.ask('createExchange', merchant, { body: { ...body, localId: 'x1' } })).body).toMatchObject({
      code: 0,
      field: 'localId',
    })
    expect(await balance('UAH')).toBe(10_000_00n - 4044_26n)
  })

  test("of the spend side spends exactly that, with a fee of the merchant's own when it is higher", async () => {
    const given = { spendTicker: 'UAH', targetTicker: 'USDT', side: 'spend', amount: '4044.26', price: '41' }
    await world.ask('createExchange', merchant, { body: given })
    expect(await balance('UAH')).toBe(10_000_00n - 4044_26n)
    const got = await balance('USDT')
    expect(got).toBeGreaterThanOrEqual(100n * 10n ** 18n)
    await world.ask('createExchange', merchant, { body: { ...given, fee: '44.26' } })
    // 4044.26 / 1.005, down, is 4024.13: the rest of what is spent is the fee
    expect(await balance('UAH', 'fees')).toBe(20_13n + 44_26n)
    expect((await balance('USDT')) - got).toBeLessThan(got)
    await soundLedger()
  })

  test('stopped assets are not exchanged away', async () => {
    await stopMoney(db, { asset: 'UAH' })
    expect((await world.ask('createExchange', merchant, { body })).status).toBe(503)
  })

  test("X1 an estimate's price is honoured once, for ten seconds, while the market stays near", async () => {
    const estimated = async (at: ExchangeWorld['usdtMarkets']) => {
      world.usdtMarkets = at
      const { body: made } = await world.ask('estimateExchange', merchant, { query: order })
      return (made as unknown as { price: { value: string } }).price.value
    }
    const dearer = (bps: bigint) => marketsAt({ ...PRICES, UAH: (PRICES.UAH * (10_000n + bps)) / 10_000n }, world.now)
    const price = await estimated(marketsAt(PRICES, world.now))
    world.usdtMarkets = dearer(40n)
    expect((await world.ask('createExchange', merchant, { body: { ...order, price } })).status).toBe(200)
    // taken
    expect((await world.ask('createExchange', merchant, { body: { ...order, price } })).body.code).toBe(3)
    // run out
    const second = await estimated(marketsAt(PRICES, world.now))
    world.now += 10_001
    world.usdtMarkets = dearer(40n)
    expect((await world.ask('createExchange', merchant, { body: { ...order, price: second } })).body.code).toBe(3)
    // the market moved more than the spread
    const third = await estimated(marketsAt(PRICES, world.now))
    world.usdtMarkets = dearer(51n)
    expect((await world.ask('createExchange', merchant, { body: { ...order, price: third } })).body.code).toBe(3)
    // another merchant's
    world.usdtMarkets = dearer(40n)
    const other = newId()
    await giveBalance(db, other, 'UAH', 10_000_00n)
    expect((await world.ask('createExchange', other, { body: { ...order, price: third } })).body.code).toBe(3)
  })

  test('a quote that could not be used for lack of balance is there again', async () => {
    const other = newId()
    const { body: made } = await world.ask('estimateExchange', other, { query: order })
    const { price } = made as unknown as { price: { value: string } }
    world.usdtMarkets = marketsAt({ ...PRICES, UAH: (PRICES.UAH * 10_040n) / 10_000n }, world.now)
    expect((await world.ask('createExchange', other, { body: { ...order, price: price.value } })).body.code).toBe(1)
    await giveBalance(db, other, 'UAH', 10_000_00n)
    expect((await world.ask('createExchange', other, { body: { ...order, price: price.value } })).status).toBe(200)
  })

  test('50 at once for the last of it: exactly the available amount is sold', async () => {
    const merchants = Array.from({ length: 50 }, newId)
    for (const one of merchants) await giveBalance(db, one, 'UAH', 10_000_00n)
    const answers = await Promise.all(
      merchants.map((one) => world.ask('createExchange', one, { body: { ...body, amount: '60', price: '41' } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(16)
    expect(answers.filter(({ status, body: { code } }) => status === 400 && code === 6)).toHaveLength(34)
    expect([await inventory('USDT'), await position('USDT')]).toEqual([40n * 10n ** 18n, 40n * 10n ** 18n])
    await soundLedger()
  })

  test('the income of the spread is the difference to a trade without it', async () => {
    await world.ask('createExchange', merchant, { body })
    // 100 USDT at 40.24120604 instead of 40.04
    expect(await spreadIncomeOf(db)).toEqual([{ asset: 'USDT', units: 502_512_587_412_587_412n }])
    expect(await positionsOf(db)).toEqual([
      { asset: 'UAH', position: 4024_13n, inventory: 4024_13n, capital: 0n, sold: 0n, bought: 4024_13n, fees: 20_13n },
      {
        asset: 'USDT',
        position: 900n * 10n ** 18n,
        inventory: 900n * 10n ** 18n,
        capital: 0n,
        sold: 100n * 10n ** 18n,
        bought: 0n,
        fees: 0n,
      },
    ])
    expect(await auditPositions(db)).toEqual([])
    await sql`update exchange_inventory set units = units + 1 where asset = 'USDT' and chunk = 0`.execute(db)
    expect(await auditPositions(db)).toMatchObject([{ asset: 'USDT' }])
  })

  test('the owner funds an available position, and takes back unused capital', async () => {
    await expect(inTransaction(db, (tx) => fundPosition(tx, 'USDT', 1n, { at: new Date(), newId }))).rejects.toThrow(
      'less capital in USDT',
    )
    await inTransaction(db, (tx) => fundPosition(tx, 'USDT', -400n * 10n ** 18n, { at: new Date(), newId }))
    expect([await inventory('USDT'), await position('USDT')]).toEqual([600n * 10n ** 18n, 600n * 10n ** 18n])
    await expect(
      inTransaction(db, (tx) => fundPosition(tx, 'USDT', -601n * 10n ** 18n, { at: new Date(), newId })),
    ).rejects.toThrow('smaller than that')
  })

  test('no more is bought than the platform wants to hold', async () => {
    world = createExchangeWorld(db, { spreadBps: 50, feeBps: 50, assets: { UAH: { most: '5000' } } })
    expect((await world.ask('createExchange', merchant, { body })).status).toBe(200)
    expect((await world.ask('createExchange', merchant, { body })).body).toMatchObject({
      code: 6,
      description: expect.stringMatching(/no more UAH is bought now/) as string,
    })
  })
})
