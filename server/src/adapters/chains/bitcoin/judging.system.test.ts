/**
 * Answers of a real node (Bitcoin Knots 29.4.3) to transactions whose signatures are not valid, before it looks at
 * signatures.
 */
import { isRefused } from '@bursar/chainkit'
import { asIfSigned, REPLACEABLE, satoshiOf, writePsbt } from '@bursar/chainkit/bitcoin'
import { expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import type { CoinChainAdapter } from '../port.ts'
import { openBitcoinWorld, scriptTo, type BitcoinWorld } from '../../../../../test/world/bitcoin-node.ts'
import type { TestCoin } from '../../../../../test/world/bitcoin-transaction.ts'

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describeWithBitcoind('asking if the pool would accept a transaction', () => {
  const bitcoind = useBitcoind()
  let started: Promise<BitcoinWorld> | undefined
  const world = () => (started ??= bitcoind().then(openBitcoinWorld))
  /** As all coins of ours are: Knots makes wallets of another type. */
  const segwitCoin = async (): Promise<TestCoin> => {
    const { faucet, mine } = await world()
    const address = await faucet<string>('getnewaddress', '', 'bech32')
    await faucet('send', [{ [address]: '0.5' }], null, 'unset', 5)
    await mine(1)
    const [coin] = await faucet<{ txid: string; vout: string; amount: string }[]>('listunspent', 1, 9_999_999, [
      address,
    ])
    return { txid: coin!.txid, vout: Number(coin!.vout), units: satoshiOf(coin!.amount) }
  }
  const judge = async (coin: TestCoin, units: bigint, script: Uint8Array, change = (raw: string): string => raw) => {
    const { adapter, node, faucet } = await world()
    const own = scriptTo(await faucet<string>('getnewaddress', '', 'bech32'))
    const rest = coin.units - units - 10_000n
    const outputs = [{ script, units, origins: [] }, ...(rest > 0n ? [{ script: own, units: rest, origins: [] }] : [])]
    const inputs = [
      { txid: coin.txid, vout: coin.vout, units: coin.units, script: own, sequence: REPLACEABLE, origins: [] },
    ]
    const raw = asIfSigned(writePsbt({ version: 0, transactionVersion: 2, lockTime: 0, inputs, outputs }))
    if (isRefused(raw)) throw new Error(raw.message)
    const before = await node.rpc<string[]>('getrawmempool')
    const [answer] = await (adapter as CoinChainAdapter).wouldTake([change(Buffer.from(raw).toString('hex'))])
    expect(await node.rpc<string[]>('getrawmempool')).toEqual(before)
    return answer
  }
  const someone = async (): Promise<Uint8Array> =>
    scriptTo(await (await world()).faucet<string>('getnewaddress', '', 'bech32'))

  test('audit D-B8: it accepts a transaction that lacks only signatures', async () => {
    expect(await judge(await segwitCoin(), 50_000n, await someone())).toEqual({ kind: 'accepted' })
  })

  test('audit D-B8, row B-12: it refuses dust for good', async () => {
    expect(await judge(await segwitCoin(), 100n, await someone())).toMatchObject({
      kind: 'refused',
      reason: 'invalid',
      message: expect.stringMatching(/^dust/),
    })
  })

  test('audit D-B8: it refuses a script of no known kind for good', async () => {
    const script = await someone()
    expect(
      await judge(await segwitCoin(), 50_000n, script, (raw) => raw.replace(hexOf(script), '51'.repeat(script.length))),
    ).toMatchObject({ kind: 'refused', reason: 'invalid', message: expect.stringMatching(/^scriptpubkey/) })
  })

  test('audit D-B8, row B-1: it refuses a young coinbase for now', async () => {
    const { faucet, node } = await world()
    const [block] = await node.rpc<string[]>('generatetoaddress', 1, await faucet('getnewaddress', '', 'bech32'))
    const { tx } = await node.rpc<{ tx: { txid: string; vout: { value: string }[] }[] }>('getblock', block!, 2)
    const coinbase = { txid: tx[0]!.txid, vout: 0, units: satoshiOf(String(tx[0]!.vout[0]!.value)) }
    expect(await judge(coinbase, 50_000n, await someone())).toMatchObject({ kind: 'refused', reason: 'later' })
  })

  test('audit D-B8, row B-10: it recognises a coin that is spent or never existed', async () => {
    expect(await judge({ txid: '5a'.repeat(32), vout: 0, units: 1_000_000n }, 50_000n, await someone())).toMatchObject({
      kind: 'conflict',
    })
  })
})
