import { describe, expect, test } from 'vitest'
import { blockOf, transfersOf } from './reading.ts'
import type { WorldOf } from './world.ts'

export const describeBlocks = (world: WorldOf): void => {
  describe('blocks', () => {
    test('are linked to their parents from the first to the head', async () => {
      const { adapter, mine } = world()
      await mine(3)
      const head = await adapter.head()
      expect(head.hash).toBe(await adapter.hashAt(head.height))
      for (let height = Math.max(1, head.height - 10); height <= head.height; height += 1) {
        const block = await adapter.blockAt(height)
        expect(block).toMatchObject({
          height,
          hash: await adapter.hashAt(height),
          parent: await adapter.hashAt(height - 1),
        })
        expect(new Date(block!.time).getUTCFullYear()).toBeGreaterThan(2008)
      }
      expect(await adapter.blockAt(0)).toMatchObject({ height: 0, hash: await adapter.hashAt(0) })
    })

    test('above the head are null', async () => {
      const { adapter } = world()
      const { height } = await adapter.head()
      expect([await adapter.blockAt(height + 1), await adapter.hashAt(height + 1)]).toEqual([null, null])
      expect(await adapter.blockAt(height + 1_000)).toBeNull()
    })

    test('show each payment to one address, with its sender, its fee and the coins or nonce that it used', async () => {
      const { adapter, newAddress, pay, mine } = world()
      const to = await newAddress()
      const hashes = [await pay(to, 70_000n), await pay(to, 80_000n)]
      await mine(1)
      const { height } = await adapter.head()
      const block = (await adapter.blockAt(height))!
      const ours = block.transactions.filter(({ hash }) => hashes.includes(hash))
      expect(ours.map(({ hash }) => hash).toSorted()).toEqual(hashes.toSorted())
      expect(
        transfersOf(block, to)
          .map(({ units }) => units)
          .toSorted(),
      ).toEqual([70_000n, 80_000n])
      for (const { succeeded, fee, keys, transfers } of ours) {
        expect({ succeeded, contract: transfers[0]!.contract }).toEqual({ succeeded: true, contract: null })
        expect(fee).toBeGreaterThan(0n)
        expect(keys.length).toBeGreaterThan(0)
        expect(transfers[0]!.from.length).toBeGreaterThan(0)
      }
      expect(new Set(ours.flatMap(({ keys }) => keys)).size).toBe(ours.flatMap(({ keys }) => keys).length)
      expect(await adapter.blockAt(height)).toEqual(block)
    })

    test('name several payments of one transaction by indexes of their own, or the sum of an address by one', async () => {
      const { adapter, newAddress, payAll, mine, sumsInnerCalls } = world()
      const [twice, once] = [await newAddress(), await newAddress()]
      const hash = await payAll([
        { to: twice, units: 70_000n },
        { to: once, units: 60_000n },
        { to: twice, units: 70_000n },
      ])
      await mine(1)
      const block = await blockOf(adapter, hash)
      const found = [...transfersOf(block, twice), ...transfersOf(block, once)]
      expect(found.map(({ units }) => units)).toEqual(
        sumsInnerCalls ? [140_000n, 60_000n] : [70_000n, 70_000n, 60_000n],
      )
      expect(new Set(found.map(({ index }) => index)).size).toBe(found.length)
    })
  })
}

export const describeFinality = (world: WorldOf): void => {
  describe('the final block', () => {
    test('is on the best chain, as far below the head as the rule says, and follows it', async () => {
      const { adapter, finalBelow, mine } = world()
      await mine(1)
      const before = await adapter.finalized()
      expect(before.height).toBe((await adapter.head()).height - finalBelow)
      expect(await adapter.hashAt(before.height)).toBe(before.hash)
      await mine(5)
      expect((await adapter.finalized()).height).toBe(before.height + 5)
    })

    test('does not move back when blocks above it are replaced', async () => {
      const { adapter, mine, reorg } = world()
      await mine(8)
      const before = await adapter.finalized()
      const depth = Math.min(2, (await adapter.head()).height - before.height)
      await reorg(depth, [])
      const after = await adapter.finalized()
      expect(after.height).toBeGreaterThanOrEqual(before.height)
      expect(await adapter.hashAt(before.height)).toBe(before.hash)
    })
  })
}
