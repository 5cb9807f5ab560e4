import { describe, expect, test } from 'vitest'
import type { AcquirerState } from './port.ts'
import { refundAfter, refundSoFar } from './refunds.ts'

const order = (units: bigint, refundedUnits: bigint) => ({
  reference: 'p',
  refundReference: 'r',
  units,
  refundedUnits,
  ticker: 'UAH' as const,
})
const payment = (backUnits: bigint | undefined, kind: 'succeeded' | 'reversed' = 'succeeded'): AcquirerState => ({
  kind,
  acquirerReference: '7',
  ticker: 'UAH',
  units: 100n,
  feeUnits: undefined,
  maskedCard: undefined,
  backUnits,
})
const refused: AcquirerState = {
  kind: 'refused',
  acquirerReference: '7',
  code: '1',
  message: 'no',
  maskedCard: undefined,
}

test.each([
  [30n, 0n, 0n, undefined],
  [30n, 0n, 30n, 'succeeded'],
  [30n, 30n, 30n, undefined],
  [30n, 30n, 60n, 'succeeded'],
  [70n, 30n, 100n, 'succeeded'],
  // money was given back besides: what this refund would add isn't known
  [30n, 0n, 10n, 'unknown'],
  [30n, 30n, 0n, 'unknown'],
  [71n, 30n, 30n, 'refused'],
  [101n, 0n, 0n, 'refused'],
  [0n, 0n, 0n, 'refused'],
  [-1n, 0n, 0n, 'refused'],
])('%s after %s, %s went back: %s', (units, refundedUnits, backUnits, kind) => {
  expect(refundSoFar(order(units, refundedUnits), payment(backUnits), false)?.kind).toBe(kind)
})

test.each(['waiting', 'unknown'] as const)('audit F-1: a payment whose state is %s refuses no refund', (kind) => {
  expect(refundSoFar(order(30n, 0n), { kind }, false)?.kind).toBe(kind)
  expect(refundAfter(order(30n, 0n), { kind }).kind).toBe(kind)
})

test('a payment that was refused refuses a refund that was not sent', () => {
  expect(refundSoFar(order(30n, 0n), refused, false)).toMatchObject({ kind: 'refused', code: 'not_paid' })
})

describe('audit F-1: a refund that was sent', () => {
  test('is unknown until the money shows, and waited for while the acquirer says that it has it', () => {
    expect(refundAfter(order(30n, 0n), payment(0n)).kind).toBe('unknown')
    expect(refundAfter(order(30n, 0n), payment(0n), true).kind).toBe('waiting')
    expect(refundAfter(order(30n, 0n), payment(30n), true)).toMatchObject({ kind: 'succeeded', units: 30n })
  })

  test("is never refused by a payment's state", () => {
    expect(refundAfter(order(30n, 0n), refused).kind).toBe('unknown')
    expect(refundAfter(order(101n, 0n), payment(0n)).kind).toBe('unknown')
  })

  test('of the whole is done where the payment is reversed without a sum, and not when it was not sent', () => {
    expect(refundAfter(order(100n, 0n), payment(undefined, 'reversed'))).toMatchObject({
      kind: 'succeeded',
      units: 100n,
    })
    expect(refundSoFar(order(100n, 0n), payment(undefined, 'reversed'), false)?.kind).toBe('unknown')
    expect(refundAfter(order(30n, 0n), payment(undefined, 'reversed')).kind).toBe('unknown')
  })
})
