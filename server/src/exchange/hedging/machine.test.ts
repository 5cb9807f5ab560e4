/** Every state with every event: what ends stays ended, and nothing leads back to being placed. */
import { expect, test } from 'vitest'
import { moveOf } from '../../platform/base/moves.ts'
import { hedgeMoves, OPEN_STATES, type HedgeEvent, type HedgeState } from './machine.ts'

const states = Object.keys(hedgeMoves) as HedgeState[]
const events: HedgeEvent[] = ['accepted', 'filled', 'partly-filled', 'cancelled', 'rejected', 'lapsed']
const ENDS = ['filled', 'partly-filled', 'cancelled']

test.each(states.flatMap((state) => events.map((event) => [state, event] as const)))('%s, %s', (state, event) => {
  const move = moveOf(hedgeMoves, state, event)
  const allowed = state === 'sending' || (state === 'open' && (event === 'accepted' || ENDS.includes(event)))
  expect(move !== undefined).toBe(allowed)
  if (!move) return
  expect(move.to).toBe(event === 'accepted' ? 'open' : event)
  expect(move.effects).toEqual(OPEN_STATES.includes(move.to) ? [] : ['release'])
  expect(move.to).not.toBe('sending')
})
