import { describe, expect, test } from 'vitest'
import { blockOf } from './reading.ts'
import type { WorldOf } from './world.ts'

export const describeConflicts = (world: WorldOf): void => {
  describe('handing over', () => {
    test('of a conflict that offers too little is refused, and of one that offers enough replaces the first', async () => {
      const { adapter, newAddress, mine } = world()
      const { first, cheaper, dearer } = await world().conflicting!(await newAddress(), 100_000n)
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.broadcast(cheaper.raw)).toMatchObject({ kind: 'refused', reason: 'fee-too-low' })
      expect(await adapter.broadcast(dearer.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'unknown' })
      await mine(1)
      expect((await adapter.statusOf(dearer.hash)).kind).toBe('mined')
      expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'unknown' })
    })

    test('of a transaction that conflicts with a mined one is a conflict', async () => {
      const { adapter, newAddress, mine } = world()
      const { first, dearer } = await world().conflicting!(await newAddress(), 100_000n)
      await adapter.broadcast(first.raw)
      await mine(1)
      expect(await adapter.broadcast(dearer.raw)).toMatchObject({ kind: 'conflict' })
      expect(await adapter.statusOf(dearer.hash)).toEqual({ kind: 'unknown' })
    })

    test('shows conflicting transactions by a key they share', async () => {
      const { adapter, newAddress, mine, reorg } = world()
      const { first, dearer } = await world().conflicting!(await newAddress(), 100_000n)
      const keysOf = async (hash: string): Promise<string[]> =>
        (await blockOf(adapter, hash)).transactions.find((one) => one.hash === hash)!.keys
      await mine(1)
      await adapter.broadcast(first.raw)
      await mine(1)
      const before = await keysOf(first.hash)
      await reorg(1, [first.hash])
      expect(await adapter.broadcast(dearer.raw)).toEqual({ kind: 'accepted' })
      await mine(1)
      expect(await keysOf(dearer.hash)).toEqual(before)
    })
  })
}
