import { describe, expect, test } from 'vitest'
import { blockOf, transfersOf } from './reading.ts'
import { listedAs, type ContractWorld, type WorldOf } from './world.ts'

export const describeContracts = (world: WorldOf): void => {
  describe('contracts', () => {
    const contracts = (): ContractWorld => world().contracts!

    test('native coin, tokens and inner calls of one block are distinguished', async () => {
      const { adapter, newAddress, pay, mine, sumsInnerCalls } = world()
      const { token, payToken, payInside, payByDestruction } = contracts()
      const [to, other] = [await newAddress(), await newAddress()]
      const hashes = [
        await pay(to, 11n),
        await payToken(token, to, 12n),
        await payInside([
          { to, units: 13n },
          { to: other, units: 14n },
          { to, units: 15n },
        ]),
        await payByDestruction(to, 16n),
      ]
      await mine(1)
      const block = await blockOf(adapter, hashes[0]!)
      const found = transfersOf(block, to).map(({ index, contract, units }) => [index[0], contract, units])
      const listed = listedAs(adapter, token)
      expect(found).toEqual([
        ['n', null, 11n],
        ['l', listed, 12n],
        ...(sumsInnerCalls ? [28n, 16n] : [13n, 15n, 16n]).map((units) => ['t', null, units]),
      ])
      expect(transfersOf(block, other).map(({ units }) => units)).toEqual([14n])
      expect(
        new Set(block.transactions.filter(({ hash }) => hashes.includes(hash)).map(({ succeeded }) => succeeded)),
      ).toEqual(new Set([true]))
    })

    test('an undone call moved nothing, but cost its fee', async () => {
      const { adapter, newAddress, mine } = world()
      const { payInRevertedCall, payThenRevert } = contracts()
      const to = await newAddress()
      const [inner, outer] = [await payInRevertedCall(to, 21n), await payThenRevert(to, 22n)]
      await mine(1)
      const block = await blockOf(adapter, outer)
      expect(transfersOf(block, to)).toEqual([])
      const [succeeded, failed] = [inner, outer].map((hash) => block.transactions.find((one) => one.hash === hash)!)
      expect(succeeded).toMatchObject({ succeeded: true })
      expect(failed).toMatchObject({ succeeded: false, transfers: [] })
      expect(failed!.fee).toBeGreaterThan(0n)
      expect(await adapter.statusOf(outer)).toMatchObject({ kind: 'mined', succeeded: false, fee: failed!.fee })
    })

    test('a token counts when its contract is listed and it moves an amount: the one in the log', async () => {
      const { adapter, newAddress, mine } = world()
      const { token, feeToken, lookAlike, payToken } = contracts()
      const to = await newAddress()
      await payToken(lookAlike, to, 31n)
      await payToken(token, to, 0n)
      await payToken(feeToken, to, 1_000n)
      const last = await payToken(token, to, 33n)
      await mine(1)
      const found = transfersOf(await blockOf(adapter, last), to).map(({ contract, units }) => [contract, units])
      expect(found).toEqual([
        [listedAs(adapter, feeToken), 990n],
        [listedAs(adapter, token), 33n],
      ])
    })

    test('balances of tokens, now and, where they are known, earlier', async () => {
      const { adapter, newAddress, pay, mine, balancesKnownAt, finalBelow } = world()
      const { token, feeToken, payToken } = contracts()
      const address = await newAddress()
      await mine(1)
      const before = await adapter.head()
      await payToken(token, address, 41n)
      await payToken(feeToken, address, 100n)
      await pay(address, 42n)
      await mine(balancesKnownAt === 'final' ? 1 + finalBelow : 1)
      const wanted = [token, null, feeToken].map((contract) => ({ address, contract }))
      const { height } = balancesKnownAt === 'final' ? await adapter.finalized() : await adapter.head()
      expect(await adapter.balancesAt(height, wanted)).toEqual([41n, 42n, 99n])
      const earlier = adapter.balancesAt(before.height, wanted)
      await (balancesKnownAt === 'final'
        ? expect(earlier).rejects.toThrow(adapter.network)
        : expect(earlier).resolves.toEqual([0n, 0n, 0n]))
    })

    test.each(['UsdtLike', 'UsdcLike'] as const)('whom the issuer of a %s has frozen', async (kind) => {
      const { newAddress } = world()
      const { adapter, token, freezing } = contracts()
      const [frozen, free] = [await newAddress(), await newAddress()]
      expect(await adapter.isFrozen(token, frozen)).toBe(false)
      if (!freezing) return
      const contract = await freezing(kind, frozen)
      expect([await adapter.isFrozen(contract, frozen), await adapter.isFrozen(contract, free)]).toEqual([true, false])
    })

    test('decimals, and whether an address is a contract', async () => {
      const { newAddress } = world()
      const { adapter, token, decimals } = contracts()
      const stranger = await newAddress()
      expect(await adapter.tokenDecimals(token)).toBe(decimals)
      await expect(adapter.tokenDecimals(stranger)).rejects.toThrow(stranger)
      expect([await adapter.isContract(token), await adapter.isContract(stranger)]).toEqual([true, false])
    })
  })
}

/** Tests of queries for sending on chains with nonces and gas. */
export const describeCalls = (world: WorldOf): void => {
  test('the needs of sending: nonces and gas', async () => {
    const { newAddress, payment, mine, contracts } = world()
    const { adapter, impossible } = contracts!.calls!
    const stranger = await newAddress()
    // Some nodes end their search slightly above the gas that the call needs.
    const estimate = await adapter.estimateGas({ ...impossible, to: stranger, value: 0n, data: '0x' })
    expect(estimate.ok && estimate.gas >= 21_000n && estimate.gas < 21_100n).toBe(true)
    expect(await adapter.estimateGas(impossible)).toMatchObject({ ok: false, reason: 'reverted' })
    const { raw, hash } = await payment(stranger, 100_000n)
    await adapter.broadcast(raw)
    await mine(1)
    const { keys } = (await blockOf(adapter, hash)).transactions.find((one) => one.hash === hash)!
    const [sender, nonce] = keys[0]!.split(':')
    expect([nonce, await adapter.minedNonce(sender!)]).toEqual(['0', 1])
  })
}
