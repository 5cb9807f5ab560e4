/** Of the model: which statuses of an object may follow each other. */
import { expect, test } from 'vitest'
import type { Received } from '../receivers.ts'
import type { Simulation } from '../simulation.ts'
import { compareNotifications } from './notifications.ts'

const notified = (kind: string, ...statuses: string[]): string[] => notifiedOf(kind, {}, ...statuses)

/** @param more fields of the bodies */
const notifiedOf = (kind: string, more: object, ...statuses: string[]): string[] => {
  const received = statuses.map((status, at): Received => {
    return { merchantId: 'M1', id: String(at), objectId: 'one', kind, status, body: JSON.stringify(more) }
  })
  return compareNotifications({ receivers: { received } } as unknown as Simulation)
}

test('a fiat invoice fails with and without a payer who continued, and is Done only after a payer continued', () => {
  expect(notified('Invoice', 'Pending', 'Failed')).toEqual([])
  expect(notified('Invoice', 'Failed')).toEqual([])
  expect(notified('Invoice', 'Done')).toEqual(['Invoice one: notified as Done'])
  expect(notified('Invoice', 'Failed', 'Done')).toEqual(['Invoice one: notified as Failed, Done'])
})

test('a withdrawal to an address may be Failed after Done, never the reverse; a card payout may come back', () => {
  const onChain = { blockchain: 'ETHEREUM' }
  expect(notifiedOf('Withdraw', onChain, 'Pending', 'Done')).toEqual([])
  expect(notifiedOf('Withdraw', onChain, 'Done')).toEqual([])
  expect(notifiedOf('Withdraw', onChain, 'Pending', 'Done', 'Failed')).toEqual([])
  expect(notifiedOf('Withdraw', onChain, 'Pending', 'Failed', 'Done')).toHaveLength(1)
  expect(notifiedOf('Withdraw', onChain, 'Failed', 'Done')).toHaveLength(1)
  expect(notifiedOf('Withdraw', onChain, 'Done', 'Failed')).toHaveLength(1)
  expect(notified('CryptoExchangeWithdraw', 'Exchanged', 'Done', 'Failed')).toEqual([])
  expect(notified('CryptoExchangeWithdraw', 'Exchanged', 'Failed', 'Done')).toHaveLength(1)
  expect(notifiedOf('Withdraw', onChain, 'Pending', 'Done', 'Done')).toHaveLength(1)
  expect(notified('Withdraw', 'Done', 'Failed')).toEqual([])
})
