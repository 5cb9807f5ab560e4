import type { Bursar } from '@bursar/sdk'
import { expect, test } from 'vitest'
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
const MASK = '5000 01** **** 7890'
const row = (status: 'processing' | 'succeeded' | 'refused' | 'reversed', sent = '200000') => ({
  maskedCard: MASK,
  currency: 'UAH' as const,
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
] as const)('a payout that is %s while the bank says %s is a problem', async (status, at) => {
  expect((await judge(status, { payouts: [row(at)] })).problems).toHaveLength(1)
})

test('an order at the bank that the API never accepted is a problem', async () => {
  expect((await judge(undefined, { payouts: [row('processing')] })).problems).toHaveLength(1)
  expect((await judge(undefined, {})).problems).toEqual([])
})

test('of a batch only the sum of its parts is paid', async () => {
  const part = (amount: string, status: string) => ({ amount, fee: '5', status })
  const batch: CardPaid = { ...PAYOUT, kind: 'batch' }
  const given = { payouts: [row('succeeded', '120000')] }
  expect(await judge('Done', given, batch, [part('1200', 'DONE'), part('800', 'FAILED')])).toEqual({
    problems: [],
    sums: { 'M1 UAH': -1_205_00n },
  })
  expect((await judge('Done', given, batch, [part('1200', 'DONE'), part('800', 'DONE')])).problems).toHaveLength(1)
})

const INVOICE: FiatInvoiced = { merchant: 'M1', id: '1', name: 'Order f-1', ticker: 'UAH', units: 1_000_00n }
const payment = (more: object) => ({
  description: 'Order f-1',
  reference: 'p1',
  status: 'succeeded' as const,
  paid: '100000',
  refunded: '0',
  decidedAt: 0,
  ...more,
})

const judgeInvoice = async (status: string, given: Given) => {
  const money = { paidAmount: { value: '1000', ticker: 'UAH' }, fee: { value: '15', ticker: 'UAH' } }
  const client = {
    invoices: { fiat: { get: async () => ({ status, ...(status === 'DONE' && money) }) } },
  } as unknown as Bursar
  const bounds: Bounds[] = []
  const add = (_merchant: string, _ticker: string, one: Bounds): void => void bounds.push(one)
  return { problems: await judgeFiatInvoice(stubSimulation(given), client, INVOICE, add), bounds }
}

test('a paid invoice credits its amount less the fee', async () => {
  expect(await judgeInvoice('DONE', { payments: [payment({})] })).toEqual({
    problems: [],
    bounds: [{ least: 985_00n, most: 985_00n }],
  })
})

test('of two payments one is credited, and a refund of either is possible', async () => {
  const payments = [payment({}), payment({ reference: 'p2', status: 'reversed', refunded: '100000' })]
  expect(await judgeInvoice('DONE', { payments })).toEqual({
    problems: [],
    bounds: [{ least: 0n, most: 985_00n }],
  })
})

test('an invoice that is DONE without such a payment is a problem', async () => {
  expect((await judgeInvoice('DONE', {})).problems).toHaveLength(1)
  expect((await judgeInvoice('DONE', { payments: [payment({ paid: '99900' })] })).problems).toHaveLength(1)
})

test('a payment that the program has not asked about for hours is a problem', async () => {
  const payments = [payment({})]
  expect((await judgeInvoice('PENDING', { payments, now: 7_200_001 })).problems).toHaveLength(1)
  expect((await judgeInvoice('PENDING', { payments, now: 7_200_000 })).problems).toEqual([])
})

test('a refund takes the returned amount, and a chargeback the rest without our fee', async () => {
  const payments = [payment({ status: 'reversed', refunded: '100000' })]
  const refunds = [{ units: '40000' }, { units: '10000', isPending: true }]
  const units = 985_00n - 400_00n - (600_00n - 15_00n)
  const { bounds } = await judgeInvoice('DONE', { payments, refunds })
  expect(bounds).toEqual([{ least: units, most: units }])
})
