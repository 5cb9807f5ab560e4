import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { canSplit, limitsFor, MOST_PARTS, split, type Random } from './splitting.ts'

const sum = (parts: readonly bigint[]): bigint => parts.reduce((a, b) => a + b, 0n)
const seeded = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
const limits = fc
  .tuple(fc.bigInt(1n, 10n ** 8n), fc.bigInt(0n, 10n ** 9n))
  .map(([least, more]) => ({ least, most: least + more }))

describe('splitting', () => {
  test('makes parts within the limits that add up to the amount exactly, or says that it can not', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 11n),
        limits,
        fc.nat(),
        fc.constantFrom(1n, 100n),
        (units, bounds, seed, grain) => {
          if (!canSplit(units, bounds)) {
            expect(() => split(units, bounds, grain, seeded(seed))).toThrow(RangeError)
            const fewest = (units + bounds.most - 1n) / bounds.most
            expect(fewest * bounds.least > units || fewest > MOST_PARTS).toBe(true)
            return
          }
          const parts = split(units, bounds, grain, seeded(seed))
          expect(sum(parts)).toBe(units)
          for (const part of parts) expect(part >= bounds.least && part <= bounds.most).toBe(true)
          expect(BigInt(parts.length) <= MOST_PARTS).toBe(true)
          expect(split(units, bounds, grain, seeded(seed))).toEqual(parts)
        },
      ),
      { numRuns: cases(1_000) },
    )
  })

  test('the extremes of randomness stay within the limits', () => {
    for (const random of [() => 0, (below: number) => below - 1]) {
      fc.assert(
        fc.property(fc.bigInt(1n, 10n ** 10n), limits, (units, bounds) => {
          fc.pre(canSplit(units, bounds))
          const parts = split(units, bounds, 100n, random)
          expect(sum(parts)).toBe(units)
          for (const part of parts) expect(part >= bounds.least && part <= bounds.most).toBe(true)
        }),
      )
    }
  })

  test('the documented example: 100000 in parts under 14500, as many as there, all different, all whole', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const parts = split(10_000_000n, { least: 100_000n, most: 1_450_000n }, 100n, seeded(seed))
      expect(parts).toHaveLength(8)
      expect(new Set(parts).size).toBe(8)
      expect(parts.every((part) => part % 100n === 0n)).toBe(true)
      expect(sum(parts)).toBe(10_000_000n)
    }
  })

  test('an amount that fits one payment is one part, and exactly full parts are possible', () => {
    expect(split(1_450_000n, { least: 100_000n, most: 1_450_000n }, 100n, seeded(1))).toEqual([1_450_000n])
    expect(split(4_00n, { least: 2_00n, most: 2_00n }, 100n, seeded(1))).toEqual([2_00n, 2_00n])
    expect(canSplit(3_00n, { least: 2_00n, most: 2_00n })).toBe(false)
    expect(canSplit(2_50n, { least: 2_00n, most: 2_00n })).toBe(false)
  })
})

describe('the limits to split by', () => {
  const [wide, narrow] = [
    { least: 100n, most: 5_000n },
    { least: 500n, most: 1_000n },
  ]

  test('are those that every account takes, so that each part may go through any', () => {
    expect(limitsFor(2_000n, [wide, narrow])).toEqual({ least: 500n, most: 1_000n })
  })

  test("are an account's own when the amount can not be split for all", () => {
    expect(limitsFor(300n, [narrow, wide])).toEqual(wide)
    expect(limitsFor(1_100n, [{ least: 2_000n, most: 3_000n }, wide])).toEqual(wide)
    expect(limitsFor(50n, [wide, narrow])).toBeUndefined()
    expect(limitsFor(50n, [])).toBeUndefined()
  })
})
