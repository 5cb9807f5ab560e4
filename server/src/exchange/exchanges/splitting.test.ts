/** The platform's income from an order of any size: the bound in docs/operating/exchange.md. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { catalogue } from '../../../../test/world/exchange.ts'
import { E18, marketOf, type UsdtMarkets } from '../../market/rates/index.ts'
import { directionOf } from './direction.ts'
import { readExchangePolicy } from './policy.ts'
import { isQuote, quote } from './quoting.ts'

const TICKERS = ['BTC', 'ETH', 'USDT', 'UAH'] as const
const AROUND = { BTC: 65_000n, ETH: 2_500n, UAH: 40n } as const
const BPS = 10_000n
const MILLION = 1_000_000n
/** Middle prices are rounded to 1e-18. */
const ROUNDING = 10n ** 15n
const [spreadBps, feeBps] = [40n, 50n]
const policy = readExchangePolicy(catalogue, { spreadBps: Number(spreadBps), feeBps: Number(feeBps) })

/** One side of a book: distances of its prices in millionths, and amounts in whole bases. The last level is endless. */
const side = fc.array(fc.record({ step: fc.bigInt(1n, 5_000n), amount: fc.bigInt(1n, 1_000n) }), { maxLength: 4 })
/** A source: its distance from the others' price in hundredths of a percent, and its book. */
const source = fc.record({ shift: fc.bigInt(-50n, 50n), bids: side, asks: side })
const markets = fc.record({
  BTC: fc.array(source, { minLength: 1, maxLength: 4 }),
  ETH: fc.array(source, { minLength: 1, maxLength: 4 }),
  UAH: fc.array(source, { minLength: 1, maxLength: 4 }),
})

type Given = typeof markets extends fc.Arbitrary<infer T> ? T : never

const levelsOf = (steps: Given['BTC'][number]['bids'], best: bigint, sign: bigint) => {
  let away = 0n
  return [...steps, { step: 1n, amount: 10n ** 12n }].map(({ step, amount }) => {
    away += step
    return { price: (best * (MILLION + sign * away)) / MILLION, amount: amount * E18 }
  })
}

const medianOf = (values: readonly bigint[]): bigint => {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1))
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2n
}

const marketsOf = (given: Given): UsdtMarkets => {
  const open = (Object.keys(AROUND) as (keyof typeof AROUND)[]).map((ticker) => {
    const books = given[ticker].map(({ shift, bids, asks }, at) => {
      const best = (AROUND[ticker] * E18 * (BPS + shift)) / BPS
      const levels = { bids: levelsOf(bids, best, -1n), asks: levelsOf(asks, best, 1n) }
      return { ...marketOf(ticker), source: String(at), observedAt: 0, ...levels }
    })
    const middle = medianOf(books.map(({ bids, asks }) => (bids[0]!.price + asks[0]!.price) / 2n))
    return [ticker, { ticker, quorum: 1, middle, observedAt: new Date(0), books }] as const
  })
  return { open: new Map(open), closed: new Map() }
}

/** 1e-36 USDT at the middle prices, rounded down. */
const worthOf = (ticker: string, units: bigint, { open }: UsdtMarkets): bigint => {
  const whole = units * 10n ** BigInt(18 - catalogue.find(ticker)!.scale)
  if (ticker === 'USDT') return whole * E18
  const { middle } = open.get(ticker)!
  return ticker === 'UAH' ? (whole * E18 * E18) / middle : whole * middle
}

const pairs = TICKERS.flatMap((spend) =>
  TICKERS.filter((one) => one !== spend).map((target) => [spend, target] as const),
)

test('each order, large or small, leaves the platform the spread and the fee against the middle prices', () => {
  fc.assert(
    fc.property(markets, fc.constantFrom(...pairs), fc.bigInt(1n, 10n ** 12n), (given, [spend, target], amount) => {
      const usdtMarkets = marketsOf(given)
      const direction = directionOf(policy, spend, target)!
      const quoted = quote(direction, 'spend', amount * direction.spend.step, usdtMarkets)
      fc.pre(isQuote(quoted))
      const [gives, gets] = [worthOf(spend, quoted.exchange, usdtMarkets), worthOf(target, quoted.target, usdtMarkets)]
      expect(gets * BPS).toBeLessThanOrEqual((gives + gives / ROUNDING + 1n) * (BPS - spreadBps))
      expect(quoted.fee * BPS).toBeGreaterThanOrEqual(quoted.exchange * feeBps)
    }),
    { numRuns: cases(500) },
  )
})
