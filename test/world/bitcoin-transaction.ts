/** Bitcoin transactions for tests, with scripts and repetitions that wallets would not make. */
import { btcText, satoshiOf } from '@bursar/chainkit/bitcoin'
import type { Rpc } from '../../sandbox/rpc.ts'
import type { Signed } from '../../server/src/adapters/chains/conformance.ts'

export interface TestCoin {
  txid: string
  vout: number
  units: bigint
}

export interface TestOutput {
  script: Uint8Array
  units: bigint
}

/** A coin of a wallet, which the wallet then keeps for us. */
export const takeCoin = async (wallet: Rpc): Promise<TestCoin> => {
  const coins = await wallet<{ txid: string; vout: string; amount: string; confirmations: string }[]>('listunspent', 1)
  const [coin] = coins.toSorted((a, b) => Number(b.confirmations) - Number(a.confirmations))
  if (!coin) throw new Error('the wallet has no confirmed coin')
  const taken = { txid: coin.txid, vout: Number(coin.vout), units: satoshiOf(coin.amount) }
  await wallet('lockunspent', false, [{ txid: taken.txid, vout: taken.vout }])
  return taken
}

/** Spends a coin to these outputs and pays the rest, less the fee, to a script of the wallet. */
export const spend = async (
  wallet: Rpc,
  coin: TestCoin,
  outputs: readonly TestOutput[],
  fee: bigint,
): Promise<Signed> => {
  const change = coin.units - outputs.reduce((sum, { units }) => sum + units, 0n) - fee
  if (change < 0n) throw new Error(`the coin has ${btcText(coin.units)} BTC, too little for this`)
  const address = await wallet<string>('getrawchangeaddress')
  const { scriptPubKey } = await wallet<{ scriptPubKey: string }>('getaddressinfo', address)
  const unsigned = serialize(coin, [...outputs, { script: Buffer.from(scriptPubKey, 'hex'), units: change }])
  const { complete, hex } = await wallet<{ complete: boolean; hex: string }>('signrawtransactionwithwallet', unsigned)
  if (!complete) throw new Error('the wallet could not sign')
  const { txid } = await wallet<{ txid: string }>('decoderawtransaction', hex)
  return { raw: hex, hash: txid }
}

/** Version 2, inputs that signal replacement (BIP 125), lock time 0. */
export const serialize = (coins: TestCoin | readonly TestCoin[], outputs: readonly TestOutput[]): string =>
  [
    '02000000',
    compact([coins].flat().length),
    ...[coins]
      .flat()
      .flatMap(({ txid, vout }) => [
        Buffer.from(Buffer.from(txid, 'hex').toReversed()).toString('hex'),
        uint(vout, 4),
        '00',
        'fdffffff',
      ]),
    compact(outputs.length),
    ...outputs.flatMap(({ script, units }) => [
      uint(units, 8),
      compact(script.length),
      Buffer.from(script).toString('hex'),
    ]),
    '00000000',
  ].join('')

const uint = (value: number | bigint, bytes: number): string => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(BigInt(value))
  return buffer.subarray(0, bytes).toString('hex')
}

/** Only lengths below 65,536 come up. */
const compact = (length: number): string => (length < 253 ? uint(length, 1) : `fd${uint(length, 2)}`)
