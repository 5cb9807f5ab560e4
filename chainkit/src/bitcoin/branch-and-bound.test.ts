import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { branchAndBound } from './branch-and-bound.ts'

function bestByTryingAll(values: readonly bigint[], low: bigint, high: bigint): bigint | undefined {
  let best: bigint | undefined
  for (let mask = 1; mask < 1 << values.length; mask++) {
    const sum = values.reduce((total, value, at) => (mask & (1 << at) ? total + value : total), 0n)
    if (sum >= low && sum <= high && (best === undefined || sum < best)) best = sum
  }
  return best
}

test('finds the smallest sum in the range whenever there is one', () => {
  const value = fc.bigInt({ min: 1n, max: 40n })
  fc.assert(
    fc.property(fc.array(value, { maxLength: 10 }), fc.bigInt(1n, 150n), fc.bigInt(0n, 6n), (list, low, width) => {
      const items = list.toSorted((a, b) => Number(b - a)).map((effective) => ({ effective }))
      const found = branchAndBound(items, low, low + width)
      expect(found?.reduce((sum, { effective }) => sum + effective, 0n)).toBe(bestByTryingAll(list, low, low + width))
      expect(new Set(found).size).toBe(found?.length ?? 0)
    }),
    { numRuns: cases(2000) },
  )
})

test('gives up on a search without an end', () => {
  const items = Array.from({ length: 60 }, (_, at) => ({ effective: 2n ** 70n - BigInt(at) * 2n }))
  expect(branchAndBound(items, 2n ** 74n + 1n, 2n ** 74n + 1n)).toBeUndefined()
})
