import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { newId } from '../../../../test/world/merchant.ts'
import { marketOf, type UsdtMarkets } from '../../market/rates/index.ts'
import { auditPositions } from './index.ts'
import { catalogue, createExchangeWorld, giveBalance, PRICES, stock } from '../../../../test/world/exchange.ts'

/**
 * Merchants exchange amounts of any size, in any order and at once: with neither spread nor fee nor depth between
 * prices, only rounding is left.
 */
const { db } = useDb({ max: 20 })

const E18 = 10n ** 18n
const TICKERS = ['BTC', 'ETH', 'USDT', 'UAH'] as const
type Ticker = (typeof TICKERS)[number]
/** Hryvnias for one USDT: every value below is in such parts of it. */
const UAH = 40n

/** Books with one price to buy and to sell at. */
const flatMarkets = (at: number): UsdtMarkets => ({
  open: new Map(
    Object.entries(PRICES).map(([ticker, price]) => {
      const side = [{ price, amount: 10n ** 6n * E18 }]
      const book = { ...marketOf(ticker), source: 'one', observedAt: at, bids: side, asks: side }
      return [ticker, { ticker, quorum: 1, middle: price, observedAt: new Date(at), books: [book] }]
    }),
  ),
  closed: new Map(),
})

/** 1e-18 of a fortieth of a USDT, exactly. */
const worthOf = (ticker: Ticker, units: bigint): bigint => {
  const whole = units * 10n ** BigInt(18 - catalogue.find(ticker)!.scale)
  if (ticker === 'UAH') return whole
  return ticker === 'USDT' ? whole * UAH : (whole * PRICES[ticker] * UAH) / E18
}

const order = fc
  .record({
    merchant: fc.nat(2),
    pair: fc.constantFrom(...TICKERS.flatMap((a) => TICKERS.filter((b) => b !== a).map((b) => [a, b] as const))),
    side: fc.constantFrom('spend' as const, 'target' as const),
    whole: fc.integer({ min: 0, max: 300 }),
    parts: fc.nat(99_999_999),
  })
  .map(({ merchant, pair: [spendTicker, targetTicker], side, whole, parts }) => {
    const named = side === 'spend' ? spendTicker : targetTicker
    const digits = Math.min(catalogue.find(named)!.scale, 8)
    const scaled = { BTC: whole % 2, ETH: whole % 20, USDT: whole, UAH: whole * 40 }[named]
    return {
      merchant,
      body: { spendTicker, targetTicker, side, amount: `${scaled}.${String(parts).padStart(8, '0').slice(0, digits)}` },
    }
  })

const holdings = async (merchantId: string): Promise<bigint> => {
  const { rows } = await sql<{
    asset: Ticker
    units: bigint
  }>`select asset, posted as units from ledger_accounts where merchant_id = ${merchantId} and kind = 'merchant'`.execute(
    db,
  )
  return rows.reduce((sum, { asset, units }) => sum + worthOf(asset, units), 0n)
}

test('L9 rounding favours no merchant, the ledger adds up to zero, inventory equals the position', async () => {
  let filled = 0
  await fc.assert(
    fc.asyncProperty(fc.array(order, { minLength: 5, maxLength: 40 }), async (orders) => {
      await emptyTables(db)
      const world = createExchangeWorld(db, { spreadBps: 0, feeBps: 0 })
      world.usdtMarkets = flatMarkets(world.now)
      const merchants = [newId(), newId(), newId()]
      for (const [ticker, units] of [
        ['BTC', 10n ** 8n],
        ['ETH', 20n * E18],
        ['USDT', 20_000n * E18],
        ['UAH', 800_000_00n],
      ] as const) {
        await stock(db, ticker, 5n * units)
        for (const merchant of merchants) await giveBalance(db, merchant, ticker, units)
      }
      const before = await Promise.all(merchants.map(holdings))
      const limit = ({ spendTicker, targetTicker }: (typeof orders)[number]['body']): string => {
        const first = [spendTicker, targetTicker].toSorted((a, b) => TICKERS.indexOf(a) - TICKERS.indexOf(b))[0]
        return first === spendTicker ? '0.00000001' : '1000000000'
      }
      // In fives, so that some share a transaction and all see what others did.
      for (let i = 0; i < orders.length; i += 5) {
        const answers = await Promise.all(
          orders
            .slice(i, i + 5)
            .map(({ merchant, body }) =>
              world.ask('createExchange', merchants[merchant]!, { body: { ...body, price: limit(body) } }),
            ),
        )
        for (const { status, body } of answers)
          expect(status === 200 || [1, 3, 5, 6, 7].includes(body.code!), JSON.stringify(body)).toBe(true)
        filled += answers.filter(({ status }) => status === 200).length
      }
      for (const [i, merchant] of merchants.entries()) expect(await holdings(merchant)).toBeLessThanOrEqual(before[i]!)
      expect(await inTransaction(db, (tx) => auditLedger(tx))).toEqual([])
      expect(await auditPositions(db)).toEqual([])
      const { rows } = await sql`select asset from ledger_accounts group by asset having sum(posted) <> 0`.execute(db)
      expect(rows).toEqual([])
    }),
    { endOnFailure: true, numRuns: cases(12) },
  )
  expect(filled).toBeGreaterThan(cases(12) * 4)
})
