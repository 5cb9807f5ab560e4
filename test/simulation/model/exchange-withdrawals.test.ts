import type { Bursar } from '@bursar/sdk'
import { expect, test } from 'vitest'
import type { ExchangedOut } from './books.ts'
import { judgeExchangeWithdrawal } from './exchange-withdrawals.ts'
import type { Notification } from './events.ts'
import { ledger, stubSimulation } from './stub.ts'

const UNIT = 10n ** 6n
const ORDER: ExchangedOut = {
  merchant: 'M1',
  localId: 'x-1',
  spend: 'BTC',
  ticker: 'TRX',
  network: 'TRON',
  side: 'spend',
  price: '240000',
  spendUnits: 50_000_000n,
  exchangeFeeUnits: 250_000n,
  amountUnits: 100n * UNIT,
  feeUnits: 1n * UNIT,
  to: 'theirs',
  receiver: null,
}

const judge = async (notified: object | undefined, paid = 0n, order = ORDER) => {
  const event = {
    id: '1',
    kind: 'CryptoExchangeWithdraw',
    status: 'Done',
    spendTicker: 'BTC',
    spendAmount: '0.5',
    ticker: 'TRX',
    amount: '100',
    fee: '1',
    to: 'theirs',
    exchanged: true,
    ...notified,
  } as Notification
  const found = notified === undefined ? undefined : { id: '1', kind: event.kind, status: event.status }
  const client = { withdrawals: { find: async () => found } } as unknown as Bursar
  const { add, sums } = ledger()
  const simulation = stubSimulation({ received: { theirs: paid } })
  return { problems: await judgeExchangeWithdrawal(simulation, { client, events: [event] }, order, add), sums }
}

test('an order that is Done has spent, and its receiver has all but the fee', async () => {
  expect(await judge({}, 99n * UNIT)).toEqual({ problems: [], sums: { 'M1 BTC': -50_000_000n } })
})

test.each([
  ['paid twice', {}, 198n * UNIT],
  ['Done and not paid', {}, 0n],
  ['Failed and paid', { status: 'Failed' }, 99n * UNIT],
  ['never accepted and paid', undefined, 99n * UNIT],
  ['charged more than estimated', { fee: '2' }, 98n * UNIT],
  ['filled below its estimate', { amount: '90' }, 89n * UNIT],
  ['of another amount spent', { spendAmount: '0.4' }, 99n * UNIT],
  ['sent elsewhere', { to: 'nobody' }, 99n * UNIT],
] as const)('an order that is %s is a problem', async (_, notified, paid) => {
  expect((await judge(notified, paid)).problems).toHaveLength(1)
})

test('an amount that could not be sent is on the balance, fee included', async () => {
  expect((await judge({ status: 'Failed' })).sums).toEqual({ 'M1 BTC': -50_000_000n, 'M1 TRX': 100n * UNIT })
  expect((await judge({ status: 'Failed', exchanged: false })).sums).toEqual({})
})

test('an amount to be received exactly may cost less, and not more', async () => {
  const order = { ...ORDER, side: 'withdraw' as const }
  expect((await judge({ spendAmount: '0.4' }, 99n * UNIT, order)).problems).toEqual([])
  expect((await judge({ spendAmount: '0.6' }, 99n * UNIT, order)).problems).toHaveLength(1)
})
