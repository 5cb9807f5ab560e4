import { describe, expect, test } from 'vitest'
import { blockOf, transfersOf } from './reading.ts'
import type { WorldOf } from './world.ts'

export const describeBroadcast = (world: WorldOf): void => {
  describe('handing over', () => {
    test('is safe to repeat, before and after the transaction is mined and its coins have moved on', async () => {
      const { adapter, newAddress, rivals, mine } = world()
      const to = await newAddress()
      const { first } = await rivals(to, 100_000n)
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'mempool' })
      await mine(1)
      expect(transfersOf(await blockOf(adapter, first.hash), to).map(({ units }) => units)).toEqual([100_000n])
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
    })

    test('of a rival that offers too little is refused, of one that offers enough replaces the first', async () => {
      const { adapter, newAddress, rivals, mine } = world()
      const { first, cheaper, dearer } = await rivals(await newAddress(), 100_000n)
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.broadcast(cheaper.raw)).toMatchObject({ kind: 'refused', reason: 'fee-too-low' })
      expect(await adapter.broadcast(dearer.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'unknown' })
      await mine(1)
      expect((await adapter.statusOf(dearer.hash)).kind).toBe('mined')
      expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'unknown' })
    })

    test('of a rival of what is mined is a conflict', async () => {
      const { adapter, newAddress, rivals, mine } = world()
      const { first, dearer } = await rivals(await newAddress(), 100_000n)
      await adapter.broadcast(first.raw)
      await mine(1)
      expect(await adapter.broadcast(dearer.raw)).toMatchObject({ kind: 'conflict' })
      expect(await adapter.statusOf(dearer.hash)).toEqual({ kind: 'unknown' })
    })

    test('shows rivals by a key they share', async () => {
      const { adapter, newAddress, rivals, mine, reorg } = world()
      const { first, dearer } = await rivals(await newAddress(), 100_000n)
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

    test('of rubbish is refused as invalid', async () => {
      const { adapter, newAddress, rivals } = world()
      const { first } = await rivals(await newAddress(), 100_000n)
      const cut = first.raw.slice(0, -20)
      expect(await adapter.broadcast(cut)).toMatchObject({ kind: 'refused', reason: 'invalid' })
    })
  })
}

export const describeFees = (world: WorldOf): void => {
  test('offers a fee that a node takes', async () => {
    const rate = await world().adapter.feeRate()
    if (rate.kind === 'vbyte') expect(rate.milliSatPerVb).toBeGreaterThan(0n)
    else if (rate.kind === 'resources') for (const price of [rate.energy, rate.bandwidth, rate.activation]) expect(price).toBeGreaterThan(0n)
    else {
      expect(rate.maxPriorityFeePerGas).toBeGreaterThan(0n)
      expect(rate.maxFeePerGas).toBeGreaterThanOrEqual(rate.maxPriorityFeePerGas)
    }
  })
}

export const describeBalances = (world: WorldOf): void => {
  test('counts balances at the head, in the order asked', async () => {
    const { adapter, newAddress, pay, mine } = world()
    const [rich, poor] = [await newAddress(), await newAddress()]
    await pay(rich, 60_000n)
    await pay(rich, 70_000n)
    await mine(1)
    await pay(poor, 80_000n)
    const { height } = await adapter.head()
    const wanted = [poor, rich, poor, rich].map((address) => ({ address, contract: null }))
    expect(await adapter.balancesAt(height, wanted)).toEqual([0n, 130_000n, 0n, 130_000n])
    expect(await adapter.balancesAt(height, [])).toEqual([])
    await mine(1)
    expect(await adapter.balancesAt(height + 1, wanted)).toEqual([80_000n, 130_000n, 80_000n, 130_000n])
    await expect(adapter.balancesAt(height + 9, wanted)).rejects.toThrow(adapter.network)
  })
}
