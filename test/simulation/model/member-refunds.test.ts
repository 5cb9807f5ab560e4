import { expect, test } from 'vitest'
import type { Payment } from '../acquirers/index.ts'
import type { Decision, RefundAsked, Requested } from './books.ts'
import { judgeMemberRefunds } from './member-refunds.ts'
import type { Span } from './policies.ts'

const MAKER = { name: 'maker', merchant: 'M1', merchantId: 'm1', role: 'finance', id: 'maker' } as const

let turn = 0
const next = (): Span => {
  turn += 2
  return { began: turn - 1, ended: turn, from: 0, to: 0 }
}

const asked = (): NonNullable<Requested['refund']> => ({
  reference: 'p',
  ticker: 'UAH',
  units: 30n,
  before: 0,
  asked: next(),
})

const ofOperator = (): RefundAsked => ({ reference: 'p', id: 'o', before: 0, ...next() })
const approved = (): Decision => ({ by: { ...MAKER, id: 'other' }, result: 'placed', ...next() })

const judge = (
  refund: NonNullable<Requested['refund']>,
  decisions: Decision[],
  refundsAsked: RefundAsked[],
  made: Partial<Payment>,
): string[] => {
  const requested = [{ id: '1', maker: MAKER, lines: [], refund, askedAt: 0, decisions, ended: undefined }]
  const payment = { reference: 'p', paid: 100n, refunded: 0n, refunds: 0, ...made } as Payment
  return judgeMemberRefunds({ requested, refundsAsked }, [payment])
}

test('a refund without an approval is not made', () => {
  expect(judge(asked(), [], [], { refunds: 1 })).toHaveLength(1)
  expect(judge(asked(), [approved()], [], { refunds: 1 })).toEqual([])
})

test('a refund is not made if an operator has refunded the payment since it was asked for', () => {
  const [between, order, approval] = [asked(), ofOperator(), approved()]
  expect(judge(between, [approval], [order], { refunds: 2 })).toEqual([
    'card payment p: 2 refunds were made, and 1 of an operator and 0 of members are possible',
  ])
  expect(judge(between, [approval], [order], { refunds: 1 })).toEqual([])
  const before = ofOperator()
  expect(judge(asked(), [approved()], [before], { refunds: 2 })).toEqual([])
})

test('no more is refunded than was paid', () => {
  expect(judge(asked(), [approved()], [], { refunds: 1, refunded: 101n })).toEqual([
    'card payment p: 101 of 100 were refunded',
  ])
})
