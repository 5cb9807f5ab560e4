import { operations } from '@bursar/contract'
import { expect, test } from 'vitest'
import { createClock } from '../runtime/clock.ts'
import { listRoute } from './route.ts'

test('each page of a CSV is a piece, also a page without rows', async () => {
  const operation = operations.find(({ id }) => id === 'listDeposits')!
  const pages = [
    { items: [], next: 'a' },
    { items: [], next: 'b' },
    { items: [{ id: 'last' }], next: null },
  ]
  const route = listRoute(
    operation,
    createClock(),
    async () => pages.shift()!,
    () => true,
  )
  const answer = route.stream!({ merchantId: 'm', query: { format: 'csv' } } as never)!
  const pieces: string[] = []
  for await (const piece of answer.pieces) pieces.push(String(piece))
  expect(pieces).toHaveLength(3)
  expect(pieces[1]).toBe('')
  expect(pieces[2]).toContain('last')
})
