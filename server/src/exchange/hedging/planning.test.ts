/** The bounds of an order, for any exposure, market and limits. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { E18 } from '../../market/rates/index.ts'
import { planOrder, usdtOf, type Situation } from './planning.ts'

const market = {
  base: 'BTC',
  quote: 'USDT',
  amountStep: E18 / 100_000n,
  priceStep: E18 / 100n,
  leastAmount: E18 / 100_000n,
  leastNotional: 5n * E18,
}
const usual: Situation = {
  asset: 'BTC',
  exposure: -E18 / 10n,
  market,
  middle: 65_000n * E18,
  slippageBps: 50n,
  leastUsdt: 20n * E18,
  mostUsdt: 10_000n * E18,
  heldBase: 10n * E18,
  spendable: { base: 10n * E18, quote: 1_000_000n * E18 },
}

describe('a plan', () => {
  test('buys a shortage, at most half a percent over the middle', () => {
    expect(planOrder(usual)).toEqual({ kind: 'order', side: 'buy', amount: E18 / 10n, price: 65_325n * E18 })
  })
  test('sells an excess, at least half a percent under the middle', () => {
    expect(planOrder({ ...usual, exposure: E18 / 10n })).toEqual({
      kind: 'order',
      side: 'sell',
      amount: E18 / 10n,
      price: 64_675n * E18,
    })
  })
  test('of a currency buys USDT with its excess', () => {
    const kzt = {
      ...usual,
      asset: 'KZT',
      market: { ...market, base: 'USDT', quote: 'KZT', amountStep: E18 / 10n, leastNotional: 500n * E18 },
      middle: 500n * E18,
      spendable: { base: E18, quote: 10_000_000n * E18 },
    }
    expect(planOrder({ ...kzt, exposure: 100_030n * E18 })).toEqual({
      kind: 'order',
      side: 'buy',
      amount: 200n * E18,
      price: (5025n * E18) / 10n,
    })
    expect(planOrder({ ...kzt, exposure: -100_030n * E18 })).toEqual({ kind: 'short', of: 'base' })
  })
  test('audit D-B9: keeps to the largest order, and to the largest position of the account when it buys (row V-6)', () => {
    const bound = (more: Partial<Situation['market']>, side: 'buy' | 'sell' = 'buy') =>
      planOrder({
        ...usual,
        exposure: side === 'buy' ? -E18 : E18,
        mostUsdt: 1_000_000n * E18,
        market: { ...market, ...more },
      })
    expect(bound({})).toMatchObject({ amount: E18 })
    expect(bound({ mostAmount: E18 / 4n })).toMatchObject({ amount: E18 / 4n })
    expect(bound({ mostPosition: (21n * E18) / 2n })).toMatchObject({ amount: E18 / 2n })
    expect([bound({ mostPosition: 10n * E18 }), bound({ mostPosition: E18 })]).toEqual([
      { kind: 'full' },
      { kind: 'full' },
    ])
    expect(bound({ mostPosition: E18 }, 'sell')).toMatchObject({ side: 'sell', amount: E18 })
  })
  test.each([
    ['small', 'below what is hedged', { exposure: -E18 / 10_000n }],
    ['small', 'below the step', { exposure: -E18 / 200_000n, leastUsdt: 0n }],
    ['capped', 'above what one order may be', { mostUsdt: E18 }],
    ['short', 'with too little to spend', { spendable: { base: 0n, quote: 4n * E18 } }],
  ] as const)('is none (%s): %s', (kind, _why, more) => {
    expect(planOrder({ ...usual, ...more } as Situation).kind).toBe(kind)
  })
})

test("no order passes zero, a limit, the spendable amount, or the market's steps", () => {
  const units = fc.bigInt({ min: 0n, max: 10n ** 24n })
  const situation = fc.record({
    isBase: fc.boolean(),
    exposure: fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
    middle: fc.bigInt({ min: 10n ** 14n, max: 10n ** 24n }),
    slippageBps: fc.bigInt({ min: 1n, max: 1_000n }),
    mostUsdt: units,
    base: units,
    quote: units,
    amountStep: fc.constantFrom(10n ** 10n, 10n ** 13n, 10n ** 18n),
    priceStep: fc.constantFrom(10n ** 10n, 10n ** 16n),
  })
  fc.assert(
    fc.property(
      situation,
      ({ isBase, exposure, middle, slippageBps, mostUsdt, base, quote, amountStep, priceStep }) => {
        const [of, to] = isBase ? ['X', 'USDT'] : ['USDT', 'X']
        const s: Situation = {
          asset: 'X',
          exposure,
          middle,
          slippageBps,
          mostUsdt,
          leastUsdt: 1n,
          heldBase: base,
          spendable: { base, quote },
          market: { base: of!, quote: to!, amountStep, priceStep, leastAmount: amountStep, leastNotional: 1n },
        }
        const plan = planOrder(s)
        if (plan.kind !== 'order') return
        const { side, amount, price } = plan
        const size = exposure < 0n ? -exposure : exposure
        expect(side).toBe(exposure > 0n === isBase ? 'sell' : 'buy')
        expect([amount % amountStep, price % priceStep]).toEqual([0n, 0n])
        // Within the slippage of the middle, never beyond.
        expect(
          side === 'buy'
            ? price * 10_000n <= middle * (10_000n + slippageBps)
            : price * 10_000n >= middle * (10_000n - slippageBps),
        ).toBe(true)
        // Not past zero, at the middle.
        expect(isBase ? amount <= size : amount * middle <= size * E18).toBe(true)
        expect(usdtOf(s, amount, price) <= mostUsdt + 1n).toBe(true)
        expect(side === 'sell' ? amount <= base : amount * price <= quote * E18).toBe(true)
      },
    ),
    { numRuns: cases(2_000) },
  )
})
