import { describe, expect, test } from 'vitest'
import { blockOf, transfersOf } from './reading.ts'
import type { WorldOf } from './world.ts'

export const describeBroadcast = (world: WorldOf): void => {
  describe('handing over', () => {
    test('is safe to repeat, before and after the transaction is mined and its coins have moved on', async () => {
      const { adapter, newAddress, payment, mine } = world()
      const to = await newAddress()
      const first = await payment(to, 100_000n)
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
      expect(await adapter.statusOf(first.hash)).toEqual({ kind: 'mempool' })
      await mine(1)
      expect(transfersOf(await blockOf(adapter, first.hash), to).map(({ units }) => units)).toEqual([100_000n])
      expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
    })

    test('of rubbish is refused as invalid', async () => {
      const { adapter, newAddress, payment } = world()
      const first = await payment(await newAddress(), 100_000n)
      const cut = first.raw.slice(0, -20)
      expect(await adapter.broadcast(cut)).toMatchObject({ kind: 'refused', reason: 'invalid' })
    })
  })
}

export const describeFees = (world: WorldOf): void => {
  test('offers a fee that a node takes', async () => {
    const rate = await world().adapter.feeRate()
    if (rate.kind === 'vbyte') expect(rate.milliSatPerVb).toBeGreaterThan(0n)
    else if (rate.kind === 'resources')
      for (const price of [rate.energy, rate.bandwidth, rate.activation]) expect(price).toBeGreaterThan(0n)
    else {
      expect(rate.maxPriorityFeePerGas).toBeGreaterThan(0n)
      expect(rate.maxFeePerGas).toBeGreaterThanOrEqual(rate.maxPriorityFeePerGas)
    }
  })
}

export const describeBalances = (world: WorldOf): void => {
  test('counts balances at the newest block they are known at, in the order asked', async () => {
    const { adapter, newAddress, pay, mine, balancesKnownAt, finalBelow } = world()
    /** Mines blocks and returns the height up to which balances are known. */
    const settle = async (blocks: number): Promise<number> => {
      await mine(balancesKnownAt === 'final' ? blocks + finalBelow : blocks)
      return (await (balancesKnownAt === 'final' ? adapter.finalized() : adapter.head())).height
    }
    const [rich, poor] = [await newAddress(), await newAddress()]
    await pay(rich, 60_000n)
    await pay(rich, 70_000n)
    const height = await settle(1)
    await pay(poor, 80_000n)
    const wanted = [poor, rich, poor, rich].map((address) => ({ address, contract: null }))
    expect(await adapter.balancesAt(height, wanted)).toEqual([0n, 130_000n, 0n, 130_000n])
    expect(await adapter.balancesAt(height, [])).toEqual([])
    const later = await settle(1)
    expect(later).toBeGreaterThan(height)
    expect(await adapter.balancesAt(later, wanted)).toEqual([80_000n, 130_000n, 80_000n, 130_000n])
    await expect(adapter.balancesAt(later + 9, wanted)).rejects.toThrow(adapter.network)
  })
}
