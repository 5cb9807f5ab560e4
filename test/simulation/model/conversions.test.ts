import { expect, test } from 'vitest'
import type { Targeted } from './books.ts'
import { judgeConversions } from './conversions.ts'
import type { Notification } from './events.ts'
import { ledger, stubSimulation } from './stub.ts'

const deposit: Notification = {
  id: 'd1',
  kind: 'Replenish',
  status: 'Verified',
  ticker: 'BTC',
  amount: '0.5',
  fee: '0',
  to: 'mine',
}
const exchange = (more: object = {}): Notification => ({
  id: 'e1',
  kind: 'Exchange',
  status: 'Done',
  localId: 'd1',
  spendTicker: 'BTC',
  spendAmount: '0.5',
  targetTicker: 'USDT',
  targetAmount: '30000',
  ...more,
})
const sent = (more: object = {}): Notification => ({
  ...exchange(),
  kind: 'CryptoExchangeWithdraw',
  ticker: 'USDT',
  amount: '30000',
  fee: '1',
  to: 'theirs',
  exchanged: true,
  ...more,
})
const TO_BALANCE: Targeted = { merchant: 'M1', address: 'mine', invoiceId: null, ticker: 'USDT', sentTo: null }
const SENT: Targeted = { ...TO_BALANCE, sentTo: { network: 'TRON', address: 'theirs', receiver: null } }

const judge = async (
  target: Targeted | undefined,
  events: readonly Notification[],
  received: Record<string, bigint> = {},
) => {
  const simulation = stubSimulation({ received })
  if (target) simulation.books.targeted.push(target)
  const { add, sums } = ledger()
  return { problems: await judgeConversions(simulation, new Map([['M1', events]]), add), sums }
}

test('a deposit becomes the asset of its target', async () => {
  expect(await judge(TO_BALANCE, [deposit, exchange()])).toEqual({
    problems: [],
    sums: { 'M1 BTC': -50_000_000n, 'M1 USDT': expect.any(BigInt) },
  })
})

test.each([
  ['exchanged twice', TO_BALANCE, [deposit, exchange(), exchange({ id: 'e2' })]],
  ['not exchanged', TO_BALANCE, [deposit]],
  [
    'exchanged before it is credited',
    TO_BALANCE,
    [{ ...deposit, status: 'Pending' }, exchange({ spendAmount: '0.6' })],
  ],
  ['exchanged without a target', undefined, [deposit, exchange()]],
  ['exchanged into another asset', TO_BALANCE, [deposit, exchange({ targetTicker: 'TRX' })]],
  ['sent to another address', SENT, [deposit, sent({ to: 'nobody' })]],
] as const)('a deposit that is %s is a problem', async (_, target, events) => {
  expect((await judge(target, events)).problems).not.toEqual([])
})

test('a merchant that was notified that nothing is exchanged has the money', async () => {
  const failed = exchange({ status: 'Failed', targetAmount: '0' })
  expect(await judge(TO_BALANCE, [deposit, failed])).toEqual({ problems: [], sums: {} })
})

test('the receiver of proceeds has the sum of all Done amounts less the fees, and nothing else', async () => {
  const events = [deposit, sent()]
  expect((await judge(SENT, events, { theirs: 29_999_000_000n })).problems).toEqual([])
  expect((await judge(SENT, events)).problems).toHaveLength(1)
  expect((await judge(SENT, events, { theirs: 59_998_000_000n })).problems).toHaveLength(1)
  expect((await judge(SENT, [deposit, sent({ status: 'Exchanged' })])).problems).toEqual([])
})

test('proceeds that could not be sent are on the balance', async () => {
  const { sums } = await judge(SENT, [deposit, sent({ status: 'Failed' })])
  expect(Object.keys(sums)).toEqual(['M1 BTC', 'M1 USDT'])
})
