import { describe, expect, test } from 'vitest'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import { OPEN_PARTS, partMoves, wireStatusOf, type PartEvent, type PartState } from './machine.ts'

const states = Object.keys(partMoves) as PartState[]
const events: PartEvent[] = ['begun', 'unsent', 'rerouted', 'accepted', 'succeeded', 'refused', 'reversed', 'given-up']

describe('the table of a part', () => {
  test('an event leads to one state from wherever it is allowed', () => {
    for (const event of events)
      expect(new Set(statesTaking(partMoves, event).map((from) => moveOf(partMoves, from, event)!.to)).size).toBe(1)
  })

  test('every state but the ends has a way on, and every way ends', () => {
    const ends = states.filter((state) => Object.keys(partMoves[state]).length === 0)
    expect(ends).toEqual(['refused', 'reversed'])
    const reaches = (from: PartState, seen = new Set<PartState>()): Set<PartState> => {
      for (const event of events) {
        const to = moveOf(partMoves, from, event)?.to
        if (to !== undefined && !seen.has(to)) reaches(to, seen.add(to))
      }
      return seen
    }
    expect(reaches('planned')).toEqual(new Set(states))
  })

  test('a part is sent from planned alone, and comes back to planned only when it is proven not to be paid', () => {
    expect(statesTaking(partMoves, 'begun')).toEqual(['planned'])
    for (const from of states) {
      for (const event of events)
        if (moveOf(partMoves, from, event)?.to === 'planned') expect(['unsent', 'rerouted']).toContain(event)
    }
    for (const end of ['succeeded', 'refused', 'reversed'] as const)
      for (const event of events) expect(OPEN_PARTS).not.toContain(moveOf(partMoves, end, event)?.to)
  })

  test('money moves with the end of a part and never else', () => {
    for (const from of states) {
      for (const event of events) {
        const move = moveOf(partMoves, from, event)
        if (!move) continue
        const endsNow = OPEN_PARTS.includes(from) && !OPEN_PARTS.includes(move.to)
        const moves = move.effects.filter((effect) => effect === 'capture' || effect === 'release')
        expect(moves).toHaveLength(endsNow ? 1 : 0)
        expect(move.effects.includes('return')).toBe(from === 'succeeded')
        if (endsNow) expect(moves[0]).toBe(move.to === 'succeeded' ? 'capture' : 'release')
      }
    }
  })

  test('the wire knows three of them', () => {
    expect(states.map(wireStatusOf)).toEqual(['PENDING', 'PENDING', 'PENDING', 'DONE', 'FAILED', 'FAILED'])
  })
})
