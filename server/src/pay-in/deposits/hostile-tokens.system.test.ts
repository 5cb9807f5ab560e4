/**
 * Tokens that are not what they seem, on anvil with the adapter and the watcher: nothing of them becomes a deposit or a
 * word to a merchant.
 */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { faucetAccount } from '../../../../sandbox/anvil/transactions.ts'
import { call, deploy, ensureTokens } from '../../../../sandbox/tokens/index.ts'
import { ethereum } from '../../../../sandbox/evm-specs.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { useAnvil } from '../../../../test/setup/nodes.ts'
import { openEvmSweeps, type EvmSweeps } from '../../../../test/world/evm-sweeps.ts'

const database = useDatabase({ template: migrated })
const startNode = useAnvil()
const LOGS = 100

const open = async (contract?: string): Promise<{ world: EvmSweeps; usdt: string }> => {
  const node = await startNode()
  const world = await openEvmSweeps(database.url, { node, ...(contract && { usdt: contract }) })
  return { world, usdt: contract ?? (await ensureTokens(node.rpc, ethereum.tokens)).get('USDT')! }
}
const noted = async ({ db }: EvmSweeps): Promise<{ deposits: number; events: number }> => ({
  deposits: (await sql<{ n: number }>`select count(*) as n from deposits`.execute(db)).rows[0]!.n,
  events: (await sql<{ n: number }>`select count(*) as n from events`.execute(db)).rows[0]!.n,
})

test('E3 a token of the same name and decimals at another contract is no deposit', async () => {
  const { world } = await open()
  const { address } = await world.address()
  const twin = await deploy(world.node.rpc, 'TestToken', ['Tether USD', 'USDT', 6])
  await call(world.node.rpc, 'TestToken', twin, 'mint', [address, 10n ** 12n])
  await call(world.node.rpc, 'TestToken', twin, 'transfer', [address, 0n])
  await world.mine(4)
  expect(await noted(world)).toEqual({ deposits: 0, events: 0 })
  expect(await world.differences()).toEqual([])
})

test('E5 transfers of nothing, which others can make in our name, leave no record and no notification', async () => {
  const { world, usdt } = await open()
  const { address } = await world.address()
  const stranger = await world.chain.newAddress()
  for (let i = 0; i < LOGS / 2; i += 1) {
    await call(world.node.rpc, 'TestToken', usdt, 'transferFrom', [stranger, address, 0n])
    await call(world.node.rpc, 'TestToken', usdt, 'transferFrom', [address, stranger, 0n])
  }
  await world.mine(4)
  expect(await noted(world)).toEqual({ deposits: 0, events: 0 })
  expect((await sql`select from house_transfers`.execute(world.db)).rows).toEqual([])
  await world.pay('USDT', address, '5')
  await world.mine(4)
  expect((await noted(world)).deposits).toBe(1)
})

test('E2 a transfer that answers false, or fails, moves nothing and is no deposit', async () => {
  const node = await startNode()
  const bad = await deploy(node.rpc, 'BadToken', ['Tether USD', 'USDT', 6])
  const { world } = await open(bad)
  const { address } = await world.address()
  await call(node.rpc, 'TestToken', bad, 'mint', [faucetAccount, 10n ** 12n])
  await call(node.rpc, 'TestToken', bad, 'transfer', [address, 5_000_000n])
  await call(node.rpc, 'BadToken', bad, 'setMode', [1])
  const refused = await call(node.rpc, 'TestToken', bad, 'transfer', [address, 7_000_000n])
  expect(await node.rpc('eth_getTransactionReceipt', refused)).toMatchObject({ status: '0x1' })
  await call(node.rpc, 'BadToken', bad, 'setMode', [2])
  const data = `0xa9059cbb${address.slice(2).toLowerCase().padStart(64, '0')}${'7'.padStart(64, '0')}`
  const failed = await node.rpc<string>('eth_sendTransaction', { from: faucetAccount, to: bad, data, gas: '0x186a0' })
  await world.mine(4)
  expect(await node.rpc('eth_getTransactionReceipt', failed)).toMatchObject({ status: '0x0' })
  const { rows } = await sql<{ units: bigint }>`select units from deposits`.execute(world.db)
  expect(rows.map(({ units }) => units)).toEqual([5_000_000n])
})
