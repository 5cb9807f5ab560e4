import { expect, test } from 'vitest'
import { moveOf, statesTaking } from '../../platform/base/moves.ts'
import { depositMoves, pathOf, type DepositEvent, type DepositState } from './machine.ts'

const states = Object.keys(depositMoves) as DepositState[]
const events: DepositEvent[] = [
  'pooled',
  'mined',
  'confirmed',
  'refused',
  'withheld',
  'cleared',
  'rejected',
  'reorganized',
  'replaced',
  'lost',
]

test('each event leads to one state from wherever it is taken', () => {
  for (const event of events) {
    const targets = statesTaking(depositMoves, event).map((state) => moveOf(depositMoves, state, event)!.to)
    expect(new Set(targets), event).toEqual(new Set([pathOf(event).target]))
  }
})

test('the table, state by state', () => {
  const lines = states.flatMap((state) =>
    events.flatMap((event) => {
      const move = moveOf(depositMoves, state, event)
      return move ? [`${state} ${event} -> ${move.to} [${move.effects.join(' ')}]`] : []
    }),
  )
  expect(lines).toMatchInlineSnapshot(`
    [
      "pending pooled -> pending []",
      "pending mined -> pending []",
      "pending confirmed -> credited [credit notifyDone]",
      "pending refused -> suspended [suspend notifyFailed]",
      "pending withheld -> held [quarantine]",
      "pending reorganized -> orphaned []",
      "pending replaced -> failed [notifyFailed]",
      "pending lost -> failed [notifyFailed]",
      "held cleared -> credited [release notifyDone notifyVerified]",
      "held rejected -> rejected [notifyFailed]",
      "held reorganized -> orphaned [takeBack]",
      "rejected reorganized -> orphaned [takeBack]",
      "credited reorganized -> orphaned [takeBack]",
      "suspended reorganized -> orphaned [takeBack]",
      "orphaned pooled -> pending []",
      "orphaned mined -> pending []",
      "orphaned replaced -> failed [notifyFailed]",
      "orphaned lost -> failed [notifyFailed]",
      "failed mined -> pending []",
    ]
  `)
})

const BOOKED: readonly DepositState[] = ['held', 'credited', 'rejected', 'suspended']

test('money posted by a move into a state is taken back by the move out of it, and by no other', () => {
  for (const state of states) {
    for (const event of events) {
      const move = moveOf(depositMoves, state, event)
      if (!move) continue
      // Held money is posted; released, it moves from one account to another, and rejected, it stays where it is.
      const wasBooked = BOOKED.includes(state)
      const books = (['credit', 'suspend', 'quarantine'] as const).some((effect) => move.effects.includes(effect))
      expect(books, `${state} ${event}`).toBe(BOOKED.includes(move.to) && !wasBooked)
      expect(move.effects.includes('release'), `${state} ${event}`).toBe(state === 'held' && move.to === 'credited')
      expect(move.effects.includes('takeBack'), `${state} ${event}`).toBe(wasBooked && !BOOKED.includes(move.to))
    }
  }
})
