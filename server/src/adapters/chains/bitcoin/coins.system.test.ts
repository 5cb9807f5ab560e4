import { expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import type { CoinChainAdapter } from '../port.ts'
import { spend, takeCoin } from '../../../../../test/world/bitcoin-transaction.ts'
import { openBitcoinWorld, scriptTo } from '../../../../../test/world/bitcoin-node.ts'

describeWithBitcoind('coins', () => {
  const node = useBitcoind()

  test('audit M-C6: are there until a block spends them, regardless of the pool', async () => {
    const { adapter, faucet, mine, newAddress } = await openBitcoinWorld(await node())
    const { coinsAt } = adapter as CoinChainAdapter
    const taken = await takeCoin(faucet)
    const { raw, hash } = await spend(
      faucet,
      taken,
      [{ script: scriptTo(await newAddress()), units: 1_000_000n }],
      3_000n,
    )
    const [old, made, never] = [
      { transaction: taken.txid, vout: taken.vout },
      { transaction: hash, vout: 0 },
      { transaction: '00'.repeat(32), vout: 0 },
    ]
    await adapter.broadcast(raw)
    expect(await coinsAt([old, made, never])).toEqual([taken.units, null, null])
    await mine(1)
    expect(await coinsAt([old, made, never])).toEqual([null, 1_000_000n, null])
  })
})
