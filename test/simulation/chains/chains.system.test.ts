import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Network } from '@bursar/chainkit'
import type { TronChainAdapter } from '../../../server/src/adapters/chains/port.ts'
import { createAdapters, readChainSettings, type OpenAdapter } from '../../../server/src/adapters/chains/index.ts'
import { describeWithBitcoind } from '../../setup/nodes.ts'
import { makeScratch } from '../../setup/scratch.ts'
import { createFaults } from '../faults.ts'
import { createRandom } from '../../../sandbox/random.ts'
import { createVirtualClock, type VirtualClock } from '../virtual.ts'
import { openChains, type SimulatedChain } from './index.ts'

interface World {
  clock: VirtualClock
  chains: SimulatedChain[]
  adapters: ReadonlyMap<Network, OpenAdapter>
  close(): Promise<void>
}

const open = async (dir: string, seed = 'chains'): Promise<World> => {
  const clock = createVirtualClock()
  const random = createRandom(seed)
  const chains = await openChains({ random, clock, faults: createFaults(random), dir })
  const settings = Object.fromEntries(chains.map((chain) => [chain.network, chain.settings()]))
  const tokens = chains.map(
    ({ network, assets }) => [network, assets.flatMap(({ contract }) => contract ?? [])] as const,
  )
  const adapters = createAdapters(readChainSettings(settings), new Map(tokens))
  return {
    clock,
    chains,
    adapters,
    close: async () => {
      for (const adapter of adapters.values()) await adapter.close()
      for (const chain of chains) await chain.close()
    },
  }
}

const UNITS = 500_000n
const coinOf = ({ assets }: SimulatedChain): string => assets[0]!.ticker
const addressOn = (chain: SimulatedChain, label: string): Promise<string> =>
  chain.newAddress(createRandom('addresses').of(chain.network, label))

/** All ways to pay, a replacement, a reorganisation and a lost pool. @returns hashes of transactions and blocks */
const live = async (chain: SimulatedChain, clock: VirtualClock): Promise<string[]> => {
  const hashes = [(await chain.head()).hash]
  const to = await addressOn(chain, 'life')
  for (const { ticker } of chain.assets)
    for (const how of chain.ways(ticker)) hashes.push(await chain.pay({ ticker, to, units: UNITS, how }))
  clock.advance(5_000)
  await chain.mine(2)
  const lost = await chain.pay({ ticker: coinOf(chain), to, units: UNITS })
  await chain.mine(1)
  hashes.push((await chain.head()).hash)
  await chain.reorganise(2, [lost])
  hashes.push((await chain.head()).hash)
  const replaced = await chain.pay({ ticker: coinOf(chain), to, units: UNITS })
  hashes.push((await chain.replace(replaced)) ?? 'not replaced')
  await chain.forgetPool()
  await chain.mine(1)
  return [...hashes, (await chain.head()).hash]
}

describeWithBitcoind('the chains of the simulation', () => {
  let scratch: Awaited<ReturnType<typeof makeScratch>>
  let world: World
  beforeAll(async () => {
    scratch = await makeScratch('simulated-chains')
    world = await open(join(scratch.dir, 'shared'))
  })
  afterAll(async () => {
    await world?.close()
    scratch.remove()
  })

  test('the same seed and acts make the same hashes, another seed makes others', async () => {
    const runs: string[][] = []
    for (const [at, seed] of ['one', 'one', 'two'].entries()) {
      const own = await open(join(scratch.dir, String(at)), seed)
      const hashes: string[] = []
      for (const chain of own.chains) hashes.push(...(await live(chain, own.clock)))
      runs.push(hashes)
      await own.close()
    }
    expect(runs[1]).toEqual(runs[0])
    expect(runs[2]).not.toEqual(runs[0])
  })

  describe.each(['BITCOIN', 'ETHEREUM', 'BINANCE_SMART_CHAIN', 'TRON'] as const)('%s', (network) => {
    const chain = (): SimulatedChain => world.chains.find((one) => one.network === network)!
    const adapter = (): OpenAdapter => world.adapters.get(network)!

    test('is the chain that its settings name', async () => {
      const settings = chain().settings() as { genesis?: string; chainId?: number }
      expect(await adapter().identity()).toBe(settings.genesis ?? String(settings.chainId))
    })

    test('payments of every way are received once, by the truth and by the adapter', async () => {
      const to = await addressOn(chain(), 'receiver')
      const paid = new Map<string | null, bigint>()
      const hashes: string[] = []
      for (const { ticker, contract = null } of chain().assets)
        for (const how of chain().ways(ticker)) {
          hashes.push(await chain().pay({ ticker, to, units: UNITS, how }))
          paid.set(contract, (paid.get(contract) ?? 0n) + (how === 'two-outputs' ? 2n : 1n) * UNITS)
        }
      for (const hash of hashes) expect(await chain().transaction(hash)).toBe('pool')
      const height = await chain().mine(1)
      for (const hash of hashes) expect(await chain().transaction(hash)).toBe('mined')
      const received = await chain().received(new Set([to]), height, height)
      const block = (await adapter().blockAt(height))!
      for (const [contract, units] of paid) {
        const sum = received.filter((one) => one.contract === contract).reduce((all, one) => all + one.units, 0n)
        expect(sum).toBe(units)
        expect(await chain().balance(to, contract)).toBe(units)
        const seen = block.transactions
          .flatMap(({ transfers }) => transfers)
          .filter((one) => one.to === to && (one.contract?.toLowerCase() ?? null) === (contract?.toLowerCase() ?? null))
        expect(seen.reduce((all, one) => all + one.units, 0n)).toBe(units)
      }
      expect(new Set(received.map(({ hash, index }) => `${hash} ${index}`)).size).toBe(received.length)
    })

    test('a block is dated by the clock', async () => {
      world.clock.advance(3_600_000)
      await chain().mine(1)
      expect((await chain().head()).time).toBe(world.clock.now() / 1_000)
    })

    test('a node that lags answers as it did before its newest blocks', async () => {
      const hash = await chain().pay({ ticker: coinOf(chain()), to: await addressOn(chain(), 'late'), units: UNITS })
      const before = await adapter().head()
      await chain().mine(2)
      const { height } = await chain().head()
      chain().front.lagBlocks = 2
      expect(await adapter().head()).toEqual(before)
      expect(await adapter().blockAt(height)).toBeNull()
      expect((await adapter().statusOf(hash)).kind).not.toBe('mined')
      expect(await chain().transaction(hash)).toBe('mined')
      chain().front.lagBlocks = 0
      expect((await adapter().head()).height).toBe(height)
      expect((await adapter().statusOf(hash)).kind).toBe('mined')
    })

    test('after a reorganisation the transactions that remain are mined again', async () => {
      const to = await addressOn(chain(), 'branches')
      const pay = () => chain().pay({ ticker: coinOf(chain()), to, units: UNITS })
      const hashes: string[] = []
      for (let block = 0; block < 3; block += 1) {
        for (let payments = 0; payments < 3; payments += 1) hashes.push(await pay())
        await chain().mine(1)
      }
      const [lost, ...others] = hashes
      const { height, hash } = await chain().head()
      expect(await chain().isWithin(lost!, 3)).toBe(true)
      expect(await chain().isWithin(lost!, 2)).toBe(false)
      await chain().reorganise(3, [lost!])
      const head = await chain().head()
      expect(head.height).toBe(height + 1)
      expect(await adapter().hashAt(height)).not.toBe(hash)
      await chain().mine(2)
      expect(await chain().transaction(lost!)).toBe('unknown')
      for (const other of others) expect(await chain().transaction(other)).toBe('mined')
      expect(await chain().balance(to, null)).toBe(8n * UNITS)
    })

    test('a payment is replaced by its payer, where the chain has replacements', async () => {
      const hash = await chain().pay({
        ticker: coinOf(chain()),
        to: await addressOn(chain(), 'replaced'),
        units: UNITS,
      })
      const other = await chain().replace(hash)
      await chain().mine(1)
      expect(await chain().transaction(hash)).toBe(network === 'TRON' ? 'mined' : 'unknown')
      if (network === 'TRON') expect(other).toBeNull()
      else expect(await chain().transaction(other!)).toBe('mined')
      expect(await chain().replace(other ?? hash)).toBeNull()
    })

    test('a node that restarts without its pool forgets the waiting transactions', async () => {
      const hash = await chain().pay({
        ticker: coinOf(chain()),
        to: await addressOn(chain(), 'forgotten'),
        units: UNITS,
      })
      await chain().forgetPool()
      expect(await chain().transaction(hash)).toBe('unknown')
      await chain().mine(1)
      expect(await chain().transaction(hash)).toBe('unknown')
    })

    test('a silent node answers nothing', async () => {
      chain().front.silent = true
      await expect(fetch(new URL((chain().settings() as { url: string }).url).origin)).rejects.toThrow()
      chain().front.silent = false
    })
  })

  test('TRON: while the solid block does not change, balances are those of that block (row T-23)', async () => {
    const chain = world.chains.find(({ network }) => network === 'TRON')!
    const adapter = world.adapters.get('TRON') as OpenAdapter & TronChainAdapter
    const to = await addressOn(chain, 'still')
    chain.front.setDialect(['T-23 the solid block stands still'])
    const seen = new Set<string>()
    for (let blocks = 0; blocks < 60; blocks += 6) {
      await chain.pay({ ticker: coinOf(chain), to, units: UNITS })
      await chain.mine(6)
      const { head, units } = await adapter.balancesAtFinal([{ address: to, contract: null }])
      const received = await chain.received(new Set([to]), 0, head.height)
      expect(units).toEqual([BigInt(received.length) * UNITS])
      seen.add(head.hash)
    }
    chain.front.setDialect([])
    expect(seen.size).toBeGreaterThan(1)
    expect(seen.size).toBeLessThan(4)
  })

  test('dust that no node relays is mined all the same', async () => {
    const chain = world.chains[0]!
    const hash = await chain.pay({ ticker: 'BTC', to: await addressOn(chain, 'dust'), units: 1n })
    expect(await chain.transaction(hash)).toBe('pool')
    expect((await world.adapters.get('BITCOIN')!.statusOf(hash)).kind).toBe('unknown')
    await chain.mine(1)
    expect(await chain.transaction(hash)).toBe('mined')
    await chain.reorganise(1, [])
    expect(await chain.transaction(hash)).toBe('mined')
  })
})
