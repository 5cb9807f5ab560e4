/** Answers of a real node to transactions that it refuses, and the needs of an account before it sends. */
import { beforeAll, describe, expect, test } from 'vitest'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { EVM_NODES } from '../../../../../test/setup/nodes.ts'
import { startProxy } from '../test-proxy.ts'
import { adapterOf, openEvmWorld, type EvmWorld } from '../../../../../test/world/evm-node.ts'

const KIND = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
const GWEI = 10n ** 9n

describe.each(EVM_NODES)('sending through %s', (name, use) => {
  const node = use()
  let world: EvmWorld
  const account = privateKeyToAccount(generatePrivateKey())
  const to = privateKeyToAccount(generatePrivateKey()).address
  const sign = (given: object) =>
    account.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: 0,
      gas: 21_000n,
      to,
      value: 5n,
      maxFeePerGas: 9n * GWEI,
      maxPriorityFeePerGas: GWEI,
      ...given,
    })

  beforeAll(async () => {
    world = await openEvmWorld(await node(), KIND)
    await world.node.rpc('anvil_setBalance', account.address, `0x${(10n ** 18n).toString(16)}`)
  })

  test.for([
    ['costs more than there is', { value: 10n ** 18n }, { kind: 'refused', reason: 'insufficient-funds' }],
    [
      // Hardhat's node keeps it for a later block, as geth does.
      'offers less than the base fee',
      { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
      name === 'anvil' ? { kind: 'refused', reason: 'fee-too-low' } : { kind: 'accepted' },
    ],
    ['is for another chain', { chainId: 1 }, { kind: 'refused', reason: 'invalid' }],
    ['has too little gas', { gas: 20_000n }, { kind: 'refused', reason: 'invalid' }],
  ] as const)('a transaction that %s', async ([, fields, verdict]) => {
    expect(await world.adapter.broadcast(await sign(fields))).toMatchObject(verdict)
  })

  test.for(['', '0x', 'zz', '0x12345', 'c0'])('the rubbish %j', async (raw) => {
    expect(await world.adapter.broadcast(raw)).toMatchObject({ kind: 'refused', reason: 'invalid' })
  })

  test('bytes with and without 0x are the same', async () => {
    const raw = await sign({})
    expect(await world.adapter.broadcast(raw.slice(2))).toEqual({ kind: 'accepted' })
    expect(await world.adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await world.mine(1)
    expect(await world.adapter.minedNonce(account.address)).toBe(1)
  })

  test('E8 C3 a lost answer leaves it unknown; handed over again it is accepted, in the pool and in a block', async () => {
    const proxy = await startProxy(world.node.url)
    const adapter = adapterOf(proxy.url, KIND)
    const raw = await sign({ nonce: 1 })
    proxy.behave = ({ method }) => (method === 'eth_sendRawTransaction' ? 'lose' : 'pass')
    await expect(adapter.broadcast(raw)).rejects.toThrow(/ETHEREUM: eth_sendRawTransaction: no answer/)
    proxy.behave = () => 'pass'
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await world.mine(1)
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await proxy.close()
  })

  test('row E-57: gas: an account without funds, a contract that refuses, a node that is out of order', async () => {
    const { adapter, contracts } = world
    const poor = { from: to, to: account.address, value: 10n ** 30n, data: '0x' }
    expect(await adapter.estimateGas(contracts.impossible)).toMatchObject({ ok: false, reason: 'reverted' })
    // These nodes estimate a plain transfer without a look at the balance; geth does look.
    const proxy = await startProxy(world.node.url)
    const behind = adapterOf(proxy.url, KIND)
    proxy.behave = () => ({ refuse: { code: -32000, message: 'insufficient funds for transfer' } })
    expect(await behind.estimateGas(poor)).toMatchObject({ ok: false, reason: 'insufficient-funds' })
    proxy.behave = () => ({ refuse: { code: -32000, message: 'gas required exceeds allowance (30000000)' } })
    expect(await behind.estimateGas(poor)).toMatchObject({ ok: false, reason: 'reverted' })
    proxy.behave = () => ({ refuse: { code: -32000, message: 'missing trie node' } })
    await expect(behind.estimateGas(poor)).rejects.toMatchObject({ name: 'ChainUnavailable' })
    await proxy.close()
  })

  test('an account that delegates to code is no contract', async () => {
    const { node, adapter, contracts } = world
    await node.rpc('anvil_setCode', account.address, `0xef0100${contracts.payer.slice(2).toLowerCase()}`)
    expect(await adapter.isContract(account.address)).toBe(false)
    expect(await adapter.isContract(contracts.payer)).toBe(true)
  })

  test('fees: the median tip of blocks that had any, a cap above twice the base fee, floor and cap', async () => {
    const proxy = await startProxy(world.node.url)
    const adapter = adapterOf(proxy.url, { ...KIND, gasPriceFloor: 3n, gasPriceCap: 1_000n })
    const rate = (baseFee: number, tips: number[], used = tips.map(() => 0.5)) => {
      const hex = (value: number): string => `0x${value.toString(16)}`
      const history = {
        baseFeePerGas: [hex(1), hex(baseFee)],
        gasUsedRatio: used,
        reward: tips.map((tip) => [hex(tip)]),
      }
      proxy.behave = () => ({ change: () => history })
      return adapter.feeRate()
    }
    const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
      kind: 'gas',
      legacy: false,
      maxFeePerGas,
      maxPriorityFeePerGas,
    })
    expect(await rate(100, [9, 1_000, 20])).toEqual(fees(220n, 20n))
    expect(await rate(100, [0, 0, 20], [0, 0, 0.5])).toEqual(fees(220n, 20n))
    expect(await rate(100, [])).toEqual(fees(203n, 3n))
    expect(await rate(900, [20])).toEqual(fees(1_000n, 20n))
    expect(await rate(900, [5_000])).toEqual(fees(1_000n, 1_000n))
    const legacy = adapterOf(proxy.url, { ...KIND, legacyGas: true, gasPriceFloor: 3n, gasPriceCap: 1_000n })
    for (const [asked, price] of [
      ['0x0', 3n],
      ['0x20', 32n],
      ['0xffffffff', 1_000n],
    ] as const) {
      proxy.behave = () => ({ change: () => asked })
      expect(await legacy.feeRate()).toEqual({
        kind: 'gas',
        legacy: true,
        maxFeePerGas: price,
        maxPriorityFeePerGas: price,
      })
    }
    await proxy.close()
  })
})
