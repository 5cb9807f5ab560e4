import { expect, test } from 'vitest'
import { cacheFor } from './cache.ts'

/** A cache for 10 ms over a counter, by a clock of the test's. */
const counting = () => {
  let [now, reads] = [1_000, 0]
  const read = cacheFor(
    10,
    () => now,
    async () => (reads += 1),
  )
  return {
    at: (ms: number): Promise<number> => {
      now = ms
      return read()
    },
  }
}

test('reads again when the value is too old', async () => {
  const { at } = counting()
  expect([await at(1_000), await at(1_010), await at(1_011)]).toEqual([1, 1, 2])
})

test('reads again when the clock was set back, instead of keeping a value until it has caught up', async () => {
  const { at } = counting()
  expect([await at(1_000), await at(995), await at(0)]).toEqual([1, 1, 2])
})
