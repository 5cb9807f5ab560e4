import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { amountsAt, feeOf, isNoWorse, priceFor, type Amounts, type Grain, type Terms } from './pricing.ts'

const grain = fc
  .integer({ min: 2, max: 18 })
  .chain((scale) =>
    fc.integer({ min: 0, max: Math.min(scale, 12) }).map((zeros): Grain => ({ scale, step: 10n ** BigInt(zeros) })),
  )
const terms = fc.record({
  selling: fc.constantFrom('first' as const, 'second' as const),
  spend: grain,
  target: grain,
  feeBps: fc.bigInt({ min: 0n, max: 500n }),
}) satisfies fc.Arbitrary<Terms>
const price = fc.bigInt({ min: 1n, max: 10n ** 14n })
const steps = fc.bigInt({ min: 1n, max: 10n ** 9n })
const back = (there: Terms): Terms => ({
  ...there,
  selling: there.selling === 'first' ? 'second' : 'first',
  spend: there.target,
  target: there.spend,
})

/**
 * The result of a rational calculation without any rounding for `exchange`, times `down`, to compare by
 * multiplication.
 */
const isFair = (t: Terms, { exchange, target }: Amounts, at: bigint): boolean => {
  const [spendOne, targetOne] = [10n ** BigInt(t.spend.scale), 10n ** BigInt(t.target.scale)]
  return t.selling === 'first'
    ? target * spendOne * 10n ** 8n <= exchange * at * targetOne
    : target * spendOne * at <= exchange * 10n ** 8n * targetOne
}

describe('amounts', () => {
  test('the documented sample: 100 USDT at 40 with 20 UAH of fee', () => {
    const t: Terms = { selling: 'second', spend: { scale: 2, step: 1n }, target: { scale: 6, step: 1n }, feeBps: 50n }
    expect(amountsAt(t, 'target', 100_000_000n, 40_0000_0000n)).toEqual({
      exchange: 4000_00n,
      fee: 20_00n,
      spend: 4020_00n,
      target: 100_000_000n,
    })
    expect(amountsAt(t, 'spend', 4020_00n, 40_0000_0000n)).toEqual({
      exchange: 4000_00n,
      fee: 20_00n,
      spend: 4020_00n,
      target: 100_000_000n,
    })
  })

  test('L9 X3 the side that is named is exact, the parts add up, and no rounding favours the merchant', () => {
    fc.assert(
      fc.property(terms, price, steps, fc.constantFrom('target' as const, 'spend' as const), (t, at, count, side) => {
        const amount = count * (side === 'target' ? t.target.step : t.spend.step)
        const got = amountsAt(t, side, amount, at)
        if (got === undefined) return side === 'spend'
        expect(got[side]).toBe(amount)
        expect(got.spend).toBe(got.exchange + got.fee)
        expect(got.fee).toBeGreaterThanOrEqual(feeOf(t, got.exchange))
        expect(got.exchange % t.spend.step).toBe(0n)
        expect(got.target % t.target.step).toBe(0n)
        return isFair(t, got, at)
      }),
      { numRuns: cases(3000) },
    )
  })

  test('the fee is at least its share, and less than a step more where nothing else is left over', () => {
    fc.assert(
      fc.property(terms, price, steps, fc.constantFrom('target' as const, 'spend' as const), (t, at, count, side) => {
        const got = amountsAt(t, side, count * (side === 'target' ? t.target.step : t.spend.step), at)
        if (got === undefined) return
        const { step } = t.spend
        expect(got.fee * 10_000n).toBeGreaterThanOrEqual(got.exchange * t.feeBps)
        expect(got.fee % step).toBe(0n)
        if (side === 'target') expect((got.fee - step) * 10_000n).toBeLessThan(got.exchange * t.feeBps)
        // One step more could not be exchanged: its fee would not be left.
        else expect((got.spend - got.exchange - step) * 10_000n).toBeLessThan((got.exchange + step) * t.feeBps)
      }),
      { numRuns: cases(3000) },
    )
  })

  test('both sides agree within one step', () => {
    fc.assert(
      fc.property(terms, price, steps, (t, at, count) => {
        const spent = amountsAt(t, 'spend', count * t.spend.step, at)
        if (spent === undefined) return
        const again = amountsAt(t, 'target', spent.target, at)!
        // One step of the target may be worth many steps of the spent asset.
        expect(again.spend).toBeLessThanOrEqual(spent.spend)
        const more = amountsAt(t, 'target', spent.target + t.target.step, at)!
        expect(more.exchange).toBeGreaterThan(spent.exchange)
      }),
      { numRuns: cases(3000) },
    )
  })

  test('X5 no sequence of exchanges there and back gains anything, at any price that holds for both', () => {
    const trades = fc.array(
      fc.record({
        there: fc.boolean(),
        side: fc.constantFrom('target' as const, 'spend' as const),
        share: fc.integer({ min: 1, max: 1000 }),
      }),
      { minLength: 1, maxLength: 16 },
    )
    fc.assert(
      fc.property(terms, price, steps, trades, (t, at, count, sequence) => {
        const start = count * t.spend.step * 1000n
        const holding = { spend: start, target: 0n }
        const forth = (there: boolean, side: 'target' | 'spend', amount: bigint): void => {
          const [from, into] = there ? (['spend', 'target'] as const) : (['target', 'spend'] as const)
          const got = amountsAt(there ? t : back(t), side, amount, at)
          if (got === undefined || got.spend > holding[from]) return
          holding[from] -= got.spend
          holding[into] += got.target
        }
        sequence.forEach(({ there, side, share }) => {
          const own = there ? t.spend : t.target
          const other = there ? t.target : t.spend
          const have = there ? holding.spend : holding.target
          forth(
            there,
            side,
            side === 'spend' ? ((have * BigInt(share)) / 1000n / own.step) * own.step : BigInt(share) * other.step,
          )
        })
        // Everything back, one way.
        forth(false, 'spend', (holding.target / t.target.step) * t.target.step)
        expect(holding.spend).toBeLessThanOrEqual(start)
      }),
      { numRuns: cases(3000) },
    )
  })
})

describe('the price', () => {
  test('that a merchant gives is a limit: as good is good enough', () => {
    const as = (price: bigint) => (['first', 'second'] as const).map((selling) => isNoWorse(selling, price, 100n))
    expect([as(99n), as(100n), as(101n)]).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ])
  })

  test('is less the spread and rounded against the merchant on both sides', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 24n }),
        fc.bigInt({ min: 1n, max: 10n ** 24n }),
        fc.bigInt({ min: 0n, max: 500n }),
        (spent, received, spreadBps) => {
          const sells = priceFor('first', { spent, received, spreadBps })
          if (sells !== undefined)
            expect(sells * spent * 10_000n).toBeLessThanOrEqual(received * 10n ** 8n * (10_000n - spreadBps))
          const buys = priceFor('second', { spent, received, spreadBps })!
          expect(buys * received * (10_000n - spreadBps)).toBeGreaterThanOrEqual(spent * 10n ** 8n * 10_000n)
        },
      ),
      { numRuns: cases(2000) },
    )
  })
})
