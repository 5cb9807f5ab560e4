import { expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import type { CoinChainAdapter } from '../port.ts'
import { openBitcoinWorld, scriptTo } from '../../../../../test/world/bitcoin-node.ts'
import { spend, takeCoin } from '../../../../../test/world/bitcoin-transaction.ts'

describeWithBitcoind('the cost of a transaction in the pool', () => {
  const node = useBitcoind()

  test('is that of the transaction alone and with its ancestors, and null if it is not there', async () => {
    const { adapter, faucet, mine, newAddress, node: bitcoind } = await openBitcoinWorld(await node())
    const { poolCost } = adapter as CoinChainAdapter
    const own = await faucet<string>('getnewaddress')
    const parent = await spend(faucet, await takeCoin(faucet), [{ script: scriptTo(own), units: 1_000_000n }], 3_000n)
    await adapter.broadcast(parent.raw)
    const alone = await poolCost(parent.hash)
    expect(alone).toMatchObject({
      fee: 3_000n,
      ancestors: { vsize: 0, fee: 0n },
      descendants: { count: 0, vsize: 0, fee: 0n },
      package: { fee: 3_000n },
    })
    const child = await spend(
      faucet,
      { txid: parent.hash, vout: 0, units: 1_000_000n },
      [{ script: scriptTo(await newAddress()), units: 900_000n }],
      5_000n,
    )
    await adapter.broadcast(child.raw)
    expect(await poolCost(child.hash)).toMatchObject({ fee: 5_000n, ancestors: { vsize: alone!.vsize, fee: 3_000n } })
    const followed = await poolCost(parent.hash)
    expect(followed).toMatchObject({ fee: 3_000n, descendants: { count: 1, fee: 5_000n }, package: { fee: 8_000n } })
    expect(followed!.package.vsize).toBe(alone!.vsize + followed!.descendants.vsize)
    const { vsize } = await bitcoind.rpc<{ vsize: string }>('getrawtransaction', child.hash, 1)
    expect((await poolCost(child.hash))!.vsize).toBe(Number(vsize))
    await mine(1)
    expect(await poolCost(child.hash)).toBeNull()
    expect(await poolCost('00'.repeat(32))).toBeNull()
  })
})
