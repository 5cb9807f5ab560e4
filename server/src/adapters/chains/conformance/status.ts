import { describe, expect, test } from 'vitest'
import { blockOf, transfersOf } from './reading.ts'
import type { WorldOf } from './world.ts'

export const describeStatus = (world: WorldOf): void => {
  describe('the status of a transaction', () => {
    test('unknown, in the pool, mined', async () => {
      const { adapter, newAddress, pay, mine } = world()
      const hash = await pay(await newAddress(), 90_000n)
      expect(await adapter.statusOf(hash)).toEqual({ kind: 'mempool' })
      const unknownHash = `${hash.startsWith('0x') ? '0x' : ''}${'ab'.repeat(32)}`
      expect(await adapter.statusOf(unknownHash)).toEqual({ kind: 'unknown' })
      await mine(1)
      const head = await adapter.head()
      const { fee } = (await blockOf(adapter, hash)).transactions.find((one) => one.hash === hash)!
      expect(await adapter.statusOf(hash)).toEqual({
        kind: 'mined',
        height: head.height,
        blockHash: head.hash,
        succeeded: true,
        fee,
      })
    })
  })
}

export const describeReorganisations = (world: WorldOf): void => {
  describe('a reorganisation', () => {
    test('changes the block at a height, and orphans transactions that the new branch leaves out', async () => {
      const { adapter, newAddress, pay, mine, reorg } = world()
      const to = await newAddress()
      await mine(1)
      const fork = await adapter.head()
      const lost = await pay(to, 90_000n)
      await mine(1)
      const old = await adapter.head()
      const stays = await pay(to, 95_000n)
      await mine(1)
      expect((await adapter.statusOf(lost)).kind).toBe('mined')
      await reorg(2, [lost])
      const head = await adapter.head()
      expect(head.height).toBe(fork.height + 3)
      expect(await adapter.hashAt(fork.height)).toBe(fork.hash)
      expect(await adapter.hashAt(old.height)).not.toBe(old.hash)
      const replaced = (await adapter.blockAt(old.height))!
      expect(replaced).toMatchObject({ parent: fork.hash, hash: await adapter.hashAt(old.height) })
      expect(transfersOf(replaced, to)).toEqual([])
      expect(await adapter.statusOf(lost)).toEqual({ kind: 'unknown' })
      expect(transfersOf(await blockOf(adapter, stays), to).map(({ units }) => units)).toEqual([95_000n])
    })

    test('to a branch with the same payment shows it once more, by the same name', async () => {
      const { adapter, newAddress, payAll, mine, reorg } = world()
      const to = await newAddress()
      const hash = await payAll([
        { to: await newAddress(), units: 90_000n },
        { to, units: 91_000n },
      ])
      await mine(1)
      const before = await blockOf(adapter, hash)
      await reorg(1, [])
      const after = await blockOf(adapter, hash)
      expect(after.hash).not.toBe(before.hash)
      expect(transfersOf(after, to)).toEqual(transfersOf(before, to))
    })
  })
}
