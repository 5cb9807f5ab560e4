import { expect, test } from 'vitest'
import { sweepMoves, type SweepState } from './machine.ts'

const states = Object.keys(sweepMoves) as SweepState[]

test('ends in final, failed and replaced, and only there', () => {
  expect(states.filter((state) => Object.keys(sweepMoves[state]).length === 0).toSorted()).toEqual([
    'failed',
    'final',
    'replaced',
  ])
})

test('a broadcast sweep ends only by a block or by the proof that it can not be mined; no other way is chosen before', () => {
  expect(Object.keys(sweepMoves.broadcast)).toEqual(['mined', 'refused'])
  expect(sweepMoves.mined.refused).toBeUndefined()
  expect(
    Object.values(sweepMoves.mined)
      .map(({ to }) => to)
      .toSorted(),
  ).toEqual(['broadcast', 'failed', 'final'])
  expect(sweepMoves.carried.accepted!.to).toBe('broadcast')
})
