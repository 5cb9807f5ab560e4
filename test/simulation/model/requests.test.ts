import { expect, test } from 'vitest'
import type { Member } from '../members/people.ts'
import type { Decision, PaidOut, Requested } from './books.ts'
import { judgeRequest, placementOf } from './requests.ts'

const member = (name: string): Member => ({ name, merchant: 'M1', merchantId: 'm1', role: 'finance', id: name })
const [MAKER, OTHER, THIRD] = [member('maker'), member('other'), member('third')]

const LINE: PaidOut = {
  merchant: 'M1',
  localId: 'payout-1',
  network: 'TRON',
  ticker: 'TRX',
  to: 'T1',
  units: 5n,
  receiver: null,
}

let turn = 0
const decided = (by: Member, result: Decision['result']): Decision => {
  turn += 2
  return { by, result, began: turn - 1, ended: turn, from: turn * 1_000, to: turn * 1_000 }
}

const requested = (decisions: Decision[], more: Partial<Requested> = {}): Requested => ({
  id: '1',
  maker: MAKER,
  lines: [LINE],
  askedAt: 0,
  decisions,
  ended: undefined,
  ...more,
})

test('a request is placed by a decision, once, and not after its end', () => {
  expect(judgeRequest(requested([decided(OTHER, 'placed')], { ended: 'approved' }), [LINE])).toEqual([])
  expect(judgeRequest(requested([]), [LINE])).toEqual([
    'payout request 1 of maker: is placed, and no member has decided that',
  ])
  expect(judgeRequest(requested([decided(OTHER, 'maybe')], { ended: 'refused' }), [LINE])).toEqual([
    'payout request 1 of maker: is placed, and was refused',
  ])
  expect(judgeRequest(requested([decided(OTHER, 'placed')], { ended: 'approved' }), [])).toEqual([
    'payout request 1 of maker: was approved, and has no withdrawal',
  ])
})

test('approvals are of other members, each once, up to the decision that placed the request', () => {
  const [one, again, own, last, late] = [
    decided(OTHER, 'counted'),
    decided(OTHER, 'refused'),
    decided(MAKER, 'refused'),
    decided(THIRD, 'placed'),
    decided(member('late'), 'refused'),
  ]
  const placement = placementOf(requested([one, again, own, last, late]), [LINE])
  expect(placement).toMatchObject({ approvals: 2, began: last.began, ended: last.ended, from: last.from })
  expect(placement?.made).toEqual(new Map([['TRX', 5n]]))
})

test('where an answer was lost, any form may have placed the request', () => {
  const [first, second] = [decided(MAKER, 'maybe'), decided(OTHER, 'maybe')]
  const placement = placementOf(requested([first, second]), [LINE])
  expect(placement).toMatchObject({ approvals: 1, began: first.began, ended: second.ended, to: second.to })
})

test('a payout to a card has a receiver that is in no address book', () => {
  const card = { merchant: 'M1', localId: 'payout-1', kind: 'single', ticker: 'UAH', units: 7n } as const
  const made = { ...card, card: '5000011234567890', spend: null }
  const placement = placementOf(requested([decided(OTHER, 'placed')], { lines: [], card: made }), [made])
  expect(placement?.asked).toEqual(new Map([['UAH', 7n]]))
  expect(placement?.receivers.map(({ network }) => network)).toEqual(['CARD'])
})
