import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { setPrices } from '../../../../test/world/prices.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { listBalances } from '@bursar/contract'
import { cases } from '../../../../test/setup/cases.ts'
import { createCatalogue, type AssetSettings } from '../../market/assets/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { applyAll } from '../postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import type { ApiRequest } from '../../platform/api/route.ts'
import { useDb } from '../../../../test/world/database.ts'
import { balanceRoutes } from './index.ts'

const { db, pool } = useDb()
const NOW = 1_800_000_000_000
const E18 = 10n ** 18n
const on = (decimals: number) => ({ decimals, minDeposit: '0', minWithdrawal: '0' })
const settings: AssetSettings = {
  crypto: [
    { ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: on(8) } },
    {
      ticker: 'USDT',
      name: 'Tether',
      networks: { ETHEREUM: { ...on(6), contract: '0x1' }, BINANCE_SMART_CHAIN: { ...on(18), contract: '0x2' } },
    },
  ],
  fiat: [{ ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 }],
}
let now = NOW
beforeEach(() => {
  // Prices are read anew after half a second: each test is a day of its own.
  now += 24 * 3_600_000
})

const ask = async (merchantId: string, tickers: string): Promise<unknown> => {
  const [route] = balanceRoutes({
    runtime: { db, clock: { now: () => now, business: () => now }, newId, log: pino({ level: 'silent' }) },
    catalogue: createCatalogue(settings),
  })
  const answer = await route!.handle({
    merchantId,
    params: {},
    query: { tickers },
    body: undefined,
    keyId: randomUUID(),
    requestId: 'r',
    answerKeys: [],
  } satisfies ApiRequest)
  expect(answer.status).toBe(200)
  return JSON.parse('json' in answer ? answer.json : JSON.stringify(answer.body))
}
const book = (merchantId: string, asset: string, posted: bigint, held = 0n) =>
  inTransaction(db, (tx) => {
    const id = newId()
    const entries = [
      { account: { merchantId, asset, kind: 'merchant' as const }, posted, held },
      { account: { merchantId, asset, kind: 'capital' as const }, posted: -posted, held: 0n },
    ]
    return applyAll(tx, [
      {
        transfer: {
          id,
          merchantId,
          kind: held === 0n ? 'post' : 'hold',
          cause: { kind: 'adjustment', id },
          entries,
          at: new Date(now),
        },
      },
    ])
  })
const price = (ticker: string, usd: bigint, at = now) =>
  setPrices({ db, clock: createClock(() => at) }, { [ticker]: usd })
const isValid = new Ajv().compile(listBalances.response)

describe('balances', () => {
  test('are the spendable amounts: posted less held, in the order of the request, zero for an asset without entries', async () => {
    const merchant = newId()
    await book(merchant, 'BTC', 150_000_000n, 25_000_000n)
    await book(merchant, 'USDT', 1n)
    const answer = await ask(merchant, 'USDT,UAH,BTC')
    expect(answer).toEqual([
      { value: '0.000000000000000001', ticker: 'USDT' },
      { value: '0', ticker: 'UAH' },
      { value: '1.25', ticker: 'BTC' },
    ])
    expect(isValid(answer)).toBe(true)
    expect(await ask(newId(), 'BTC')).toEqual([{ value: '0', ticker: 'BTC' }])
    expect(await ask(merchant, 'BTC,BTC')).toHaveLength(2)
  })

  test('are shown in USD by a fresh price only, rounded down to cents', async () => {
    const merchant = newId()
    await book(merchant, 'BTC', 12_345_678n)
    await book(merchant, 'UAH', 100n)
    await price('BTC', 65_003n * E18)
    await price('UAH', E18 / 41n)
    await price('USDT', E18, now - 11 * 60_000)
    const answer = await ask(merchant, 'BTC,UAH,USDT')
    // 0.12345678 x 65003 = 8025.06107...; 1 / 41 = 0.0243...
    expect(answer).toEqual([
      { value: '0.12345678', ticker: 'BTC', converted: '8025.06' },
      { value: '1', ticker: 'UAH', converted: '0.02' },
      { value: '0', ticker: 'USDT' },
    ])
    expect(isValid(answer)).toBe(true)
  })

  test.each(['NOPE', 'BTC,NOPE', '', 'BTC,', 'btc', 'BTC ETH', '__proto__', 'constructor'])(
    'of %j are refused by name',
    async (tickers) => {
      const unknown = tickers.split(',').find((ticker) => !['BTC', 'USDT', 'UAH'].includes(ticker))!
      await expect(ask(newId(), tickers)).rejects.toMatchObject({
        status: 400,
        code: 100,
        field: 'tickers',
        message: expect.stringContaining(JSON.stringify(unknown)),
      })
    },
  )

  test('of many requests at once share queries, and each merchant gets its own', async () => {
    const merchants = Array.from({ length: 40 }, () => newId())
    for (const [i, id] of merchants.entries()) await book(id, 'USDT', BigInt(i + 1) * E18)
    const [route] = balanceRoutes({
      runtime: { db, clock: { now: () => now, business: () => now }, newId, log: pino({ level: 'silent' }) },
      catalogue: createCatalogue(settings),
    })
    let acquired = 0
    pool.on('acquire', () => {
      acquired += 1
    })
    const asked = Array.from({ length: 400 }, (_, i) => i % merchants.length)
    const answers = await Promise.all(
      asked.map((i) =>
        route!.handle({
          merchantId: merchants[i]!,
          params: {},
          query: { tickers: i % 2 === 0 ? 'USDT' : 'UAH,USDT' },
          body: undefined,
          keyId: randomUUID(),
          requestId: 'r',
          answerKeys: [],
        }),
      ),
    )
    answers.forEach((answer, n) => {
      const records = (answer as { body: { value: string; ticker: string }[] }).body
      expect(records.at(-1)).toMatchObject({ ticker: 'USDT', value: String(asked[n]! + 1) })
    })
    expect(acquired).toBeLessThan(20)
  })

  test("are the ledger's, to the last unit, for any amounts", async () => {
    const merchant = newId()
    let [posted, held] = [0n, 0n]
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.bigInt({ min: 0n, max: 10n ** 29n }),
        async (credit, hold) => {
          await book(merchant, 'USDT', credit)
          posted += credit
          if (posted - held >= hold && hold > 0n) {
            await inTransaction(db, (tx) => {
              const id = newId()
              const entries = [
                { account: { merchantId: merchant, asset: 'USDT', kind: 'merchant' as const }, posted: 0n, held: hold },
              ]
              return applyAll(tx, [
                {
                  transfer: {
                    id,
                    merchantId: merchant,
                    kind: 'hold',
                    cause: { kind: 'adjustment', id },
                    entries,
                    at: new Date(now),
                  },
                },
              ])
            })
            held += hold
          }
          const [record] = (await ask(merchant, 'USDT')) as [{ value: string }]
          const [whole, fraction = ''] = record.value.split('.')
          expect(BigInt(whole! + fraction.padEnd(18, '0'))).toBe(posted - held)
        },
      ),
      { endOnFailure: true, numRuns: cases(30) },
    )
  })
})
