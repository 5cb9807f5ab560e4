import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { follow } from '../../../../test/world/watcher.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { DEFAULT_WATCHER_SETTINGS, rescan, watchStatus, type Follower, type WatcherSettings } from './index.ts'
import { createPrefetch } from './prefetch.ts'
import { createTestChain, type TestChain } from './test-chain.ts'
import { createNotes } from './test-subscriber.ts'

const { db } = useDb()
const NETWORK = 'ETHEREUM'
const NOW = 1_000_000
let chain: TestChain
let notes: Awaited<ReturnType<typeof createNotes>>

beforeEach(async () => {
  await sql`truncate watch_cursors, watch_blocks, alerts cascade`.execute(db)
  notes = await createNotes(db)
  chain = createTestChain(NETWORK)
})

const begin = (adapter: Partial<ChainAdapter>, more: Partial<WatcherSettings> = {}): Promise<Follower> => {
  const runtime = createTestRuntime(db, () => NOW)
  const { ahead } = DEFAULT_WATCHER_SETTINGS[NETWORK]
  return follow(runtime, { ...chain, ...adapter }, [notes.subscriber], { ahead, ...more })
}
const mine = (count: number): void => {
  for (let i = 0; i < count; i += 1) chain.mine()
}
const heightRead = async (): Promise<number> => (await watchStatus(db))[0]!.height

/**
 * A provider with a limit by time, here of blocks a look: what is beyond is refused at once (Infura: "request rate
 * exceeded", -32005).
 */
const limited = (perLook: number) => {
  const provider = { left: perLook, refused: 0, asked: [] as number[] }
  const blockAt: ChainAdapter['blockAt'] = async (height) => {
    provider.asked.push(height)
    provider.left -= 1
    if (provider.left >= 0) return chain.blockAt(height)
    provider.refused += 1
    throw new ChainUnavailable('ETHEREUM: eth_getBlockReceipts: refused: request rate exceeded (-32005)')
  }
  return { provider, blockAt }
}

describe('audit D-E5: a provider that limits the rate of requests', () => {
  test('is caught up with: 10 blocks a look are given, and all of them are applied', async () => {
    const { provider, blockAt } = limited(10)
    const follower = await begin({ blockAt })
    mine(100)
    for (let look = 0; look < 12; look += 1) {
      provider.left = 10
      await follower.step().catch(() => {})
    }
    expect(await heightRead()).toBe(100)
    // Answers are cached: no block is requested twice.
    expect(provider.asked.length - provider.refused).toBe(100)
  })

  test('that refuses the first block stops the step with its reason', async () => {
    const { blockAt } = limited(0)
    const follower = await begin({ blockAt })
    mine(5)
    await expect(follower.step()).rejects.toThrow('request rate exceeded')
    expect(await heightRead()).toBe(0)
  })

  test('is asked for half as many at once, and for more again once it answers', async () => {
    let refuses = true
    const asked: number[] = []
    const prefetch = createPrefetch(
      {
        blockAt: async (height) => {
          asked.push(height)
          if (refuses) throw new ChainUnavailable('too fast')
          return chain.blockAt(height)
        },
      },
      16,
    )
    const wanted = async (): Promise<number> => {
      asked.length = 0
      prefetch.want(1, 1_000)
      await Promise.resolve()
      return asked.length
    }
    expect([await wanted(), await wanted(), await wanted(), await wanted(), await wanted(), await wanted()]).toEqual([
      16, 8, 4, 2, 1, 1,
    ])
    refuses = false
    mine(300)
    for (let height = 1; height <= 200; height += 1) {
      prefetch.want(height, 1_000)
      await prefetch.take(height)
    }
    prefetch.clear()
    expect(await wanted()).toBe(16)
  })
})

describe('audit D-E6: a node that knows its head and no final block', () => {
  test('rows E-1, E-2 and E-3: its head is followed, and the final height stays as it was', async () => {
    let isKnown = true
    const finalized: ChainAdapter['finalized'] = async () => {
      if (!isKnown)
        throw new ChainUnavailable('ETHEREUM: eth_getBlockByNumber: the node does not know yet which block is final')
      return chain.finalized()
    }
    const follower = await begin({ finalized })
    mine(10)
    expect(await follower.step()).toMatchObject({ applied: 10, cursor: { finalHeight: 4 }, finalUnknown: null })
    isKnown = false
    mine(5)
    const reason = expect.stringContaining('which block is final')
    expect(await follower.step()).toMatchObject({
      applied: 5,
      cursor: { height: 15, finalHeight: 4 },
      finalUnknown: reason,
    })
    await expect(begin({ finalized, network: NETWORK })).resolves.toBeDefined()
    isKnown = true
    mine(1)
    const again = await begin({ finalized })
    expect(await again.step()).toMatchObject({ cursor: { height: 16, finalHeight: 10 } })
  })

  test('is not followed from a first block that may be lost', async () => {
    const finalized: ChainAdapter['finalized'] = async () => {
      throw new ChainUnavailable('finalized block not found')
    }
    await expect(begin({ finalized })).rejects.toThrow(
      'ETHEREUM is followed from a final block on: finalized block not found',
    )
    expect(await watchStatus(db)).toEqual([])
  })

  test('row E-5: that names block 0 again takes no finality back', async () => {
    let isLost = false
    const follower = await begin({ finalized: async () => (isLost ? chain.blocks[0]! : chain.finalized()) })
    mine(10)
    await follower.step()
    isLost = true
    mine(1)
    expect(await follower.step()).toMatchObject({ cursor: { height: 11, finalHeight: 4 } })
  })
})

describe('audit D-E13: a node that does not have every block', () => {
  /**
   * From memory of hosted nodes, and tidx#264: each question goes to one of them, the heads of which differ by 1 to 5
   * blocks.
   */
  test('row E-7: heads that go down by 1 to 5 between two looks take nothing back, and every block is read once', async () => {
    let behind = 0
    const lags =
      <T>(of: (height: number) => T) =>
      async (height: number): Promise<T | null> =>
        height > chain.blocks.length - 1 - behind ? null : of(height)
    const follower = await begin({
      head: async () => chain.blocks.at(-1 - behind)!,
      blockAt: lags((height) => chain.blocks[height]!),
      hashAt: lags((height) => chain.blocks[height]!.hash),
    })
    mine(10)
    await follower.step()
    expect(await heightRead()).toBe(10)
    for (const lag of [1, 5, 0, 3, 2, 0, 4, 5, 0]) {
      mine(1)
      behind = lag
      const before = await heightRead()
      await follower.step()
      expect(await heightRead()).toBeGreaterThanOrEqual(before)
    }
    expect(await heightRead()).toBe(19)
    const notified = await notes.read()
    expect(notified.filter((note) => note.startsWith('orphaned'))).toEqual([])
    expect(notified.filter((note) => note.startsWith('block'))).toHaveLength(19)
  })

  test('row E-9: a rescan of a block whose history the node has pruned ends with the error of the node', async () => {
    const follower = await begin({})
    mine(10)
    await follower.step()
    const reason = 'ETHEREUM: eth_getBlockByNumber: refused: pruned history unavailable (4444)'
    const adapter = {
      ...chain,
      blockAt: async () => {
        throw new ChainUnavailable(reason)
      },
    } as unknown as ChainAdapter
    const runtime = createTestRuntime(db, () => NOW)
    await expect(rescan({ runtime, network: NETWORK, adapter, subscribers: [notes.subscriber] }, 2, 4)).rejects.toThrow(
      reason,
    )
    expect(await heightRead()).toBe(10)
  })

  test('row E-7: a newest block that the next machine does not have is asked for again', async () => {
    let isThere = false
    const follower = await begin({
      blockAt: async (height) => (height === 3 && !isThere ? null : chain.blockAt(height)),
      hashAt: async (height) => (height === 3 && !isThere ? null : chain.hashAt(height)),
    })
    mine(3)
    await follower.step()
    await follower.step()
    expect(await heightRead()).toBe(2)
    isThere = true
    await follower.step()
    expect(await heightRead()).toBe(3)
  })
})
