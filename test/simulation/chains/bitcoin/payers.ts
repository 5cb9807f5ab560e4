/**
 * People outside who pay bitcoins: keys and coins of their own, no wallet of the node, so that a seed gives the same
 * transactions.
 */
import { createHash } from 'node:crypto'
import { Address, OutScript, p2wpkh, Transaction } from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'
import { isRefused } from '@bursar/chainkit'
import { parseAddress } from '@bursar/chainkit/bitcoin'
import { RpcError, type Rpc } from '../../../../sandbox/rpc.ts'
import type { Random } from '../../../../sandbox/random.ts'
import type { Payment } from '../chain.ts'

export const REGTEST = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef }

export interface Payers {
  pay(payment: Payment): Promise<string>
  /** Spends the coins of a payment otherwise, at a higher fee. @returns null when it is not a payer's, or refused */
  replace(hash: string): Promise<string | null>
  /** The same, signed and not broadcast; undefined: not a payer's. */
  instead(hash: string): string | undefined
  /**
   * Whether a payment was handed to a miner, as no node relays it (row B-27: a payment may first be seen in its block).
   */
  isWithMiner(hash: string): boolean
  /** whether it is in no block yet */
  waitsAtMiner(hash: string): boolean
  /** Raw payments that a miner has and no block yet. */
  takeFromMiner(): string[]
}

interface Coin {
  txid: string
  index: number
  units: bigint
}

interface Sent {
  coins: readonly Coin[]
  fee: bigint
}

const KEY = createHash('sha256').update('bursar simulation payer').digest()
const { address: PAYER, script: SCRIPT } = p2wpkh(pubECDSA(KEY), REGTEST)
/** After these, the first twenty are spendable: a coinbase is after 100 more blocks. */
const FIRST_BLOCKS = 120
const MATURITY = 100
const SPLIT = 1_000
/** Satoshis for each virtual byte, and the size of a payment with one input more than it usually has. */
const FEE_RATE = 5n
const VBYTES = { base: 12n, input: 68n, output: 43n }
const REPLACES_BY = 4n

/** Mines the first blocks, and splits their coins into many. */
export const openPayers = async (rpc: Rpc): Promise<Payers> => {
  await rpc('generatetoaddress', FIRST_BLOCKS, PAYER)
  const mature: Coin[] = []
  for (let height = 1; height <= FIRST_BLOCKS - MATURITY; height += 1) {
    const block = await rpc<{ tx: Shown[] }>('getblock', await rpc('getblockhash', height), 2)
    mature.push(...coinsOf(block.tx[0]!))
  }
  /** Oldest first. Those whose transaction waits are passed over. */
  const coins: Coin[] = []
  const sent = new Map<string, Sent>()
  const withMiner = new Map<string, string>()
  const wereWithMiner = new Set<string>()
  const sign = (
    given: readonly Coin[],
    outputs: readonly { script: Uint8Array; units: bigint }[],
  ): { raw: string; txid: string } => {
    const transaction = new Transaction({ allowUnknownOutputs: true })
    for (const { txid, index, units } of given)
      transaction.addInput({ txid, index, sequence: 0xff_ff_ff_fd, witnessUtxo: { script: SCRIPT, amount: units } })
    for (const { script, units } of outputs) transaction.addOutput({ script, amount: units })
    transaction.sign(KEY)
    transaction.finalize()
    return { raw: Buffer.from(transaction.extract()).toString('hex'), txid: transaction.id }
  }
  const total = sumOf(mature)
  const share = total / BigInt(SPLIT) - 100n * FEE_RATE
  const split = sign(
    mature,
    Array.from({ length: SPLIT }, () => ({ script: SCRIPT, units: share })),
  )
  await rpc('sendrawtransaction', split.raw, 0)
  for (let index = 0; index < SPLIT; index += 1) coins.push({ txid: split.txid, index, units: share })
  await rpc('generatetoaddress', 1, PAYER)

  /** Takes the oldest confirmed coins that nothing spends. */
  const take = async (wanted: bigint): Promise<Coin[]> => {
    const taken: Coin[] = []
    for (let left = coins.length; left > 0 && sumOf(taken) < wanted + feeOf(taken.length + 1, 3); left -= 1) {
      const coin = coins.shift()!
      const output = await rpc<{ confirmations: string } | null>('gettxout', coin.txid, coin.index, true)
      if (output === null) {
        if (withMiner.has(coin.txid)) coins.push(coin)
        continue
      }
      if (Number(output.confirmations) > 0) taken.push(coin)
      else coins.push(coin)
    }
    if (sumOf(taken) < wanted + feeOf(taken.length, 3)) throw new Error(`the payers have no ${wanted} satoshis left`)
    return taken
  }
  const back = (given: readonly Coin[], fee: bigint): string => {
    const { raw, txid } = sign(given, [{ script: SCRIPT, units: sumOf(given) - fee }])
    coins.push({ txid, index: 0, units: sumOf(given) - fee })
    sent.set(txid, { coins: given, fee })
    return raw
  }
  return {
    pay: async ({ ticker, to, units, how = 'plain' }) => {
      if (ticker !== 'BTC') throw new RangeError(`${ticker} is not on Bitcoin`)
      const parsed = parseAddress(to, 'regtest')
      if (isRefused(parsed)) throw new RangeError(parsed.message)
      if (how !== 'plain' && how !== 'two-outputs') throw new RangeError(`it cannot be paid by ${how}`)
      const outputs = Array.from({ length: how === 'plain' ? 1 : 2 }, () => ({ script: parsed.script, units }))
      const given = await take(units * BigInt(outputs.length))
      const fee = feeOf(given.length, outputs.length + 1)
      const change = sumOf(given) - units * BigInt(outputs.length) - fee
      const { raw, txid } = sign(given, [...outputs, { script: SCRIPT, units: change }])
      await rpc('sendrawtransaction', raw).catch((error: unknown) => {
        if (!(error instanceof RpcError && error.message.includes('dust'))) throw error
        withMiner.set(txid, raw)
        wereWithMiner.add(txid)
      })
      coins.push({ txid, index: outputs.length, units: change })
      sent.set(txid, { coins: given, fee })
      return txid
    },
    replace: async (hash) => {
      const old = sent.get(hash)
      if (old === undefined || wereWithMiner.has(hash)) return null
      return rpc<string>('sendrawtransaction', back(old.coins, old.fee * REPLACES_BY)).catch((error: unknown) => {
        if (error instanceof RpcError) return null
        throw error
      })
    },
    instead: (hash) => {
      const old = sent.get(hash)
      return old && back(old.coins, old.fee * REPLACES_BY)
    },
    isWithMiner: (hash) => wereWithMiner.has(hash),
    waitsAtMiner: (hash) => withMiner.has(hash),
    takeFromMiner: () => {
      const raws = [...withMiner.values()]
      withMiner.clear()
      return raws
    },
  }
}

interface Shown {
  txid: string
  vout: { value: string; n: string; scriptPubKey: { address?: string } }[]
}

const coinsOf = ({ txid, vout }: Shown): Coin[] =>
  vout.flatMap(({ value, n, scriptPubKey }) =>
    scriptPubKey.address === PAYER ? [{ txid, index: Number(n), units: BigInt(value.replace('.', '')) }] : [],
  )

const sumOf = (coins: readonly Coin[]): bigint => coins.reduce((sum, { units }) => sum + units, 0n)
const feeOf = (inputs: number, outputs: number): bigint =>
  FEE_RATE * (VBYTES.base + BigInt(inputs) * VBYTES.input + BigInt(outputs) * VBYTES.output)

/** An address of an outside person, whose coins stay unspent. */
export const newOutsideAddress = (random: Random): string =>
  Address(REGTEST).encode(OutScript.decode(Buffer.concat([Buffer.from('0014', 'hex'), random.bytes(20)])))
