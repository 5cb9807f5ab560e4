/**
 * A network of three nodes in the settings: one bitcoind behind three proxies, of which one changes answers, as a node
 * with a damaged database, or one in the hands of a thief, does.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import { openBitcoinWorld, urlOf, type BitcoinWorld } from '../../../../../test/world/bitcoin-node.ts'
import { createAdapters, readChainSettings, type OpenAdapter } from '../index.ts'
import { startProxy, type TestProxy } from '../test-proxy.ts'

describeWithBitcoind('three nodes of Bitcoin', () => {
  const bitcoind = useBitcoind()
  let world: BitcoinWorld
  let proxies: TestProxy[]
  let adapter: OpenAdapter
  beforeAll(async () => {
    world = await openBitcoinWorld(await bitcoind())
    proxies = await Promise.all([1, 2, 3].map(() => startProxy(urlOf(world.node))))
    const [url, ...others] = proxies.map((proxy) => proxy.url)
    const settings = readChainSettings({
      BITCOIN: { url, furtherNodes: others.map((one) => ({ url: one })), genesis: world.identity },
    })
    adapter = createAdapters(settings, new Map()).get('BITCOIN')!
    return async () => {
      await adapter.close()
      await Promise.all(proxies.map((proxy) => proxy.close()))
    }
  })
  beforeEach(() => {
    for (const proxy of proxies) proxy.behave = () => 'pass'
  })

  test('a payment that one node invents is not read, and that node is left out', async () => {
    const address = await world.newAddress()
    const hash = await world.pay(address, 50_000n)
    await world.mine(1)
    const { height } = await world.adapter.head()
    const invent = (block: unknown): unknown => JSON.parse(JSON.stringify(block).replaceAll('"0.00050000"', '"9"'))
    proxies[0]!.behave = ({ method }) => (method === 'getblock' ? { change: invent } : 'pass')
    const block = await adapter.blockAt(height)
    const paid = block!.transactions.find((one) => one.hash === hash)!.transfers.filter(({ to }) => to === address)
    expect(paid.map(({ units }) => units)).toEqual([50_000n])
    const [host] = proxies.map(({ url }) => new URL(url).host)
    await expect
      .poll(() => adapter.statuses!().filter(({ status }) => status !== 'good'), { timeout: 30_000 })
      .toMatchObject([{ node: host, status: 'contradicts' }])
  })

  test('the network is read while one node is away, and a payment reaches the others', async () => {
    proxies[1]!.behave = () => 'reset'
    await world.mine(1)
    expect(await adapter.head()).toEqual(await world.adapter.head())
    expect(await adapter.finalized()).toEqual(await world.adapter.finalized())
    const { raw, hash } = await world.payment(await world.newAddress(), 60_000n)
    for (const proxy of proxies) proxy.asked.length = 0
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    expect(await adapter.statusOf(hash)).toEqual({ kind: 'mempool' })
    await expect.poll(() => proxies[2]!.asked.includes('sendrawtransaction'), { timeout: 30_000 }).toBe(true)
    await world.mine(1)
    expect(await adapter.statusOf(hash)).toMatchObject({ kind: 'mined', succeeded: true })
  })

  test('nothing is concluded from one node of three', async () => {
    for (const proxy of proxies.slice(1)) proxy.behave = () => 'reset'
    await expect(adapter.head()).rejects.toThrow(/1 nodes answer, and 2 must/)
    await expect(adapter.hashAt(1)).rejects.toThrow(/no 2 of them agree/)
  })
})
