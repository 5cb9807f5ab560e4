/** Answers of a real node to each kind of transaction that it refuses, and their meaning. */
import { btcText } from '@bursar/chainkit/bitcoin'
import { expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import { startProxy } from '../test-proxy.ts'
import type { CoinChainAdapter } from '../port.ts'
import { createBitcoinAdapter } from './index.ts'
import {
  openBitcoinWorld,
  scriptTo,
  SETTINGS,
  urlOf,
  type BitcoinWorld,
} from '../../../../../test/world/bitcoin-node.ts'
import { spend, takeCoin } from '../../../../../test/world/bitcoin-transaction.ts'

describeWithBitcoind('handing transactions to bitcoind', () => {
  const bitcoind = useBitcoind()
  let started: Promise<BitcoinWorld> | undefined
  const world = () => (started ??= bitcoind().then(openBitcoinWorld))

  const payment = async (fee: bigint, units = 50_000n) => {
    const { faucet, newAddress } = await world()
    return spend(faucet, await takeCoin(faucet), [{ script: scriptTo(await newAddress()), units }], fee)
  }

  test.for([
    ['offers nothing (row B-9)', 0n, 50_000n, { kind: 'refused', reason: 'fee-too-low', message: /min relay fee/ }],
    ['is dust (row B-12)', 10_000n, 100n, { kind: 'refused', reason: 'invalid', message: /dust/ }],
    [
      'offers an absurd fee (row B-11)',
      20_000_000n,
      50_000n,
      { kind: 'refused', reason: 'invalid', message: /maximum/ },
    ],
  ] as const)('%s', async ([, fee, units, { message, ...verdict }]) => {
    const { adapter } = await world()
    const answer = await adapter.broadcast((await payment(fee, units)).raw)
    expect(answer).toMatchObject({ ...verdict, message: expect.stringMatching(message) })
  })

  test('is not final yet', async () => {
    const { adapter } = await world()
    const { raw } = await payment(10_000n)
    // A height that no chain has: from 500,000,000 on it would be a time.
    const later = `${raw.slice(0, -8)}ffffff1c`
    expect(await adapter.broadcast(later)).toMatchObject({ kind: 'refused', reason: 'later' })
  })

  test.for(['', '00', 'zz', '0x1234', 'f'.repeat(7)])('is the rubbish %j', async (raw) => {
    const { adapter } = await world()
    expect(await adapter.broadcast(raw)).toMatchObject({ kind: 'refused', reason: 'invalid' })
  })

  test('spends a coin that never existed: a conflict', async () => {
    const { adapter } = await world()
    const { raw } = await payment(10_000n)
    const invented = `${raw.slice(0, 10)}${'5a'.repeat(32)}${raw.slice(74)}`
    expect(await adapter.broadcast(invented)).toMatchObject({ kind: 'conflict' })
  })

  test('row B-10: was mined, and its outputs were spent again: accepted', async () => {
    const { adapter, faucet, mine } = await world()
    const own = await faucet<string>('getnewaddress')
    const coin = await takeCoin(faucet)
    const first = await spend(faucet, coin, [{ script: scriptTo(own), units: coin.units - 20_000n }], 19_000n)
    expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
    await mine(1)
    expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
    const all = [
      { txid: first.hash, vout: 0, units: coin.units - 20_000n },
      { txid: first.hash, vout: 1, units: 1_000n },
    ]
    for (const output of all) {
      const again = await spend(faucet, output, [], output.units > 1_000n ? 10_000n : 400n)
      await faucet('generateblock', own, [again.raw])
    }
    expect(await adapter.broadcast(first.raw)).toEqual({ kind: 'accepted' })
  })

  test('audit D-B9, row B-9: a parent that offers nothing is taken with a child that pays for both, and not alone', async () => {
    const { adapter, node, faucet } = await world()
    const coin = await takeCoin(faucet)
    const own = await faucet<string>('getnewaddress')
    /** Version 3: of no other does a node relay what offers nothing (doc/policy/packages.md of Bitcoin Core). */
    const signed = async (input: object, units: bigint, spent?: object): Promise<string> => {
      const unsigned = await node.rpc<string>('createrawtransaction', [input], [{ [own]: btcText(units) }])
      return (
        await faucet<{ hex: string }>(
          'signrawtransactionwithwallet',
          `03${unsigned.slice(2)}`,
          ...(spent ? [[spent]] : []),
        )
      ).hex
    }
    const parent = await signed({ txid: coin.txid, vout: coin.vout }, coin.units)
    const { txid, vout } = await node.rpc<{ txid: string; vout: { scriptPubKey: { hex: string } }[] }>(
      'decoderawtransaction',
      parent,
    )
    const child = await signed({ txid, vout: 0 }, coin.units - 20_000n, {
      txid,
      vout: 0,
      scriptPubKey: vout[0]!.scriptPubKey.hex,
      amount: btcText(coin.units),
    })
    expect(await adapter.broadcast(parent)).toMatchObject({ kind: 'refused', reason: 'fee-too-low' })
    expect(await (adapter as CoinChainAdapter).broadcastWithParent(parent, child)).toEqual({ kind: 'accepted' })
    expect(await adapter.statusOf(txid)).toEqual({ kind: 'mempool' })
  })

  test('was taken, and the answer was lost: unknown, and accepted when handed over again', async () => {
    const { node } = await world()
    const proxy = await startProxy(urlOf(node))
    const adapter = createBitcoinAdapter({ ...SETTINGS, url: proxy.url })
    const { raw, hash } = await payment(10_000n)
    proxy.behave = ({ method }) => (method === 'sendrawtransaction' ? 'lose' : 'pass')
    await expect(adapter.broadcast(raw)).rejects.toThrow(/BITCOIN: sendrawtransaction: no answer/)
    proxy.behave = () => 'pass'
    expect(await adapter.statusOf(hash)).toEqual({ kind: 'mempool' })
    expect(await adapter.broadcast(raw)).toEqual({ kind: 'accepted' })
    await proxy.close()
  })
})
