import { expect, test } from 'vitest'
import { follow } from '../../../../test/world/watcher.ts'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { useDeposits, pay } from '../../../../test/world/deposits.ts'
import { noEffects } from '../../ledger/effects/index.ts'
import { type ChainSubscriber, type PoolChange } from './index.ts'
import { createTestChain } from './test-chain.ts'

const PAGE = 2
const world = useDeposits()

const nothing = async () => noEffects

test('audit M-E4: a full pool is passed on a page at a time, each in a database transaction of its own, and blocks in between', async () => {
  const chain = createTestChain('BITCOIN', { finalDepth: 2 })
  for (let i = 0; i < 3; i += 1) chain.mine()
  for (let i = 0; i < 5; i += 1) chain.send(pay('payer', 1n, { hash: `pooled${i}` }))
  const seen: string[] = []
  const subscriber: ChainSubscriber = {
    block: async (_tx, _network, { height }) => {
      seen.push(`block ${height}`)
      return noEffects
    },
    orphaned: nothing,
    settled: nothing,
    mempool: async (_tx, _network, { added, hashes }: PoolChange) => {
      seen.push(`${added.map(({ hash }) => hash).join()} of ${hashes.size}`)
      return noEffects
    },
  }
  const mempool: ChainAdapter['mempool'] = async (known) => {
    const fresh = [...chain.pool.values()].filter(({ hash }) => !known.has(hash))
    return {
      hashes: new Set(chain.pool.keys()),
      added: fresh.slice(0, PAGE),
      unread: new Set(fresh.slice(PAGE).map(({ hash }) => hash)),
    }
  }
  const follower = await follow(world.runtime, { ...chain, mempool }, [subscriber])
  seen.length = 0
  expect((await follower.step()).more).toBe(true)
  chain.mine()
  expect((await follower.step()).more).toBe(true)
  expect((await follower.step()).more).toBe(false)
  await follower.step()
  expect(seen).toEqual([
    'block 2',
    'block 3',
    'pooled0,pooled1 of 5',
    'block 4',
    'pooled2,pooled3 of 5',
    'pooled4 of 5',
  ])
})
