/** Which operations a merchant that leaves may use, over HTTP; the operations themselves answer their own names. */
import { operations } from '@bursar/contract'
import { expect, test } from 'vitest'
import { useEdge } from '../../../../test/world/edge.ts'
import { momentAt } from '../../../../test/world/merchant.ts'
import { beginEnding, finishEnding, reopen } from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { requireService } from './service.ts'

const edge = useEdge()
const MINUTE = 60_000
const given = () => ({ merchantId: edge.merchant.id, actor: 'test' })
const moment = () => momentAt(edge.clock.ms)
const newAddress = async () => {
  edge.directory.forget(edge.merchant.id)
  const { status, text } = await edge.call('POST', '/merchants/addresses', '{"blockchain":"BITCOIN"}')
  return [status, JSON.parse(text) as { code?: number }]
}
const balances = async () => (await edge.call('GET', '/merchants/balances?tickers=BTC')).status

test('an ending merchant gets no new address, one that has ended neither; both read, and a reopened one is served', async () => {
  const path = operations.find(({ id }) => id === 'createAddress')!.path
  expect(path).toBe('/merchants/addresses')
  expect((await newAddress())[0]).toBe(200)
  await inTransaction(edge.db, (tx) => beginEnding(tx, given(), moment()))
  expect(await newAddress()).toEqual([409, expect.objectContaining({ code: 103 })])
  expect(await balances()).toBe(200)
  await expect(inTransaction(edge.db, (tx) => finishEnding(tx, { ...given(), open: [] }, moment()))).rejects.toThrow(
    'requests may be on their way',
  )
  edge.clock.ms += 11 * MINUTE
  await expect(
    inTransaction(edge.db, (tx) => finishEnding(tx, { ...given(), open: ['1 open crypto invoices'] }, moment())),
  ).rejects.toThrow('1 open crypto invoices')
  await inTransaction(edge.db, (tx) => finishEnding(tx, { ...given(), open: [] }, moment()))
  expect((await newAddress())[0]).toBe(409)
  expect(await balances()).toBe(200)
  expect(await inTransaction(edge.db, (tx) => reopen(tx, given(), moment()))).toBe('ending')
  expect(await inTransaction(edge.db, (tx) => reopen(tx, given(), moment()))).toBe('active')
  expect((await newAddress())[0]).toBe(200)
})

test('an ending merchant is refused exactly the operations that bring new money, an ended one also orders', () => {
  const refusedTo = (service: 'active' | 'ending' | 'ended'): string[] =>
    operations.flatMap((operation) => {
      try {
        requireService({ service }, operation)
        return []
      } catch {
        return [operation.id]
      }
    })
  const bring = ['createAddress', 'createCryptoInvoice', 'createFiatInvoice', 'createRotatingAddress']
  expect(refusedTo('active')).toEqual([])
  expect(refusedTo('ending').toSorted()).toEqual(bring)
  expect(refusedTo('ended').toSorted()).toEqual(
    [
      ...bring,
      'createCryptoExchangeWithdrawal',
      'createCryptoWithdrawal',
      'createExchange',
      'createFiatBatchWithdrawal',
      'createFiatExchangeWithdrawal',
      'createFiatWithdrawal',
    ].toSorted(),
  )
})
