import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { boughtWith, E18, isSound, soldFor, toBuyWith, toSellFor } from './ladder.ts'
import { assetReceivedFor, assetNeededFor, usdtReceivedFor, usdtNeededFor, type UsdtMarket } from './usdt-market.ts'

const level = fc.record({
  price: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  amount: fc.bigInt({ min: 1n, max: 10n ** 24n }),
})
const levels = fc.array(level, { minLength: 1, maxLength: 12 })
const bids = levels.map((all) => all.toSorted((a, b) => (a.price > b.price ? -1 : 1)))
const asks = levels.map((all) => all.toSorted((a, b) => (a.price < b.price ? -1 : 1)))
const amount = fc.bigInt({ min: 1n, max: 10n ** 25n })

describe('walking a book', () => {
  test('takes the best levels first and stops where they end', () => {
    const two = [
      { price: 100n * E18, amount: 2n * E18 },
      { price: 90n * E18, amount: 3n * E18 },
    ]
    expect(soldFor(two, E18)).toBe(100n * E18)
    expect(soldFor(two, 3n * E18)).toBe(290n * E18)
    expect(soldFor(two, 5n * E18 + 1n)).toBeUndefined()
    expect(toSellFor(two, 290n * E18)).toBe(3n * E18)
    expect(toBuyWith(two, 470n * E18)).toBe(5n * E18)
    expect(toBuyWith(two, 470n * E18 + 1n)).toBeUndefined()
  })

  test('rounds against the customer, and an exchange and its reverse never gain', () => {
    fc.assert(
      fc.property(bids, asks, amount, (b, a, base) => {
        const got = soldFor(b, base)
        if (got !== undefined && got > 0n) expect(toSellFor(b, got)!).toBeLessThanOrEqual(base)
        const cost = boughtWith(a, base)
        if (cost !== undefined) expect(boughtWith(a, toBuyWith(a, cost) ?? base)!).toBeGreaterThanOrEqual(cost - 1n)
        const sold = toSellFor(b, base)
        if (sold !== undefined) expect(soldFor(b, sold)!).toBeGreaterThanOrEqual(base)
        const bought = toBuyWith(a, base)
        if (bought !== undefined) expect(boughtWith(a, bought) ?? 0n).toBeLessThanOrEqual(base)
      }),
      { numRuns: cases(2000) },
    )
  })

  test.each([
    ['a crossed book', [{ price: 2n, amount: 1n }], [{ price: 2n, amount: 1n }]],
    [
      'bids that rise',
      [
        { price: 1n, amount: 1n },
        { price: 2n, amount: 1n },
      ],
      [{ price: 9n, amount: 1n }],
    ],
    [
      'asks that fall',
      [{ price: 1n, amount: 1n }],
      [
        { price: 9n, amount: 1n },
        { price: 8n, amount: 1n },
      ],
    ],
    ['a price of zero', [{ price: 0n, amount: 1n }], [{ price: 9n, amount: 1n }]],
    ['an amount of zero', [{ price: 1n, amount: 1n }], [{ price: 9n, amount: 0n }]],
  ])('%s is no book', (_, b, a) => expect(isSound({ bids: b, asks: a })).toBe(false))
})

describe('a market', () => {
  const book = (source: string, price: bigint, amount = 10n) => ({
    source,
    base: 'BTC',
    quote: 'USDT',
    observedAt: 0,
    bids: [{ price: price * E18, amount: amount * E18 }],
    asks: [{ price: (price + 2n) * E18, amount: amount * E18 }],
  })
  const market = (...books: UsdtMarket['books'][number][]): UsdtMarket => ({ ticker: 'BTC', quorum: 2, books })

  test('is the median of its books; of two books, the one that is worse for the customer', () => {
    const three = market(book('a', 100n), book('b', 110n), book('c', 90n))
    expect([usdtReceivedFor(three, E18), usdtNeededFor(three, E18)]).toEqual([100n * E18, 102n * E18])
    const two = market(book('a', 100n), book('b', 110n))
    expect([usdtReceivedFor(two, E18), usdtNeededFor(two, E18)]).toEqual([100n * E18, 112n * E18])
    expect(assetReceivedFor(two, 112n * E18)).toBe(E18)
    expect(assetNeededFor(two, 100n * E18)).toBe(E18)
  })

  test('prices nothing when too few books hold enough', () => {
    expect(usdtReceivedFor(market(book('a', 100n, 1n), book('b', 100n), book('c', 100n)), 2n * E18)).toBe(200n * E18)
    expect(usdtReceivedFor(market(book('a', 100n, 1n), book('b', 100n, 1n), book('c', 100n)), 2n * E18)).toBeUndefined()
  })

  test('of a currency trades the other way round', () => {
    const uah: UsdtMarket = {
      ticker: 'UAH',
      quorum: 1,
      books: [
        {
          source: 'a',
          base: 'USDT',
          quote: 'UAH',
          observedAt: 0,
          bids: [{ price: 40n * E18, amount: 10n * E18 }],
          asks: [{ price: 41n * E18, amount: 10n * E18 }],
        },
      ],
    }
    expect(usdtReceivedFor(uah, 41n * E18)).toBe(E18)
    expect(assetReceivedFor(uah, E18)).toBe(40n * E18)
    expect(usdtNeededFor(uah, 40n * E18)).toBe(E18)
    expect(assetNeededFor(uah, E18)).toBe(41n * E18)
  })
})
