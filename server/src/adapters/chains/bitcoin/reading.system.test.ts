/** A chain that moves while it is read, and a node that knows less than it should. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import type { ChainAdapter } from '../port.ts'
import { startProxy, type TestProxy } from '../test-proxy.ts'
import { createBitcoinAdapter } from './index.ts'
import { openBitcoinWorld, SETTINGS, urlOf, type BitcoinWorld } from '../../../../../test/world/bitcoin-node.ts'

describeWithBitcoind('reading bitcoind', () => {
  const bitcoind = useBitcoind()
  let world: BitcoinWorld
  let proxy: TestProxy
  let adapter: ChainAdapter
  beforeAll(async () => {
    world = await openBitcoinWorld(await bitcoind())
    proxy = await startProxy(urlOf(world.node))
    adapter = createBitcoinAdapter({ ...SETTINGS, url: proxy.url, scanTimeoutMs: 1_000 })
    return () => proxy.close()
  })
  afterEach(() => {
    proxy.behave = () => 'pass'
  })

  test('a block that left the chain between two questions is not shown: the one in its place is', async () => {
    await world.mine(1)
    const { height, hash: stale } = await adapter.head()
    await world.reorg(1, [])
    const best = await world.adapter.hashAt(height)
    let asked = 0
    proxy.behave = ({ method }) => (method === 'getblockhash' && (asked += 1) === 1 ? { change: () => stale } : 'pass')
    expect(await adapter.blockAt(height)).toMatchObject({ height, hash: best })
    expect(asked).toBe(2)
    proxy.behave = ({ method }) => (method === 'getblockhash' ? { change: () => stale } : 'pass')
    await expect(adapter.blockAt(height)).rejects.toThrow(/BITCOIN: getblock: the best chain kept changing/)
  })

  test.for([
    ['another block', (block: object) => ({ ...block, hash: '11'.repeat(32) }), /another block/],
    ['another height', (block: object) => ({ ...block, height: 1 }), /another block/],
    ['a transaction less', (block: object) => ({ ...block, tx: [] }), /0 transactions of 1/],
    [
      'an amount with parts of a satoshi',
      (block: object) => withFirstOutput(block, { value: '0.000000001' }),
      /parts of a satoshi/,
    ],
    [
      'more than there will ever be',
      (block: object) => withFirstOutput(block, { value: '21000001' }),
      /more than will ever exist/,
    ],
    ['an amount that is no number', (block: object) => withFirstOutput(block, { value: null }), /no amount/],
    ['half a script', (block: object) => withFirstOutput(block, { scriptPubKey: { hex: 'abc' } }), /no hex/],
  ] as const)('a node that shows %s is not believed', async ([, change, message]) => {
    const { height } = await adapter.head()
    proxy.behave = ({ method }) => (method === 'getblock' ? { change: (block) => change(block as object) } : 'pass')
    await expect(adapter.blockAt(height)).rejects.toThrow(message)
  })

  test('a block without the outputs that its inputs spend is refused, since the payer is unknown', async () => {
    await world.pay(await world.newAddress(), 50_000n)
    await world.mine(1)
    const { height } = await adapter.head()
    proxy.behave = ({ method }) => (method === 'getblock' ? { change: withoutPrevouts } : 'pass')
    await expect(adapter.blockAt(height)).rejects.toThrow(/prevout/)
  })

  test('a transaction that a reorganisation put back into the pool is in the pool only', async () => {
    const { first } = await world.conflicting(await world.newAddress(), 100_000n)
    await adapter.broadcast(first.raw)
    await world.mine(1)
    expect((await adapter.statusOf(first.hash)).kind).toBe('mined')
    await world.reorg(1, [first.hash])
    expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'mempool' })
    const { blockhash } = await world.node.rpc<{ blockhash?: string }>('getrawtransaction', first.hash, 1)
    expect(blockhash).toBeUndefined()
    await world.mine(1)
  })

  test('B6 a stale block that the index still names is not believed (row B-18)', async () => {
    const hash = await world.pay(await world.newAddress(), 50_000n)
    await world.mine(1)
    const { hash: stale, height } = await adapter.head()
    await world.reorg(1, [])
    proxy.behave = ({ method }) =>
      method === 'getrawtransaction' ? { change: (shown) => ({ ...(shown as object), blockhash: stale }) } : 'pass'
    expect(await adapter.statusOf(hash)).toEqual({ kind: 'unknown' })
    proxy.behave = () => 'pass'
    expect(await adapter.statusOf(hash)).toMatchObject({ kind: 'mined', height })
  })

  test('a node without an index can not say that a transaction is unknown', async () => {
    for (const message of [
      'No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries.',
      'No such mempool transaction. Blockchain transactions are still in the process of being indexed.',
    ]) {
      proxy.behave = ({ method }) => (method === 'getrawtransaction' ? { refuse: { code: -5, message } } : 'pass')
      await expect(adapter.statusOf('ab'.repeat(32))).rejects.toThrow(/Start the node with txindex=1/)
    }
  })

  test('row B-22: a transaction that leaves the pool during listing is not listed; unknown senders are left out', async () => {
    const [gone, here] = [
      await world.pay(await world.newAddress(), 50_000n),
      await world.pay(await world.newAddress(), 60_000n),
    ]
    proxy.behave = ({ method, params }) =>
      method === 'getrawtransaction' && params[0] !== here
        ? { refuse: { code: -5, message: 'No such mempool transaction' } }
        : 'pass'
    const { hashes, added } = await adapter.mempool(new Set())
    expect([hashes, added.map(({ hash }) => hash)]).toEqual([new Set([here]), [here]])
    expect(hashes.has(gone)).toBe(false)
    expect(added[0]!.transfers[0]!.from).toEqual([])
    await world.mine(1)
  })

  test('a chain of unconfirmed payments names each sender', async () => {
    const middle = await world.faucet<string>('getnewaddress')
    const first = await world.pay(middle, 100_000n)
    const { vout } = (await world.faucet<{ txid: string; vout: string }[]>('listunspent', 0)).find(
      ({ txid }) => txid === first,
    )!
    const to = await world.newAddress()
    const { txid } = await world.faucet<{ txid: string }>('send', [{ [to]: '0.0005' }], null, 'unset', 10, {
      inputs: [{ txid: first, vout: Number(vout) }],
      add_inputs: false,
    })
    const { added } = await adapter.mempool(new Set([first]))
    const both = (await adapter.mempool(new Set())).added
    const spent = both.find(({ hash }) => hash === first)!.transfers.find(({ index }) => index === `o:${vout}`)!
    expect(both.find(({ hash }) => hash === txid)!.transfers[0]!.from).toEqual([spent.to])
    expect(added).toMatchObject([{ hash: txid, keys: [`${first}:${vout}`], fee: null }])
    expect(added[0]!.transfers[0]!.from).toEqual([spent.to])
    await world.mine(1)
  })

  test('the fee offered is the estimate within bounds, and never less than the node takes', async () => {
    const rate = async (feerate: string | undefined, least = '0.00000100') => {
      const estimate = feerate === undefined ? { errors: ['Insufficient data'] } : { feerate, blocks: 3 }
      proxy.behave = ({ method }) => {
        if (method === 'estimatesmartfee') return { change: () => estimate }
        if (method !== 'getmempoolinfo') return 'pass'
        return {
          change: () => ({
            loaded: true,
            bytes: 0,
            mempoolminfee: least,
            minrelaytxfee: '0.00000100',
            incrementalrelayfee: '0.00000200',
          }),
        }
      }
      const offered = await adapter.feeRate()
      expect(offered).toMatchObject({ kind: 'vbyte', incrementMilliSatPerVb: 200n })
      return 'milliSatPerVb' in offered ? offered.milliSatPerVb : undefined
    }
    expect(await rate(undefined)).toBe(1_000n)
    expect(await rate('0.00012345')).toBe(12_345n)
    expect(await rate('0.00000001')).toBe(1_000n)
    expect(await rate('0.00002000', '0.00007000')).toBe(7_000n)
    expect(await rate('1.00000000')).toBe(300_000n)
    await expect(rate('NaN')).rejects.toThrow(/Not an amount/)
    await expect(rate('-1')).rejects.toThrow(/Not an amount/)
  })

  test('row B-19: a scan waits for another one to end, but not for ever', async () => {
    const { height } = await adapter.head()
    const wanted = [{ address: await world.newAddress(), contract: null }]
    const busy = { refuse: { code: -8, message: 'Scan already in progress, use action "abort" or "status"' } }
    let times = 2
    proxy.behave = ({ method, params }) =>
      method === 'scantxoutset' && params[0] === 'start' && times-- > 0 ? busy : 'pass'
    expect(await adapter.balancesAt(height, wanted)).toEqual([0n])
    expect(times).toBeLessThan(0)
    proxy.behave = ({ method }) => (method === 'scantxoutset' ? busy : 'pass')
    await expect(adapter.balancesAt(height, wanted)).rejects.toThrow(/busy with another scan/)
  })

  test('a scan that takes too long is ended, and the next one does not wait for it', async () => {
    const { height } = await adapter.head()
    const wanted = [{ address: await world.newAddress(), contract: null }]
    proxy.asked = []
    proxy.behave = ({ method, params }) => (method === 'scantxoutset' && params[0] === 'start' ? 'hang' : 'pass')
    await expect(adapter.balancesAt(height, wanted)).rejects.toThrow(/no answer within 1000 ms/)
    expect(proxy.asked).toEqual(['scantxoutset', 'scantxoutset'])
    proxy.behave = () => 'pass'
    expect(await adapter.balancesAt(height, wanted)).toEqual([0n])
  })

  test('balances of tokens, and of addresses of another chain, are a mistake of the caller', async () => {
    const { height } = await adapter.head()
    await expect(adapter.balancesAt(height, [{ address: 'x', contract: '0xabc' }])).rejects.toBeInstanceOf(RangeError)
    const mainnet = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'
    await expect(adapter.balancesAt(height, [{ address: mainnet, contract: null }])).rejects.toThrow(RangeError)
  })
})

const withFirstOutput = (block: object, change: object): object => {
  const [first, ...rest] = (block as { tx: { vout: object[] }[] }).tx
  const [output, ...outputs] = first!.vout
  return { ...block, tx: [{ ...first, vout: [{ ...output, ...change }, ...outputs] }, ...rest] }
}

const withoutPrevouts = (block: unknown): object => {
  const { tx } = block as { tx: { vin: object[] }[] }
  return {
    ...(block as object),
    tx: tx.map((one) => ({ ...one, vin: one.vin.map((input) => ({ ...input, prevout: undefined })) })),
  }
}
