import { expect, test } from 'vitest'
import { refundAfter, refundSoFar } from './refunds.ts'

const order = (units: bigint, refundedUnits: bigint) => ({ reference: 'p', refundReference: 'r', units, refundedUnits, ticker: 'UAH' as const })
const money = (backUnits: bigint) => ({ acquirerReference: '7', paidUnits: 100n, backUnits, maskedCard: undefined })

test.each([
  [30n, 0n, 0n, undefined],
  [30n, 0n, 30n, 'succeeded'],
  [30n, 30n, 30n, undefined],
  [30n, 30n, 60n, 'succeeded'],
  [70n, 30n, 100n, 'succeeded'],
  // somebody gave money back besides: what this refund would add isn't known
  [30n, 0n, 10n, 'unknown'],
  [30n, 30n, 0n, 'unknown'],
  [71n, 30n, 30n, 'refused'],
  [101n, 0n, 0n, 'refused'],
  [0n, 0n, 0n, 'refused'],
  [-1n, 0n, 0n, 'refused'],
])('%s after %s, %s went back: %s', (units, refundedUnits, backUnits, kind) => {
  expect(refundSoFar(order(units, refundedUnits), money(backUnits))?.kind).toBe(kind)
})

test('just asked for it is on its way until the money shows', () => {
  expect(refundAfter(order(30n, 0n), money(0n)).kind).toBe('waiting')
  expect(refundAfter(order(30n, 0n), undefined).kind).toBe('waiting')
  expect(refundAfter(order(30n, 0n), money(30n))).toMatchObject({ kind: 'succeeded', units: 30n })
})
