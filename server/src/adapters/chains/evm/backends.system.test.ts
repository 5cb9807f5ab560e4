/** State that decides about money is of one block, even if machines at different heads answer in turn. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { useAnvil } from '../../../../../test/setup/nodes.ts'
import type { AccountState } from '../port.ts'
import { startBackends, type Backends } from './test-backends.ts'
import { adapterOf, openEvmWorld, type EvmWorld } from '../../../../../test/world/evm-node.ts'

const KIND = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
const GWEI = 10n ** 9n
const FUNDS = 10n ** 18n
const anvil = useAnvil()

describe('machines at different heads behind one address', () => {
  let world: EvmWorld
  let backends: Backends
  let adapter: EvmWorld['adapter']
  let height: number
  const account = privateKeyToAccount(generatePrivateKey())
  const to = privateKeyToAccount(generatePrivateKey()).address
  const value = 3n * 10n ** 17n

  beforeAll(async () => {
    world = await openEvmWorld(await anvil(), KIND)
    await world.pay(account.address, FUNDS)
    await world.mine(3)
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      gas: 21_000n,
      to,
      value,
      maxFeePerGas: 9n * GWEI,
      maxPriorityFeePerGas: GWEI,
    })
    expect(await world.adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await world.mine(1)
    height = (await world.adapter.head()).height
    backends = await startBackends(world.node, 2)
    adapter = adapterOf(backends.url, KIND)
  })
  afterAll(async () => {
    await adapter.close()
    await backends.close()
  })

  const looks: [string, (state: AccountState) => Promise<unknown>][] = [
    ['a balance', (state) => state.balances([{ address: account.address, contract: null }])],
    ['a nonce', (state) => state.minedNonce(account.address)],
    ['code', (state) => state.codeAt(account.address)],
    ['an estimate', (state) => state.estimateGas({ from: account.address, to, value: 1n, data: '0x' })],
  ]

  test('the double: the machine that lags shows the older state', async () => {
    backends.lags = () => true
    expect(await adapter.head()).toMatchObject({ height: height - 2 })
    expect(await adapter.balancesAt(height - 2, [{ address: account.address, contract: null }])).toEqual([FUNDS])
    expect(await adapter.minedNonce(account.address)).toBe(0)
    await expect(adapter.balancesAt(height, [{ address: account.address, contract: null }])).rejects.toMatchObject({
      name: 'ChainUnavailable',
    })
  })

  test('audit D-E13: row E-7: a head below a block that was read gives no state', async () => {
    backends.lags = () => true
    await expect(adapter.stateFrom(height)).rejects.toThrow(
      `shows block ${height - 2} as its newest, and block ${height} has been read before`,
    )
    await expect(adapter.stateFrom(height)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test.for(looks)(
    'audit D-E13: rows E-7 and E-41: %s is of the named block, or the node is unavailable',
    async ([, look]) => {
      backends.lags = () => false
      const state = await adapter.stateFrom(height)
      expect(state.head.height).toBe(height)
      const seen = await look(state)
      backends.lags = () => true
      await expect(look(state)).rejects.toMatchObject({ name: 'ChainUnavailable' })
      backends.lags = () => false
      expect(await look(state)).toEqual(seen)
    },
  )

  test('audit D-E13: a whole state is of one block', async () => {
    backends.lags = () => false
    const state = await adapter.stateFrom(height)
    const fee = (await world.adapter.statusOf((await world.adapter.blockAt(height))!.transactions[0]!.hash)) as {
      fee: bigint
    }
    expect(await Promise.all(looks.map(([, look]) => look(state)))).toEqual([
      [FUNDS - value - fee.fee],
      1,
      '0x',
      { ok: true, gas: 21_000n },
    ])
  })
})
