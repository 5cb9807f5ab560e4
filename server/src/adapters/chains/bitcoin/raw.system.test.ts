import { expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import type { CoinChainAdapter } from '../port.ts'
import { ChainUnavailable } from '../port.ts'
import { createRpc } from '../rpc.ts'
import { readRaw } from './raw.ts'
import { openBitcoinWorld, scriptTo } from '../../../../../test/world/bitcoin-node.ts'
import { spend, takeCoin } from '../../../../../test/world/bitcoin-transaction.ts'

describeWithBitcoind('transactions as they travel', () => {
  const node = useBitcoind()

  test('are found in the pool and in a block, many at once; an unknown one is left out', async () => {
    const { adapter, faucet, mine, newAddress } = await openBitcoinWorld(await node())
    const { rawTransactions } = adapter as CoinChainAdapter
    const first = await spend(
      faucet,
      await takeCoin(faucet),
      [{ script: scriptTo(await newAddress()), units: 1_000_000n }],
      3_000n,
    )
    await adapter.broadcast(first.raw)
    await mine(1)
    const second = await spend(
      faucet,
      await takeCoin(faucet),
      [{ script: scriptTo(await newAddress()), units: 1_000_000n }],
      3_000n,
    )
    await adapter.broadcast(second.raw)
    const found = await rawTransactions([first.hash, '00'.repeat(32), second.hash])
    expect([...found].map(([hash, raw]) => [hash, Buffer.from(raw).toString('hex')])).toEqual([
      [first.hash, first.raw],
      [second.hash, second.raw],
    ])
  })

  test('a transaction other than the requested one is not believed', async () => {
    const { faucet } = await openBitcoinWorld(await node())
    const { raw, hash } = await spend(faucet, await takeCoin(faucet), [], 3_000n)
    const rpc = createRpc({ network: 'BITCOIN', url: 'http://127.0.0.1:1', random: () => 0, parse: JSON.parse })
    const lying = { ...rpc, askAll: async () => [{ ok: true as const, result: raw }] }
    expect([...(await readRaw(lying, [hash])).keys()]).toEqual([hash])
    await expect(readRaw(lying, ['11'.repeat(32)])).rejects.toBeInstanceOf(ChainUnavailable)
    await rpc.close()
  })
})
