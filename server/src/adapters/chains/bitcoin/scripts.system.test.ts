/** Outputs without an address that an adapter could name, and one block with a great many that do. */
import { expect, test } from 'vitest'
import { describeWithBitcoind, useBitcoind } from '../../../../../test/setup/nodes.ts'
import { blockOf, transfersOf } from '../conformance/reading.ts'
import { createBitcoinAdapter } from './index.ts'
import {
  openBitcoinWorld,
  scriptTo,
  SETTINGS,
  urlOf,
  type BitcoinWorld,
} from '../../../../../test/world/bitcoin-node.ts'
import { serialize, spend, takeCoin, type TestOutput } from '../../../../../test/world/bitcoin-transaction.ts'

const hex = (text: string): Uint8Array => Buffer.from(text, 'hex')
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

/** Each is valid in a block, whether or not nodes relay it. */
const NAMELESS: Record<string, Uint8Array> = {
  'data (OP_RETURN), with value': hex('6a0454455354'),
  'a bare public key': hex(`21${KEY}ac`),
  'bare multisig, 1 of 2': hex(`5121${KEY}21${KEY}52ae`),
  'a witness version of the future': hex(`6020${'11'.repeat(32)}`),
  'an anchor (P2A)': hex('51024e73'),
  'an empty script': hex(''),
  'half a push': hex('4c'),
}

describeWithBitcoind('scripts on bitcoind', () => {
  const bitcoind = useBitcoind()
  let started: Promise<BitcoinWorld> | undefined
  const world = () => (started ??= bitcoind().then(openBitcoinWorld))

  /** Past the node's policy, which would not relay most of these. */
  const mineOnly = async ({ faucet, node }: BitcoinWorld, outputs: readonly TestOutput[]): Promise<string> => {
    const { raw, hash } = await spend(faucet, await takeCoin(faucet), outputs, 10_000n)
    await node.rpc('generateblock', await faucet('getnewaddress'), [raw])
    return hash
  }

  test.for(Object.entries(NAMELESS))('%s is no payment, and the one beside it is seen', async ([, script]) => {
    const opened = await world()
    const to = await opened.newAddress()
    const hash = await mineOnly(opened, [
      { script, units: 1_000n },
      { script: scriptTo(to), units: 2_000n },
    ])
    const transaction = (await blockOf(opened.adapter, hash)).transactions.find((one) => one.hash === hash)!
    expect(transaction.transfers.map(({ index, units }) => [index, units])).toEqual([
      ['o:1', 2_000n],
      ['o:2', expect.any(BigInt)],
    ])
  })

  test('an output of nothing is no payment', async () => {
    const opened = await world()
    const to = await opened.newAddress()
    const hash = await mineOnly(opened, [
      { script: scriptTo(to), units: 0n },
      { script: scriptTo(to), units: 700n },
    ])
    expect(transfersOf(await blockOf(opened.adapter, hash), to).map(({ index }) => index)).toEqual(['o:1'])
  })

  test.for(['legacy', 'p2sh-segwit', 'bech32', 'bech32m'])(
    'addresses of type %s are read as wallets write them',
    async (type) => {
      const opened = await world()
      const wallet = opened.node.walletRpc('outside')
      const to = await wallet<string>('getnewaddress', '', type)
      const hash = await opened.payScripts([{ script: scriptTo(to), units: 5_000n }])
      const [sighted] = (await opened.adapter.mempool(new Set())).added.filter((one) => one.hash === hash)
      expect(sighted!.transfers[0]).toMatchObject({ to, units: 5_000n })
      await opened.mine(1)
      expect(transfersOf(await blockOf(opened.adapter, hash), to)).toEqual([sighted!.transfers[0]])
    },
  )

  test('B12 two hundred outputs to one address are two hundred payments', async () => {
    const opened = await world()
    const to = await opened.newAddress()
    const hash = await opened.payScripts(
      Array.from({ length: 200 }, (_, at) => ({ script: scriptTo(to), units: 1_000n + BigInt(at) })),
    )
    await opened.mine(1)
    const found = transfersOf(await blockOf(opened.adapter, hash), to)
    expect(found.map(({ index, units }) => [index, units])).toEqual(
      Array.from({ length: 200 }, (_, at) => [`o:${at}`, 1_000n + BigInt(at)]),
    )
    const { height } = await opened.adapter.head()
    expect(await opened.adapter.balancesAt(height, [{ address: to, contract: null }])).toEqual([219_900n])
  })

  test('row B-26: a block that is too long with all the scripts that it spends is read without them, and names the same senders', async () => {
    const opened = await world()
    // 10,000 bytes that anyone may spend, which the node writes out as 160,000 beside each input: there is room for
    // 24,000 inputs in a block.
    const bulky = hex(`510063${'50'.repeat(9_996)}68`)
    const parent = await mineOnly(
      opened,
      Array.from({ length: 10 }, () => ({ script: bulky, units: 10_000n })),
    )
    const [wallet, to] = [await takeCoin(opened.faucet), await opened.newAddress()]
    const coins = [...Array.from({ length: 10 }, (_, vout) => ({ txid: parent, vout, units: 10_000n })), wallet]
    const outputs = [
      { script: scriptTo(to), units: wallet.units - 10_000n },
      { script: hex('51'), units: 10_000n },
    ]
    const { hex: raw } = await opened.faucet<{ hex: string }>('signrawtransactionwithwallet', serialize(coins, outputs))
    const { txid } = await opened.node.rpc<{ txid: string }>('decoderawtransaction', raw)
    const child = serialize({ txid, vout: 1, units: 10_000n }, [{ script: scriptTo(to), units: 9_000n }])
    await opened.node.rpc('generateblock', await opened.faucet('getnewaddress'), [raw, child])
    const { height } = await opened.adapter.head()
    const whole = await opened.adapter.blockAt(height)
    expect(whole!.transactions.slice(1)).toMatchObject([
      { hash: txid, fee: 100_000n, transfers: [{ to, from: [expect.any(String)] }] },
      { keys: [`${txid}:1`], fee: 1_000n, transfers: [{ to, from: [] }] },
    ])
    const narrow = createBitcoinAdapter({ ...SETTINGS, url: urlOf(opened.node), maxBytes: 1_000_000 })
    expect(await narrow.blockAt(height)).toEqual(whole)
    await narrow.close()
  })

  test('the coinbase spends no coin, has no sender and no fee', async () => {
    const opened = await world()
    await opened.mine(1)
    const { height } = await opened.adapter.head()
    const [coinbase] = (await opened.adapter.blockAt(height))!.transactions
    expect(coinbase).toMatchObject({
      keys: [],
      fee: 0n,
      succeeded: true,
      coinbase: true,
      transfers: [{ index: 'o:0', from: [] }],
    })
    expect(await opened.adapter.statusOf(coinbase!.hash)).toMatchObject({ kind: 'mined', fee: 0n })
  })
})
