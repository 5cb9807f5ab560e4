/** Transfers of our own transactions to deposit addresses. */
import { randomUUID } from 'node:crypto'
import type { Transfer } from '@bursar/chainkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { knowHotAddresses } from '../../chain/addresses/index.ts'
import { insertPlanned } from '../../chain/transactions/index.ts'
import { useDeposits, E18, type Owned } from '../../../../test/world/deposits.ts'

const [HOT, CONTRACT] = ['0xhot', '0xcontract']
const world = useDeposits()
let owned: Owned

beforeEach(async () => {
  await knowHotAddresses(world.db, 0, [{ family: 'EVM', address: HOT, index: 0 }], new Date(world.now))
  owned = await world.address('ETHEREUM')
  const id = randomUUID()
  await world.act(async (tx, moment) => {
    await insertPlanned(
      tx,
      {
        id,
        network: 'ETHEREUM',
        purpose: 'payout',
        senders: [HOT],
        nonce: 1,
        keys: [`${HOT}:1`],
        unsigned: '0x02',
        signingKeys: [],
        feeRate: {},
        networkFee: 1n,
      },
      moment,
    )
    return { items: [], notices: [] }
  })
  await sql`update outgoing_attempts set hash = 'ours', raw = '0x02' where outgoing_id = ${id}`.execute(world.db)
})

const transfer = (index: string, from: string, to: string, contract: string | null = null): Transfer => ({
  index,
  contract,
  from: [from],
  to,
  units: contract === null ? E18 : 5_000_000n,
})
const mine = async (...transfers: Transfer[]): Promise<void> => {
  await world.mine('ETHEREUM', 100, [{ hash: 'ours', keys: [`${HOT}:1`], succeeded: true, fee: 1n, transfers }])
  await world.settle('ETHEREUM', 120, 110)
}

test('audit M-E1: coin that a contract sends on to a deposit address, in the transaction that pays the contract, is a deposit', async () => {
  await mine(transfer('n', HOT, CONTRACT), transfer('t:0', CONTRACT, owned.address))
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
  expect(await world.balance(owned.merchantId, 'ETH')).toBe((E18 * 99n) / 100n)
})

test('audit M-E1: so is a token', async () => {
  await mine(transfer('l:0', HOT, CONTRACT, '0xusdt'), transfer('l:1', CONTRACT, owned.address, '0xusdt'))
  expect(await world.statuses()).toEqual(['Pending', 'Done'])
})

test('gas that we send to a deposit address, and a transfer between deposit addresses, are no deposits', async () => {
  const other = await world.address('ETHEREUM')
  await mine(transfer('n', HOT, owned.address), transfer('l:0', other.address, owned.address, '0xusdt'))
  expect(await world.statuses()).toEqual([])
})

test('audit O-3.1: nor is a transfer of our hot wallet or of a deposit address that a restored copy has forgotten', async () => {
  const other = await world.address('ETHEREUM')
  const forgotten = (transfers: Transfer[]) => ({
    hash: 'forgotten',
    keys: [`${HOT}:7`],
    succeeded: true,
    fee: 1n,
    transfers,
  })
  await world.mine('ETHEREUM', 100, [
    forgotten([
      transfer('n', HOT, owned.address),
      transfer('l:0', other.address, owned.address, '0xusdt'),
      transfer('t:0', HOT, owned.address),
    ]),
  ])
  await world.settle('ETHEREUM', 120, 110)
  expect(await world.statuses()).toEqual([])
})
