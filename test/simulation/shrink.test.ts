import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../setup/cases.ts'
import { rangesOf, shrink, stepsOf } from './shrink.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

test('leaves the steps that a failure needs, wherever they are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
      async (needed) => {
        const fails = async (steps: readonly number[]): Promise<boolean> => needed.every((step) => steps.includes(step))
        const { steps } = await shrink(upTo(200), fails, 10_000)
        expect(steps).toEqual(needed.toSorted((a, b) => a - b))
      },
    ),
    { numRuns: cases(50) },
  )
})

test('ends after the runs that it was given', async () => {
  const { steps, runs } = await shrink(upTo(64), async (left) => left.includes(7), 3)
  expect(runs).toBe(3)
  expect(steps).toContain(7)
})

test('writes steps as ranges, and reads them', () => {
  expect(rangesOf([1, 2, 3, 7, 9, 10])).toBe('1-3,7,9-10')
  expect(stepsOf('1-3,7,9-10')).toEqual([1, 2, 3, 7, 9, 10])
  expect(() => stepsOf('3-1')).toThrow('3-1')
  expect(() => stepsOf('x')).toThrow('x')
})
