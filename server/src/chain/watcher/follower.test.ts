import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { follow } from '../../../../test/world/watcher.ts'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { DEFAULT_WATCHER_SETTINGS, rescan, watchStatus, type Follower, type WatcherSettings } from './index.ts'
import { createTestChain, type TestChain } from './test-chain.ts'
import { createNotes } from './test-subscriber.ts'

const { db } = useDb()
const NETWORK = 'BITCOIN'
let now = 1_000_000
const runtime = createTestRuntime(db, () => now)
let chain: TestChain
let notes: Awaited<ReturnType<typeof createNotes>>

beforeEach(async () => {
  await sql`truncate watch_cursors, watch_blocks, alerts cascade`.execute(db)
  notes = await createNotes(db)
  chain = createTestChain(NETWORK)
  now = 1_000_000
})

const begin = (more: Partial<WatcherSettings> = {}): Promise<Follower> =>
  follow(runtime, chain, [notes.subscriber], { ahead: DEFAULT_WATCHER_SETTINGS[NETWORK].ahead, ...more })
const stepAll = async (follower: Follower): Promise<void> => {
  while ((await follower.step()).more);
}
const mine = (count: number): void => {
  for (let i = 0; i < count; i += 1) chain.mine()
}
/** Heights of the blocks that were shown, and from which blocks were lost, in order. */
const notifiedBlocks = async () => {
  const notified = (await notes.read()).filter((text) => /^block|^orphaned/.test(text))
  return notified.map((text) => text.split(' ')[1])
}
const notifiedSettles = async () => (await notes.read()).filter((text) => text.startsWith('settled'))

describe('the first start', () => {
  test('is above the newest final block, so that a lost head is survived', async () => {
    chain.finalDepth = 2
    mine(5)
    const follower = await begin()
    chain.reorganise(1, [[]])
    await stepAll(follower)
    mine(2)
    await stepAll(follower)
    expect(await notifiedBlocks()).toEqual(['4', '5', '6', '7'])
    const status = { network: NETWORK, height: 7, headHeight: 7, epoch: 1, traces: true }
    expect(await watchStatus(db)).toMatchObject([status])
  })

  test('or at a configured height, many blocks of one transaction at a time', async () => {
    mine(9)
    await stepAll(await begin({ startHeight: 3, mostBlocks: 4 }))
    expect(await notes.read()).toEqual([
      ...[3, 4, 5, 6].map((h) => `block ${h} ${chain.blocks[h]!.hash}`),
      'settled 6 final 3',
      ...[7, 8, 9].map((h) => `block ${h} ${chain.blocks[h]!.hash}`),
      'settled 9 final 3',
      'pool  of ',
    ])
  })
})

describe('blocks', () => {
  test('are shown once each, over restarts', async () => {
    for (let round = 0; round < 4; round += 1) {
      const follower = await begin({ mostBlocks: 2 })
      mine(5)
      await stepAll(follower)
    }
    expect(await notifiedBlocks()).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)))
    expect((await watchStatus(db))[0]!.epoch).toBe(4)
  })

  test('are not shown at all when one subscriber fails: the cursor stays', async () => {
    const follower = await begin()
    mine(3)
    notes.fail.at = `block 3 ${chain.blocks[3]!.hash}`
    await expect(follower.step()).rejects.toThrow('fails at')
    expect([await notes.read(), (await watchStatus(db))[0]!.height]).toEqual([[], 0])
    notes.fail.at = null
    await stepAll(follower)
    expect(await notifiedBlocks()).toEqual(['1', '2', '3'])
  })

  test('are fetched ahead, never more than allowed beyond the one applied', async () => {
    const follower = await begin({ ahead: 3, mostBlocks: 1 })
    mine(10)
    chain.asked.length = 0
    await follower.step()
    const asked = () => chain.asked.flatMap((text) => (text.startsWith('blockAt') ? [Number(text.slice(8))] : []))
    expect(asked()).toEqual([1, 2, 3, 4])
    await stepAll(follower)
    expect(asked()).toEqual(Array.from({ length: 10 }, (_, i) => i + 1))
  })

  test('B7 stay unread while the node is silent, and nothing is concluded', async () => {
    const follower = await begin()
    mine(2)
    chain.silent = true
    await expect(follower.step()).rejects.toThrow('silent')
    await expect(begin()).rejects.toThrow('silent')
    chain.silent = false
    await stepAll(follower)
    expect(await notifiedBlocks()).toEqual(['1', '2'])
  })

  test('B7 below a node that lags behind are left alone', async () => {
    const follower = await begin()
    mine(6)
    await stepAll(follower)
    const ahead = chain.blocks.splice(4)
    await stepAll(follower)
    chain.blocks.push(...ahead)
    chain.mine()
    await stepAll(follower)
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  })
})

describe('a reorganisation', () => {
  test.each([
    ['a longer branch', [[], [], []]],
    ['a branch as long', [[], []]],
    ['a shorter branch', [[]]],
  ])('to %s takes back the blocks that left the best chain, then shows their replacements', async (_, branch) => {
    const follower = await begin()
    mine(6)
    await stepAll(follower)
    chain.reorganise(2, branch)
    await stepAll(follower)
    const shown = branch.map((__, i) => String(5 + i))
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4', '5', '6', '5', ...shown])
    const notified = await notes.read()
    expect(notified).toContain('orphaned 5')
    expect((await watchStatus(db))[0]).toMatchObject({ height: 4 + branch.length })
    chain.mine()
    await stepAll(follower)
    expect((await notifiedBlocks()).at(-1)).toBe(String(5 + branch.length))
  })

  test('while the watcher was down is found at the next start', async () => {
    mine(6)
    await stepAll(await begin({ startHeight: 1 }))
    chain.reorganise(4, [[], [], [], [], [], []])
    await stepAll(await begin())
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4', '5', '6', '3', '3', '4', '5', '6', '7', '8'])
  })

  test('of blocks that were fetched ahead but not applied yet takes back those it shows', async () => {
    const follower = await begin({ ahead: 4, mostBlocks: 1 })
    mine(6)
    await follower.step()
    chain.reorganise(4, [[], [], [], []])
    await stepAll(follower)
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4', '5', '3', '3', '4', '5', '6'])
    expect((await notes.read()).filter((text) => text.startsWith('block')).slice(-4)).toEqual(
      [3, 4, 5, 6].map((height) => `block ${height} ${chain.blocks[height]!.hash}`),
    )
  })

  test('audit M-D2: of final blocks is followed too, with an alert, and stops all payments on the network', async () => {
    chain.finalDepth = 2
    const follower = await begin()
    mine(6)
    await stepAll(follower)
    chain.reorganise(4, [[], [], [], [], []])
    await stepAll(follower)
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4', '5', '6', '3', '3', '4', '5', '6', '7'])
    const { rows } = await sql<{ kind: string }>`select kind from alerts`.execute(db)
    expect(rows).toEqual([{ kind: 'finality-broken' }])
    const { rows: stops } = await sql`select asset, merchant_id, network from freezes where lifted_at is null`.execute(
      db,
    )
    expect(stops).toEqual([{ asset: null, merchant_id: null, network: chain.network }])
  })

  test('deeper than the remembered blocks stops the network', async () => {
    const follower = await begin({ ringBlocks: 3 })
    mine(9)
    await stepAll(follower)
    chain.reorganise(6, [[], [], [], [], [], [], []])
    await expect(follower.step()).rejects.toThrow('no block in common')
    expect((await watchStatus(db))[0]).toMatchObject({ height: 9 })
  })
})

describe('finality', () => {
  test('follows the node, and never falls', async () => {
    const follower = await begin()
    mine(10)
    await stepAll(follower)
    chain.finalDepth = 3
    await stepAll(follower)
    chain.finalDepth = 8
    mine(1)
    await stepAll(follower)
    expect(await notifiedSettles()).toEqual(['settled 10 final 4', 'settled 10 final 7', 'settled 11 final 7'])
  })

  test('of blocks far below the head reaches as far as they are read', async () => {
    mine(20)
    await stepAll(await begin({ startHeight: 1, mostBlocks: 8 }))
    expect(await notifiedSettles()).toEqual(['settled 8 final 8', 'settled 16 final 14', 'settled 20 final 14'])
  })

  test('B8 of another branch than ours is not believed', async () => {
    const follower = await begin()
    mine(10)
    await stepAll(follower)
    // The chain changed between the two questions: the head is ours, the final block is not.
    const truth = chain.finalized
    chain.finalized = async () => ({ height: 8, hash: 'of another branch' })
    await stepAll(follower)
    chain.finalized = truth
    expect(await notifiedSettles()).toEqual(['settled 10 final 4', 'settled 10 final 4'])
  })

  test('of blocks fetched before the chain changed is not believed', async () => {
    mine(30)
    const follower = await begin({ startHeight: 1, mostBlocks: 1, ahead: 4 })
    await follower.step()
    chain.reorganise(
      29,
      Array.from({ length: 35 }, () => []),
    )
    await follower.step()
    expect(await notifiedSettles()).toEqual(['settled 1 final 1', 'settled 2 final 1'])
    await stepAll(follower)
    expect((await notifiedSettles()).at(-1)).toBe('settled 36 final 30')
    expect((await sql`select from alerts`.execute(db)).rows).toEqual([])
  })

  test('is looked at now and then without new blocks', async () => {
    const follower = await begin()
    mine(1)
    await stepAll(follower)
    now += 30_000
    await follower.step()
    await follower.step()
    expect(await notifiedSettles()).toEqual(['settled 1 final 0', 'settled 1 final 0'])
  })
})

describe('the pool', () => {
  const sent = (hash: string) => ({ hash, keys: [hash], succeeded: true, fee: null, transfers: [] })

  test('is passed on when it changes: the new transactions, and all of them', async () => {
    const follower = await begin()
    await follower.step()
    chain.send(sent('a'))
    await follower.step()
    await follower.step()
    chain.send(sent('b'))
    await follower.step()
    chain.pool.delete('a')
    await follower.step()
    expect(await notes.read()).toEqual(['pool  of ', 'pool a of a', 'pool b of a,b', 'pool  of b'])
  })

  test('is passed on after blocks, though it is as it was', async () => {
    const follower = await begin()
    chain.send(sent('a'))
    await follower.step()
    mine(1)
    await follower.step()
    expect((await notes.read()).filter((text) => text.startsWith('pool'))).toEqual(['pool a of a', 'pool  of a'])
  })
})

describe('a leader of an earlier epoch', () => {
  test('C8 writes nothing any more', async () => {
    const old = await begin()
    mine(1)
    await stepAll(old)
    const next = await begin()
    mine(1)
    await expect(old.step()).rejects.toThrow('led by another process')
    expect((await watchStatus(db))[0]).toMatchObject({ height: 1, epoch: 2 })
    await stepAll(next)
    chain.send({ hash: 'late', keys: [], succeeded: true, fee: null, transfers: [] })
    await expect(old.step()).rejects.toThrow('led by another process')
    expect(await notifiedBlocks()).toEqual(['1', '2'])
    expect(await notes.read()).not.toContain('pool late of late')
  })
})

test('a cursor that was moved by hand is not moved on from where it was', async () => {
  const follower = await begin()
  mine(3)
  await sql`update watch_cursors set height = 2, hash = ${chain.blocks[2]!.hash}`.execute(db)
  await expect(follower.step()).rejects.toThrow('led by another process')
  await stepAll(await begin())
  expect(await notifiedBlocks()).toEqual(['3'])
})

describe('rescan', () => {
  const again = (from: number, to: number) => {
    const adapter = chain as unknown as ChainAdapter
    return rescan({ runtime, network: NETWORK, adapter, subscribers: [notes.subscriber] }, from, to)
  }

  test('shows blocks again and leaves the cursor alone', async () => {
    mine(6)
    const follower = await begin()
    mine(2)
    await stepAll(follower)
    const before = await watchStatus(db)
    expect(await again(4, 7)).toBe(4)
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '4', '5', '6', '7'])
    expect(await watchStatus(db)).toEqual(before)
  })

  test('refuses blocks not read yet, and a node on another branch', async () => {
    const follower = await begin()
    mine(4)
    await stepAll(follower)
    mine(1)
    await expect(again(5, 5)).rejects.toThrow('will be read in turn')
    chain.reorganise(3, [[], [], [], []])
    await expect(again(4, 4)).rejects.toThrow('another branch')
    expect(await notifiedBlocks()).toEqual(['1', '2', '3', '4'])
  })
})
