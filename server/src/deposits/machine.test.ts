import { expect, test } from 'vitest'
import { moveOf, statesTaking } from '../base/moves.ts'
import { depositMoves, pathOf, type DepositEvent, type DepositState } from './machine.ts'

const states = Object.keys(depositMoves) as DepositState[]
const events: DepositEvent[] = ['pooled', 'mined', 'confirmed', 'refused', 'reorganized', 'replaced', 'lost']

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
      "pending confirmed -> credited [credit tellDone]",
      "pending refused -> suspended [suspend tellFailed]",
      "pending reorganized -> orphaned []",
      "pending replaced -> failed [tellFailed]",
      "pending lost -> failed [tellFailed]",
      "credited reorganized -> orphaned [takeBack]",
      "suspended reorganized -> orphaned [takeBack]",
      "orphaned pooled -> pending []",
      "orphaned mined -> pending []",
      "orphaned replaced -> failed [tellFailed]",
      "orphaned lost -> failed [tellFailed]",
      "failed mined -> pending []",
    ]
  `)
})

test('money booked by a move into a state is taken back by the move out of it, and by no other', () => {
  for (const state of states) {
    for (const event of events) {
      const move = moveOf(depositMoves, state, event)
      if (!move) continue
      const books = move.effects.includes('credit') || move.effects.includes('suspend')
      expect(books, `${state} ${event}`).toBe(move.to === 'credited' || move.to === 'suspended')
      expect(move.effects.includes('takeBack'), `${state} ${event}`).toBe(state === 'credited' || state === 'suspended')
    }
  }
})
