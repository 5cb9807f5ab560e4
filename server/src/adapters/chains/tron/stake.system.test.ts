/** Where an account's TRX is while it is staked, lent and on its way back, against a real chain; tronweb moves it. */
import { addressOfHex } from '@bursar/chainkit/tron'
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTronChain, type TronChain } from '../../../../../sandbox/tron/index.ts'
import type { TronChainAdapter } from '../port.ts'
import { decodeStake } from './stake.ts'
import { adapterOf, FAUCET, openTronWorld, SOLID_LAG, type TronWorld } from '../../../../../test/world/tron-node.ts'

const TRX = 1_000_000
let chain: TronChain
let world: TronWorld
let adapter: TronChainAdapter
beforeAll(async () => {
  chain = await startTronChain({ port: 0, solidLag: SOLID_LAG })
  world = await openTronWorld(chain)
  adapter = adapterOf(chain.url)
})
afterAll(() => chain?.stop())

test('a staked, lent or unfreezing amount stays the account’s, and only the rest can be sent', async () => {
  const { tronweb, send, pay } = world
  const { privateKey, address } = await tronweb.createAccount()
  const owner = addressOfHex(address.hex.toLowerCase())
  await pay(owner, 10_000_000_000n)
  await pay(addressOfHex((await tronweb.createAccount()).address.hex.toLowerCase()), 1_000_000n)
  await chain.mine(1 + SOLID_LAG)
  const { transactionBuilder: builder } = new TronWeb({ fullHost: chain.url, privateKey })
  const total = async (): Promise<bigint> =>
    (await adapter.balancesAtFinal([{ address: owner, contract: null }])).units[0]!
  const step = async (build: Parameters<TronWorld['send']>[0]): Promise<void> => {
    await send(build, privateKey)
    await chain.mine(1 + SOLID_LAG)
  }
  expect(await total()).toBe(10_000_000_000n)
  await step((options) => builder.freezeBalanceV2(4_000 * TRX, 'ENERGY', address.hex, options as never))
  await step((options) => builder.freezeBalanceV2(1_000 * TRX, 'BANDWIDTH', address.hex, options as never))
  expect(await adapter.lendable(owner)).toBe(4_000_000_000n)
  await step((options) =>
    builder.delegateResource(3_000 * TRX, FAUCET, 'ENERGY', address.hex, false, 0, options as never),
  )
  expect(await adapter.loanOf(owner, FAUCET, 0)).toBe(3_000_000_000n)
  expect(await adapter.lendable(owner)).toBe(1_000_000_000n)
  await step((options) => builder.unfreezeBalanceV2(600 * TRX, 'ENERGY', address.hex, options as never))
  const stake = await adapter.stakeOf(owner)
  expect(stake).toMatchObject({
    spendable: 5_000_000_000n,
    staked: { BANDWIDTH: 1_000_000_000n, ENERGY: 400_000_000n, TRON_POWER: 0n },
    lent: { BANDWIDTH: 0n, ENERGY: 3_000_000_000n },
    unfreezing: [{ amount: 600_000_000n }],
  })
  expect(stake.unfreezing[0]!.at - chain.status().timestamp).toBeGreaterThan(13 * 86_400_000)
  expect(await total()).toBe(10_000_000_000n)
  const { energy, stakedForEnergy, freeBandwidth } = (await adapter.supplyFor(owner))!
  expect(freeBandwidth).toBe(600n)
  expect((400n * energy) / stakedForEnergy).toBe((await adapter.resourcesOf(owner)).energy)
})

test('an address without an account has no stake, no loans and no supply', async () => {
  const unused = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'
  expect(await adapter.stakeOf(unused)).toEqual(decodeStake({}))
  expect([
    await adapter.lendable(unused),
    await adapter.loanOf(FAUCET, unused, 0),
    await adapter.supplyFor(unused),
  ]).toEqual([0n, 0n, null])
})

test('a stake of a kind that is not known is not believed', () => {
  expect(() => decodeStake({ frozenV2: [{ type: 'GOLD', amount: 1 }] })).toThrow('GOLD')
})
