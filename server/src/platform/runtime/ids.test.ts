import { expect, test } from 'vitest'
import { isUuid } from '../base/id.ts'
import { createIds } from './ids.ts'

test('ids are valid, different, and sort by time across batches of randomness', () => {
  let now = 1_800_000_000_000
  const newId = createIds(() => (now += 1))
  const ids = Array.from({ length: 10_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every(isUuid)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  const tails = new Set(ids.map((id) => id.slice(15)))
  expect(tails.size).toBe(ids.length)
})
