/** A payment on a real node whose block is lost, and whose transaction is mined again with another outcome. */
import { beforeEach, expect, test } from 'vitest'
import type { EvmWorld } from '../../../../test/world/evm-node.ts'
import { useColdOnAnvil, type ColdWorld } from '../../../../test/world/cold.ts'
import { notificationsOf } from '../../../../test/world/observed.ts'
import { EVM_HOT } from '../../../../test/world/wallet.ts'

const UNITS = 1_000_000n
const HELD = 10n * UNITS
const FINAL = 4
/** The fee of the merchant for a withdrawal of these tests. */
const FEE = 1_000n
/** Code that reverts every call, as that of a token while its issuer has paused it. */
const REVERTS = '0x60006000fd'

const opened = useColdOnAnvil()
let node: EvmWorld
let world: ColdWorld
let receiver: string
let id: string
/** the chain before any block with the payment's transaction */
let before: string

/** Sends a payment, which is in no block. */
beforeEach(async () => {
  ;({ node, cold: world } = opened())
  await node.pay(EVM_HOT, 10n ** 18n)
  await node.contracts.payToken(node.contracts.token, EVM_HOT, HELD)
  await world.mine(FINAL)
  receiver = await node.newAddress()
  id = await world.request('USDT', receiver, UNITS)
  await world.pay()
  await world.send()
  expect(await world.withdrawal(id)).toBe('sent')
  before = await node.node.rpc<string>('evm_snapshot')
})

const pause = (): Promise<unknown> => node.node.rpc('anvil_setCode', node.contracts.token, REVERTS)

/** The blocks since the payment was sent are replaced by an empty one. */
const loseBlocks = async (): Promise<void> => {
  await node.node.rpc('evm_revert', before)
  await node.node.rpc('anvil_dropAllTransactions')
  await world.mine(1)
  expect(await world.withdrawal(id)).toBe('sent')
}

const mineAgain = async (): Promise<void> => {
  await world.send()
  await world.mine(1)
  expect(await world.withdrawal(id)).toBe('mined')
}

const statuses = async (): Promise<string[]> =>
  (await notificationsOf(world.db, world.merchantId)).map(({ status }) => status)
const paid = async (): Promise<bigint> => {
  const { height } = await node.adapter.head()
  const token = world.deps.catalogue.findCrypto('USDT')!.networks.get('ETHEREUM')!.contract
  return (await node.adapter.balancesAt(height, [{ address: receiver, contract: token }]))[0]!
}

test('with effect, then without: Failed follows Done once the block is final, and the balance is as before', async () => {
  const balance = await world.balance(world.merchantId, 'USDT', 'merchant')
  await world.mine(1)
  expect(await statuses()).toEqual(['Pending', 'Done'])
  await loseBlocks()
  const code = await node.node.rpc<string>('eth_getCode', node.contracts.token, 'latest')
  await pause()
  await mineAgain()
  expect(await statuses()).toEqual(['Pending', 'Done'])
  await world.mine(FINAL)
  expect([await world.withdrawal(id), await statuses()]).toEqual(['failed', ['Pending', 'Done', 'Failed']])
  await node.node.rpc('anvil_setCode', node.contracts.token, code)
  await world.mine(1)
  expect(await paid()).toBe(0n)
  expect(await world.balance(world.merchantId, 'USDT', 'merchant')).toBe(balance)
  expect(await world.differences()).toEqual([])
})

test('without effect, then with: Done, never Failed, and the merchant is charged once', async () => {
  const balance = await world.balance(world.merchantId, 'USDT', 'merchant')
  await pause()
  await world.mine(1)
  expect([await world.withdrawal(id), await statuses()]).toEqual(['mined', ['Pending']])
  await loseBlocks()
  await mineAgain()
  await world.mine(FINAL)
  expect([await world.withdrawal(id), await statuses()]).toEqual(['settled', ['Pending', 'Done']])
  expect(await paid()).toBe(UNITS)
  expect(await world.balance(world.merchantId, 'USDT', 'merchant')).toBe(balance - UNITS - FEE)
  expect(await world.differences()).toEqual([])
})
