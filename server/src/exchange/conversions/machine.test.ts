import { expect, test } from 'vitest'
import { conversionMoves } from './machine.ts'

test('a conversion ends once', () => {
  for (const [state, moves] of Object.entries(conversionMoves))
    expect(Object.keys(moves)).toHaveLength(state === 'waiting' ? 2 : 0)
})
