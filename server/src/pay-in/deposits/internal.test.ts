import { randomUUID } from 'node:crypto'
import { replenishNotice } from '@bursar/contract'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { auditLedger } from '../../ledger/postings/index.ts'
import { useDeposits, E18, START } from '../../../../test/world/deposits.ts'

const world = useDeposits()

test('an internal transfer is Done at once, without a hash, and takes its money from clearing', async () => {
  const { address, merchantId } = await world.address('ETHEREUM')
  const transfer = { id: randomUUID(), ticker: 'USDT', blockchain: 'ETHEREUM', to: address, units: 10n * E18 } as const
  await world.act((tx, moment) => world.deposits.receiveInternal(tx, transfer, moment))
  const [done, ...more] = await world.notices()
  expect(more).toEqual([])
  expect(done!.body).toEqual({
    id: done!.objectId,
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    merchantId,
    from: [],
    to: address,
    amount: '10',
    fee: '2',
    time: START,
    status: 'Done',
    meta: 'order-7',
    kind: 'Replenish',
    internal: true,
    withdrawId: transfer.id,
  })
  expect(Value.Check(replenishNotice.statuses.Done!, done!.body)).toBe(true)
  expect(await world.balance(merchantId, 'USDT')).toBe(8n * E18)
  expect(await world.balance(merchantId, 'USDT', 'clearing')).toBe(-10n * E18)
  expect(await world.balance(merchantId, 'USDT', 'custody:ETHEREUM')).toBe(0n)
  expect(await auditLedger(world.db)).toEqual([])
})

test('B18 one withdrawal is received once, and no reorganisation touches it', async () => {
  const { address, merchantId } = await world.address('ETHEREUM')
  const transfer = { id: randomUUID(), ticker: 'ETH', blockchain: 'ETHEREUM', to: address, units: 1n } as const
  const receive = () => world.act((tx, moment) => world.deposits.receiveInternal(tx, transfer, moment))
  await receive()
  await expect(receive()).rejects.toThrow('received before')
  await world.orphan('ETHEREUM', 0)
  await world.settle('ETHEREUM', 10, 10)
  expect(await world.statuses()).toEqual(['Done'])
  expect(await world.balance(merchantId, 'ETH', 'clearing')).toBe(-1n)
})

test('an address that is not ours is a mistake of the caller', async () => {
  const transfer = { id: randomUUID(), ticker: 'ETH', blockchain: 'ETHEREUM', to: '0xElse', units: 1n } as const
  const receive = world.act((tx, moment) => world.deposits.receiveInternal(tx, transfer, moment))
  await expect(receive).rejects.toThrow('not internal')
})
