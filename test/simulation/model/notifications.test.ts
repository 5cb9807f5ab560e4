/** Of the model: which statuses of an object may follow each other. */
import { expect, test } from 'vitest'
import type { Received } from '../receivers.ts'
import type { Simulation } from '../simulation.ts'
import { compareNotifications } from './notifications.ts'

const notified = (kind: string, ...statuses: string[]): string[] => {
  const received = statuses.map((status, at): Received => {
    return { merchantId: 'M1', id: String(at), objectId: 'one', kind, status, body: '' }
  })
  return compareNotifications({ receivers: { received } } as unknown as Simulation)
}

test('a fiat invoice fails with and without a payer who continued, and is Done only after a payer continued', () => {
  expect(notified('Invoice', 'Pending', 'Failed')).toEqual([])
  expect(notified('Invoice', 'Failed')).toEqual([])
  expect(notified('Invoice', 'Done')).toEqual(['Invoice one: notified as Done'])
  expect(notified('Invoice', 'Failed', 'Done')).toEqual(['Invoice one: notified as Failed, Done'])
})
