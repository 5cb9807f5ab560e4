import { describe, expect, test } from 'vitest'
import { moveOf } from '../../platform/base/moves.ts'
import { AWAITED, paymentMoves, UNDER_WAY, type PaymentEvent, type PaymentState } from './machine.ts'
import { refundMoves, type RefundEvent, type RefundState } from './refund-machine.ts'

const STATES = Object.keys(paymentMoves) as PaymentState[]
const EVENTS: PaymentEvent[] = [
  'asked',
  'made',
  'notTaken',
  'unanswered',
  'reported',
  'credited',
  'suspended',
  'refused',
  'expired',
  'reversed',
  'disputed',
  'disputeEnded',
]

/** Every (state, event) that the table takes, and where it leads; all others are not taken. */
const ALLOWED = `
planned asked asking
asking made open
asking notTaken not-taken
asking unanswered unsure
unsure made open
unsure notTaken not-taken
unsure reported reported
unsure credited credited
unsure suspended suspended
unsure refused refused
unsure expired expired
unsure reversed reversed
open reported reported
open credited credited
open suspended suspended
open refused refused
open expired expired
open reversed reversed
reported made reported
reported credited credited
reported suspended suspended
reported refused refused
reported reversed reversed
refused credited credited
refused suspended suspended
refused reversed reversed
expired credited credited
expired suspended suspended
expired refused refused
expired reversed reversed
not-taken credited credited
not-taken suspended suspended
credited reversed reversed
credited disputed disputed
suspended credited credited
suspended reversed reversed
disputed disputeEnded credited
disputed reversed reversed`
  .trim()
  .split('\n')

describe('a payment', () => {
  test('takes exactly the events of the table', () => {
    const taken = STATES.flatMap((state) =>
      EVENTS.flatMap((event) => {
        const move = moveOf(paymentMoves, state, event)
        return move ? [`${state} ${event} ${move.to}`] : []
      }),
    )
    expect(taken.toSorted()).toEqual(ALLOWED.toSorted())
  })

  test('is credited from nowhere before an acquirer may have it, and never twice', () => {
    const credits = STATES.filter((state) => moveOf(paymentMoves, state, 'credited')?.effects.includes('credit'))
    expect(credits.toSorted()).toEqual(['expired', 'not-taken', 'open', 'refused', 'reported', 'unsure'])
    expect(moveOf(paymentMoves, 'suspended', 'credited')!.effects).toEqual(['accept'])
    for (const booked of ['credited', 'suspended'] as const)
      expect(moveOf(paymentMoves, booked, 'reversed')!.effects).toEqual(['takeBack'])
    expect(moveOf(paymentMoves, 'disputed', 'reversed')!.effects).toEqual(['release', 'takeBack'])
  })

  test('is waited for exactly while it may bring money by itself', () => {
    expect(
      AWAITED.every((state) => state === 'planned' || state === 'asking' || moveOf(paymentMoves, state, 'credited')),
    ).toBe(true)
    expect(AWAITED).toEqual(expect.arrayContaining([...UNDER_WAY]))
  })
})

test('audit F-1: a refund is sent, given back or released once, and goes back only when it provably was not sent', () => {
  const events: RefundEvent[] = ['asked', 'unsent', 'done', 'refused']
  const taken = (Object.keys(refundMoves) as RefundState[]).flatMap((state) =>
    events.flatMap((event) => {
      const move = moveOf(refundMoves, state, event)
      return move ? [`${state} ${event} ${move.to} ${move.effects.join('+')}`] : []
    }),
  )
  expect(taken).toEqual([
    'requested asked asked ',
    'requested done done capture',
    'requested refused refused release+alert',
    'asked unsent requested ',
    'asked done done capture',
    'asked refused refused release+alert',
  ])
})
