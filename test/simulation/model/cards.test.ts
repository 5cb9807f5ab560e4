import type { Bursar } from '@bursar/sdk'
import { expect, test } from 'vitest'
import type { Payment } from '../acquirers/index.ts'
import type { CardPaid, FiatInvoiced } from './books.ts'
import { judgeCardPayout, judgeFiatInvoice } from './cards.ts'
import type { Bounds } from './held.ts'
import { ledger, stubSimulation, type Given } from './stub.ts'

const PAYOUT: CardPaid = {
  merchant: 'M1',
  localId: 'c-1',
  kind: 'single',
  ticker: 'UAH',
  units: 2_000_00n,
  card: '5000011234567890',
  spend: null,
}
const row = (status: 'processing' | 'succeeded' | 'refused' | 'reversed', sent = 2_000_00n) => ({
  card: '5000017890',
  currency: 'UAH',
  status,
  ...(status === 'succeeded' || status === 'reversed' ? { sent } : {}),
})

const judge = async (status: string | undefined, given: Given, payout: CardPaid = PAYOUT, parts: object[] = []) => {
  const client = {
    withdrawals: {
      find: async () => (status === undefined ? undefined : { id: '1', status, amount: '2000', fee: '13' }),
      fiat: { batch: { get: async () => ({ ticker: 'UAH', transactions: parts }) } },
    },
  } as unknown as Bursar
  const { add, sums } = ledger()
  const problems = await judgeCardPayout(stubSimulation(given), { client, events: [] }, payout, add)
  return { problems, sums }
}

test('a payout that was made takes amount and fee from the balance', async () => {
  expect(await judge('Done', { payouts: [row('refused'), row('succeeded')] })).toEqual({
    problems: [],
    sums: { 'M1 UAH': -2_013_00n },
  })
})

test('a payout that two accounts made is a problem', async () => {
  const { problems } = await judge('Done', { payouts: [row('succeeded'), row('succeeded')] })
  expect(problems[0]).toMatch(/its card got 400000/)
})

test('a payout that was made, came back, and was made again is a problem', async () => {
  const { problems } = await judge('Done', { payouts: [row('reversed'), row('succeeded')] })
  expect(problems[0]).toMatch(/its card got 400000/)
})

test.each([
  ['Done', 'refused'],
  ['Failed', 'succeeded'],
] as const)('a payout that is %s while the acquirer says %s is a problem', async (status, at) => {
  expect((await judge(status, { payouts: [row(at)] })).problems).toHaveLength(1)
})

test('money that came back is booked once the program has heard of it', async () => {
  const back = { ...row('reversed'), isHeard: true }
  expect((await judge('Done', { payouts: [{ ...back, isHeard: false }] })).problems).toEqual([])
  expect((await judge('Done', { payouts: [back] })).problems).toHaveLength(1)
  expect(await judge('Failed', { payouts: [back] })).toEqual({ problems: [], sums: { 'M1 UAH': 0n } })
})

test('an order at an acquirer that the API never accepted is a problem', async () => {
  expect((await judge(undefined, { payouts: [row('processing')] })).problems).toHaveLength(1)
  expect((await judge(undefined, {})).problems).toEqual([])
})

test('of a batch only the sum of its parts is paid', async () => {
  const part = (amount: string, status: string) => ({ amount, fee: '5', status })
  const batch: CardPaid = { ...PAYOUT, kind: 'batch' }
  const given = { payouts: [row('succeeded', 1_200_00n)] }
  expect(await judge('Done', given, batch, [part('1200', 'DONE'), part('800', 'FAILED')])).toEqual({
    problems: [],
    sums: { 'M1 UAH': -1_205_00n },
  })
  expect((await judge('Done', given, batch, [part('1200', 'DONE'), part('800', 'DONE')])).problems).toHaveLength(1)
})

const INVOICE: FiatInvoiced = { merchant: 'M1', id: '1', name: 'Order f-1', ticker: 'UAH', units: 1_000_00n }
const payment = (more: Partial<Payment>): Partial<Payment> => ({
  description: 'Order f-1',
  reference: 'p1',
  status: 'succeeded',
  currency: 'UAH',
  paid: 1_000_00n,
  refunded: 0n,
  refundedThere: 0n,
  decidedAt: 0,
  isLate: false,
  isHeard: true,
  isStated: false,
  ...more,
})

const HOURS_LATER = 7_200_001

const judgeInvoice = async (
  status: string,
  payments: readonly Partial<Payment>[],
  {
    suspended = [],
    unknown = [],
    accepted = [],
    now = 0,
  }: { suspended?: string[]; unknown?: string[]; accepted?: string[]; now?: number } = {},
) => {
  const money = { paidAmount: { value: '1000', ticker: 'UAH' }, fee: { value: '15', ticker: 'UAH' } }
  const client = {
    invoices: { fiat: { get: async () => ({ status, ...(status === 'DONE' && money) }) } },
  } as unknown as Bursar
  const bounds: Bounds[] = []
  const add = (_merchant: string, _ticker: string, one: Bounds): void => void bounds.push(one)
  const simulation = stubSimulation({ payments, now })
  for (const reference of accepted) simulation.books.accepted.add(reference)
  const seen = { suspended: new Set(suspended), unknown: new Set(unknown) }
  return { problems: await judgeFiatInvoice(simulation, client, INVOICE, seen, add), bounds }
}

const exactly = (units: bigint): Bounds => ({ least: units, most: units })

test('a paid invoice credits its amount less the fee', async () => {
  expect(await judgeInvoice('DONE', [payment({})])).toEqual({ problems: [], bounds: [exactly(985_00n)] })
})

test('of two payments one is credited, and a refund of either is possible', async () => {
  const second = payment({ reference: 'p2', status: 'reversed' })
  expect(await judgeInvoice('DONE', [payment({}), second])).toEqual({
    problems: [],
    bounds: [{ least: 0n, most: 985_00n }],
  })
})

test.each([
  ['no payment', []],
  ['another amount', [payment({ paid: 999_00n })]],
  ['another currency', [payment({ currency: 'KZT' })]],
] as const)('an invoice that is DONE by %s is a problem', async (_, payments) => {
  expect((await judgeInvoice('DONE', payments)).problems).toHaveLength(1)
})

test('a payment that the program has not queried for hours is a problem', async () => {
  expect((await judgeInvoice('PENDING', [payment({})], { now: HOURS_LATER })).problems).toHaveLength(1)
  expect((await judgeInvoice('PENDING', [payment({})], { now: HOURS_LATER - 1 })).problems).toEqual([])
})

test('a payment that succeeded late must be known once its callback is acknowledged', async () => {
  const late = { isLate: true }
  expect((await judgeInvoice('FAILED', [payment(late)], { now: HOURS_LATER })).problems).toHaveLength(1)
  const unheard = payment({ ...late, isHeard: false })
  expect((await judgeInvoice('FAILED', [unheard], { now: HOURS_LATER })).problems).toEqual([])
})

test('money that does not pay its invoice is in suspense, or is a problem', async () => {
  const payments = [payment({}), payment({ reference: 'p2', paid: 999_00n })]
  expect((await judgeInvoice('DONE', payments, { now: HOURS_LATER })).problems).toHaveLength(1)
  expect((await judgeInvoice('DONE', payments, { now: HOURS_LATER, suspended: ['p2'] })).problems).toEqual([])
})

test('the rest of a payment that was refunded at the console before it was posted is known to operators, or is a problem', async () => {
  const payments = [payment({}), payment({ reference: 'p2', refundedThere: 250_00n })]
  expect((await judgeInvoice('DONE', payments, { now: HOURS_LATER })).problems).toHaveLength(1)
  expect((await judgeInvoice('DONE', payments, { now: HOURS_LATER, unknown: ['p2'] })).problems).toEqual([])
  const whole = [payment({}), payment({ reference: 'p2' })]
  expect((await judgeInvoice('DONE', whole, { now: HOURS_LATER, unknown: ['p2'] })).problems).toHaveLength(1)
})

test('money in suspense that an operator accepts is credited less the fee', async () => {
  const late = payment({ paid: 999_00n, isLate: true })
  expect(await judgeInvoice('FAILED', [late], { now: HOURS_LATER, accepted: ['p1'] })).toEqual({
    problems: [],
    bounds: [exactly(999_00n - 14_99n)],
  })
})

test('a refund takes the returned amount, and a chargeback the rest without our fee', async () => {
  const { bounds } = await judgeInvoice('DONE', [payment({ status: 'reversed', refunded: 500_00n })])
  expect(bounds).toEqual([exactly(985_00n - 500_00n - (500_00n - 15_00n))])
})

test('a refund at the console of an acquirer is lost once the program learns of it', async () => {
  const { bounds } = await judgeInvoice('DONE', [payment({ refundedThere: 250_00n })])
  expect(bounds).toEqual([{ least: 735_00n, most: 985_00n }])
})

test('a chargeback whose callback is lost may stay unknown, unless a statement shows it', async () => {
  const lost = { status: 'reversed', isHeard: false } as const
  expect((await judgeInvoice('DONE', [payment(lost)])).bounds).toEqual([{ least: 0n, most: 985_00n }])
  expect((await judgeInvoice('DONE', [payment({ ...lost, isStated: true })])).bounds).toEqual([exactly(0n)])
})
