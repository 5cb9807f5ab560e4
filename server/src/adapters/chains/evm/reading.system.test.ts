/** A chain that moves while it is read, and a node that shows less than it should. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findEdr } from '../../../../../sandbox/edr/binding.ts'
import { EVM_NODES, useEdr } from '../../../../../test/setup/nodes.ts'
import { blockOf, transfersOf } from '../conformance/reading.ts'
import { evmSettingsOf } from '../settings.ts'
import { startProxy, type Behaviour, type TestProxy } from '../test-proxy.ts'
import { adapterOf, openEvmWorld, type EvmWorld } from '../../../../../test/world/evm-node.ts'

const KIND = { network: 'ETHEREUM', chainId: 31_337, legacyGas: false, finality: 'finalized' } as const
const TRACE = 'debug_traceBlockByHash'
/** The adapter waits before it asks again; the node behind makes no difference, so that one is enough. */
const SLOW_DOWN = [
  { code: -32007, message: '15/second request limit reached - reduce calls per second or upgrade your account' },
  { code: 429, message: 'Your app has exceeded its compute units per second capacity. Upgrade for more.' },
]

describe.each(EVM_NODES)('reading %s', (name, use) => {
  const started = use()
  let world: EvmWorld
  let proxy: TestProxy
  const adapterBehind = (given: { traces?: 'auto' | 'off' } = {}) =>
    adapterOf(proxy.url, { ...KIND, tokens: [world.contracts.token], ...given })
  const onlyFor = (wanted: string, behaviour: Behaviour) => (call: { method: string }) =>
    call.method === wanted ? behaviour : 'pass'

  beforeAll(async () => {
    const node = await started()
    world = await openEvmWorld(node, KIND)
    proxy = await startProxy(node.url)
    return () => proxy.close()
  })
  afterEach(() => {
    proxy.behave = () => 'pass'
  })

  /** A block with a token payment and an inner call. */
  const mineBoth = async (): Promise<{ to: string; hash: string }> => {
    const { contracts, newAddress, mine } = world
    const to = await newAddress()
    await contracts.payToken(contracts.token, to, 5n)
    const hash = await contracts.payInside([{ to, units: 6n }])
    await mine(1)
    return { to, hash }
  }

  test.for([
    ['eth_getBlockReceipts', 'null', { change: () => null }],
    ['eth_getBlockReceipts', 'an error', { refuse: { code: -32000, message: 'header not found' } }],
    [TRACE, 'an error', { refuse: { code: -32000, message: 'block not found' } }],
  ] as const)(
    '%s answers %s of a block that left the chain: the block that replaced it is read',
    async ([method, , fault]) => {
      const { to } = await mineBoth()
      const { height, hash: stale } = await world.adapter.head()
      const old = await world.node.rpc<object>('eth_getBlockByNumber', `0x${height.toString(16)}`, true)
      await world.reorg(1, [])
      const adapter = adapterBehind()
      await adapter.capabilities()
      let bad = true
      proxy.behave = (call) => {
        if (!bad) return 'pass'
        if (call.method === 'eth_getBlockByNumber' && call.params[1] === true) return { change: () => old }
        if (call.method === 'eth_getBlockReceipts' && method === TRACE) return { change: () => receiptsOf(old) }
        if (call.method !== method) return 'pass'
        bad = false
        return fault
      }
      const block = (await adapter.blockAt(height))!
      expect(block.hash).toBe(await world.adapter.hashAt(height))
      expect(block.hash).not.toBe(stale)
      expect(transfersOf(block, to).map(({ index }) => index)).toEqual(['l:0', `t:${to}`])
    },
  )

  test.for([
    ['eth_getTransactionReceipt', { change: () => null }],
    [
      'eth_getTransactionReceipt',
      { change: (receipt: unknown) => ({ ...(receipt as object), blockHash: `0x${'ab'.repeat(32)}` }) },
    ],
    [TRACE, { refuse: { code: -32000, message: 'header not found' } }],
    [TRACE, { refuse: { code: -32001, message: 'Resource not found' } }],
    [TRACE, { change: () => [] }],
    [TRACE, { change: (traces: unknown) => (traces as object[]).map(() => ({})) }],
    [TRACE, { change: (traces: unknown) => (traces as object[]).map(() => ({ error: 'execution timeout' })) }],
    ['eth_getBlockByNumber', { change: (block: unknown) => ({ ...(block as object), number: '0x1' }) }],
  ] as const)('a block of the best chain with %s not whole is not believed: %j', async ([method, fault]) => {
    const { hash } = await mineBoth()
    const { height } = await blockOf(world.adapter, hash)
    const adapter = adapterBehind()
    await adapter.capabilities()
    const whole = { refuse: { code: -32004, message: 'Method eth_getBlockReceipts is not supported' } }
    proxy.behave = (call) =>
      call.method === method
        ? fault
        : call.method === 'eth_getBlockReceipts' && method === 'eth_getTransactionReceipt'
          ? whole
          : 'pass'
    await expect(adapter.blockAt(height)).rejects.toMatchObject({ name: 'ChainUnavailable' })
  })

  test.for([
    { change: () => null },
    { change: (receipts: unknown) => (receipts as unknown[]).slice(1) },
    { change: (receipts: unknown) => (receipts as object[]).map((one) => ({ ...one, logs: [] })).toReversed() },
    { refuse: { code: -32004, message: 'Method eth_getBlockReceipts is not supported' } },
  ])('audit D-E11: receipts that are not whole are read one by one: %j', async (fault) => {
    const { to, hash } = await mineBoth()
    const adapter = adapterBehind()
    proxy.behave = onlyFor('eth_getBlockReceipts', fault)
    expect(transfersOf(await blockOf(adapter, hash), to).map(({ index }) => index)).toEqual(['l:0', `t:${to}`])
  })

  test.for([
    { refuse: { code: -32000, message: 'required historical state unavailable (reexec=128)' } },
    { refuse: { code: -32000, message: 'missing trie node 8b16 (path ) state 0xab is not available' } },
    { refuse: { code: -32000, message: 'old data not available due to pruning' } },
    { refuse: { code: -32603, message: 'state at block #12 is pruned' } },
    { refuse: { code: -32002, message: 'No state available for block 12 (0xab12...cd34)' } },
    { change: (traces: unknown) => (traces as object[]).map(() => ({ error: 'Resource not found' })) },
  ])('a block whose state is gone is shown without inner calls, and says so: %j', async (fault) => {
    const { to, hash } = await mineBoth()
    const { height } = await blockOf(world.adapter, hash)
    await world.node.rpc('anvil_mine', '0x50')
    const adapter = adapterBehind()
    await adapter.capabilities()
    proxy.behave = onlyFor(TRACE, fault)
    const block = (await adapter.blockAt(height))!
    expect(block.untraced).toBe(true)
    expect(transfersOf(block, to).map(({ index }) => index)).toEqual(['l:0'])
  })

  test('a block of plain payments needs no traces, an empty one nothing at all', async () => {
    const { pay, newAddress, mine } = world
    const adapter = adapterBehind()
    await adapter.capabilities()
    await pay(await newAddress(), 5n)
    await mine(2)
    const { height } = await world.adapter.head()
    proxy.asked = []
    expect((await adapter.blockAt(height))!.transactions).toEqual([])
    expect(proxy.asked).toEqual(['eth_getBlockByNumber'])
    expect((await adapter.blockAt(height - 1))!.transactions).toHaveLength(2)
    expect(proxy.asked).toEqual(['eth_getBlockByNumber', 'eth_getBlockByNumber', 'eth_getBlockReceipts'])
  })

  test.for([
    { code: -32601, message: 'the method debug_traceBlockByHash does not exist/is not available' },
    { code: -32000, message: 'Method not supported' },
    { code: -32004, message: 'this request method is not supported' },
    { code: -32600, message: 'debug_traceBlockByHash is not available on the free tier, please upgrade your plan' },
  ])('a node that does not trace says so once, and shows the rest: $message', async (refuse) => {
    const { to, hash } = await mineBoth()
    const adapter = adapterBehind()
    proxy.asked = []
    proxy.behave = onlyFor(TRACE, { refuse })
    expect(await adapter.capabilities()).toEqual({ mempool: false, traces: false })
    expect(transfersOf(await blockOf(adapter, hash), to).map(({ index }) => index)).toEqual(['l:0'])
    await adapter.capabilities()
    expect(proxy.asked.filter((method) => method === TRACE)).toHaveLength(1)
  })

  test.for([
    { code: -32603, message: 'out of memory' },
    { code: -32607, message: 'The call limit has been reached, please upgrade your subscription plan.' },
    ...(name === 'anvil' ? SLOW_DOWN : []),
  ])('a node that is only out of order is asked again whether it traces: $message', async (refuse) => {
    const adapter = adapterBehind()
    proxy.behave = onlyFor(TRACE, { refuse })
    await expect(adapter.capabilities()).rejects.toMatchObject({ name: 'ChainUnavailable' })
    proxy.behave = () => 'pass'
    expect(await adapter.capabilities()).toEqual({ mempool: false, traces: true })
  })

  test('switched off, traces are never asked for', async () => {
    const { to, hash } = await mineBoth()
    const adapter = adapterBehind({ traces: 'off' })
    proxy.asked = []
    expect(await adapter.capabilities()).toEqual({ mempool: false, traces: false })
    expect(transfersOf(await blockOf(adapter, hash), to)).toHaveLength(1)
    expect(proxy.asked).not.toContain(TRACE)
  })

  test('B6 a receipt of a block that left the chain is no proof', async () => {
    const hash = await world.pay(await world.newAddress(), 5n)
    await world.mine(1)
    const adapter = adapterBehind()
    const stale = { blockHash: `0x${'ab'.repeat(32)}` }
    proxy.behave = onlyFor('eth_getTransactionReceipt', { change: (receipt) => ({ ...(receipt as object), ...stale }) })
    expect(await adapter.statusOf(hash)).toEqual({ kind: 'unknown' })
    let once = true
    proxy.behave = ({ method }) =>
      method === 'eth_getTransactionReceipt' && once ? ((once = false), { change: () => null }) : 'pass'
    expect((await adapter.statusOf(hash)).kind).toBe('mined')
  })

  test('B6 balances are those of one block: a node that has given it up is not believed', async () => {
    const { height } = await world.adapter.head()
    const adapter = adapterBehind()
    const wanted = [{ address: await world.newAddress(), contract: null }]
    proxy.behave = onlyFor('eth_getBlockByNumber', {
      change: (block) => ({ ...(block as object), hash: `0x${'ab'.repeat(32)}` }),
    })
    await expect(adapter.balancesAt(height, wanted)).rejects.toThrow(/no balance of/)
    await expect(
      world.adapter.balancesAt(height, [{ address: wanted[0]!.address, contract: wanted[0]!.address }]),
    ).rejects.toThrow(/is it a token/)
  })
})

describe.skipIf(findEdr() === undefined)("reading Hardhat's node with its own answers", () => {
  const started = useEdr({ ownReads: true })
  let world: EvmWorld
  beforeAll(async () => {
    world = await openEvmWorld(await started(), KIND)
  })

  test('it has no receipts of a block: they are read one by one', async () => {
    const { contracts, newAddress, mine } = world
    await expect(world.node.rpc('eth_getBlockReceipts', 'latest')).rejects.toThrow(
      'Method eth_getBlockReceipts is not supported',
    )
    const to = await newAddress()
    const hash = await contracts.payToken(contracts.token, to, 5n)
    await mine(1)
    expect(transfersOf(await blockOf(world.adapter, hash), to)).toMatchObject([{ index: 'l:0', units: 5n }])
  })

  test('it has no traces of a block: capabilities say so, and the inner payment is in the balance alone', async () => {
    const { adapter, contracts, newAddress, mine } = world
    const refused = world.node.rpc(TRACE, (await adapter.head()).hash, { tracer: 'callTracer' })
    await expect(refused).rejects.toThrow('Method debug_traceBlockByHash is not supported')
    expect(await adapter.capabilities()).toEqual({ mempool: false, traces: false })
    const to = await newAddress()
    const hash = await contracts.payInside([{ to, units: 6n }])
    await mine(1)
    const block = await blockOf(adapter, hash)
    expect(transfersOf(block, to)).toEqual([])
    expect(await adapter.balancesAt(block.height, [{ address: to, contract: null }])).toEqual([6n])
  })

  test('it calls its head final: a block is final once it is 32 blocks deep', async () => {
    await world.node.rpc('anvil_mine', '0x20')
    const { height } = await world.adapter.head()
    expect(Number((await world.node.rpc<{ number: string }>('eth_getBlockByNumber', 'finalized', false)).number)).toBe(
      height,
    )
    const { leastFinalDepth } = evmSettingsOf('ETHEREUM', { url: world.node.url, chainId: KIND.chainId })
    const adapter = adapterOf(world.node.url, { ...KIND, leastFinalDepth })
    expect((await adapter.finalized()).height).toBe(height - 31)
    await adapter.close()
  })
})

/** Receipts that fit a block the node has forgotten. */
const receiptsOf = (block: object): object[] => {
  const { hash, gasUsed, transactions } = block as { hash: string; gasUsed: string; transactions: { hash: string }[] }
  return transactions.map((one, at) => ({
    transactionHash: one.hash,
    blockHash: hash,
    status: '0x1',
    gasUsed: at === 0 ? gasUsed : '0x0',
    effectiveGasPrice: '0x1',
    logs: [],
  }))
}
