import { describe, expect, test } from 'vitest'
import type { WorldOf } from './world.ts'

const NOTHING: ReadonlySet<string> = new Set()

export const describePool = (world: WorldOf): void => {
  describe('the pool', () => {
    test('is empty where the chain has no usable one', async () => {
      const { adapter, newAddress, pay, mine } = world()
      await pay(await newAddress(), 60_000n)
      const { mempool } = await adapter.capabilities()
      const { hashes, added } = await adapter.mempool(NOTHING)
      expect([hashes.size > 0, added.length > 0]).toEqual([mempool, mempool])
      await mine(1)
      expect((await adapter.mempool(NOTHING)).hashes.size).toBe(0)
    })

    test('shows new transactions as their block will', async () => {
      const { adapter, newAddress, pay, mine } = world()
      if (!(await adapter.capabilities()).mempool) return
      const to = await newAddress()
      const first = await pay(to, 60_000n)
      const before = await adapter.mempool(NOTHING)
      const second = await pay(to, 70_000n)
      const after = await adapter.mempool(before.hashes)
      expect(after.hashes).toEqual(new Set([first, second]))
      expect(after.added.map(({ hash }) => hash)).toEqual([second])
      await mine(1)
      const { transactions } = (await adapter.blockAt((await adapter.head()).height))!
      const mined = transactions.filter(({ hash }) => after.hashes.has(hash)).map((one) => ({ ...one, fee: null }))
      expect([...before.added, ...after.added].toSorted(byHash)).toEqual(mined.toSorted(byHash))
    })

    test('forgets a replaced transaction', async () => {
      const { adapter, newAddress, conflicting, mine } = world()
      if (!(await adapter.capabilities()).mempool || !conflicting) return
      const { first, dearer } = await conflicting(await newAddress(), 100_000n)
      await adapter.broadcast(first.raw)
      const before = await adapter.mempool(NOTHING)
      await adapter.broadcast(dearer.raw)
      const after = await adapter.mempool(before.hashes)
      expect([before.hashes.has(first.hash), after.hashes.has(first.hash), after.hashes.has(dearer.hash)]).toEqual([
        true,
        false,
        true,
      ])
      expect(after.added.map(({ keys }) => keys)).toEqual(before.added.map(({ keys }) => keys))
      await mine(1)
    })
  })
}

const byHash = (a: { hash: string }, b: { hash: string }): number => (a.hash < b.hash ? -1 : 1)
