import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { burnOf, feeLimitFor, mostBurntBy } from './fee.ts'

const PRICES = { energy: 100n, bandwidth: 1_000n, accountBandwidth: 100_000n, activation: 1_000_000n }
const NOTHING = { bandwidth: 0n, freeBandwidth: 0n, energy: 0n }
const transfer = { bandwidth: 268, energy: 0n, activates: false }
const call = { bandwidth: 345, energy: 64_285n, activates: false }

describe('the fee of a transaction', () => {
  test.each([
    ['nothing staked, nothing free', call, NOTHING, { energy: 6_428_500n, bandwidth: 345_000n, activation: 0n }],
    [
      'the free allowance',
      call,
      { ...NOTHING, freeBandwidth: 345n },
      { energy: 6_428_500n, bandwidth: 0n, activation: 0n },
    ],
    ['one byte too little of it: all is burnt', call, { ...NOTHING, freeBandwidth: 344n }, { bandwidth: 345_000n }],
    [
      'two sources that suffice together only',
      call,
      { ...NOTHING, freeBandwidth: 300n, bandwidth: 300n },
      { bandwidth: 345_000n },
    ],
    ['a part of the energy', call, { ...NOTHING, energy: 64_000n }, { energy: 28_500n }],
    ['more energy than needed', call, { ...NOTHING, energy: 70_000n }, { energy: 0n }],
    ['an activation', { ...transfer, activates: true }, NOTHING, { bandwidth: 100_000n, activation: 1_000_000n }],
    [
      'an activation, which the free allowance does not serve',
      { ...transfer, activates: true },
      { ...NOTHING, freeBandwidth: 600n },
      { bandwidth: 100_000n },
    ],
    [
      'an activation with staked bandwidth',
      { ...transfer, activates: true },
      { ...NOTHING, bandwidth: 268n },
      { bandwidth: 0n, activation: 1_000_000n },
    ],
  ])('with %s', (_name, usage, resources, burn) => {
    expect(burnOf(usage, PRICES, resources)).toMatchObject(burn)
  })

  test('is at most its limit, and is the sum of its parts', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 6n })
    fc.assert(
      fc.property(
        fc.record({ bandwidth: fc.integer({ min: 1, max: 2_000 }), energy: amount, activates: fc.boolean() }),
        fc.record({ bandwidth: amount, freeBandwidth: amount, energy: amount }),
        (usage, resources) => {
          const { total, ...parts } = burnOf(usage, PRICES, resources)
          expect(total).toBe(Object.values(parts).reduce((sum, one) => sum + one, 0n))
          expect(total).toBeLessThanOrEqual(mostBurntBy(usage, PRICES))
        },
      ),
    )
  })
})

test('a fee limit is a margin above its estimate, rounded up', () => {
  expect(feeLimitFor(64_285n, PRICES, 0n)).toBe(6_428_500n)
  expect(feeLimitFor(64_285n, PRICES, 200n)).toBe(7_714_200n)
  expect(feeLimitFor(1n, { ...PRICES, energy: 1n }, 1n)).toBe(2n)
})
