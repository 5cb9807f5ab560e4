import { isEvmNetwork, isRefused, NATIVE_TICKER } from '@bursar/chainkit'
import { parsePsbt, withPrevious } from '@bursar/chainkit/bitcoin'
import { fromHex, isHex, parseUnsigned as parseEvm } from '@bursar/chainkit/evm'
import { parseUnsigned as parseTron } from '@bursar/chainkit/tron'
import type { Catalogue } from '../../market/assets/index.ts'
import { formatUnits, rescale } from '../../platform/money/index.ts'
import type { OfferedTransfer } from './transfer.ts'

/** The file for the machine that signs. Numbers are decimal text; the bytes contain all other fields. */
export interface ColdFile {
  bursar: 'transfer to cold storage'
  id: string
  network: string
  asset: string
  /** for people */
  amount: string
  /** chain units */
  units: string
  from: string[]
  to: string
  /** the most it can cost, in the network's own coin, for people */
  feeAtMost: string
  signBy: string
  /** the decoded bytes, field by field */
  fields: unknown
  /** the fields that a person compares before signing */
  check: string[]
  /** a PSBT in hex, an unsigned transaction with 0x (EVM), or `raw_data` (TRON) */
  unsigned: string
  /**
   * the same in base64 for wallets, with the previous transactions of its inputs while they are stored; on Bitcoin only
   */
  psbt?: string
  /** which keys of the hot wallet sign, below the account's extended key */
  keys: OfferedTransfer['attempt']['keys']
}

export const coldFileOf = (
  { transfer, outgoing, attempt, previous }: OfferedTransfer,
  catalogue: Catalogue,
): ColdFile => {
  const { network, asset: ticker, units, to } = transfer
  const asset = catalogue.findCrypto(ticker)!
  const native = catalogue.findCrypto(NATIVE_TICKER[network])!
  const amount = formatUnits(units, asset.scale)
  const fee = formatUnits(
    rescale(attempt.networkFee, native.networks.get(network)!.decimals, native.scale),
    native.scale,
  )
  const { contract, decimals } = asset.networks.get(network)!
  return {
    bursar: 'transfer to cold storage',
    id: transfer.id,
    network,
    asset: ticker,
    amount,
    units: rescale(units, asset.scale, decimals).toString(),
    from: outgoing.senders,
    to,
    feeAtMost: `${fee} ${native.ticker}`,
    signBy: transfer.expiresAt.toISOString(),
    fields: fieldsOf(network, attempt.unsigned),
    check: [
      `${to} is the cold address you wrote down yourself, character by character`,
      `it pays ${amount} ${ticker}${contract === null ? '' : ` by transfer on the contract ${contract}`}, and ${fee} ${native.ticker} at most to the network`,
      network === 'BITCOIN' ? 'every other output is change that your wallet knows as its own' : 'it does nothing else',
      `you have not signed another transfer of ${ticker} on ${network} since the last one arrived`,
    ],
    unsigned: attempt.unsigned,
    ...(network === 'BITCOIN' && { psbt: Buffer.from(provenPsbt(attempt.unsigned, previous)).toString('base64') }),
    keys: attempt.keys,
  }
}

const provenPsbt = (unsigned: string, previous: OfferedTransfer['previous']): Uint8Array => {
  const bare = Buffer.from(unsigned, 'hex')
  if (previous.size === 0) return bare
  const proven = withPrevious(bare, previous)
  if (isRefused(proven)) throw new Error(`stored transactions are not those that are spent: ${proven.message}`)
  return proven
}

const fieldsOf = (network: OfferedTransfer['transfer']['network'], unsigned: string): unknown => {
  if (network === 'BITCOIN') {
    const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
    if (isRefused(psbt)) throw new Error(`a stored transaction does not parse: ${psbt.message}`)
    return {
      inputs: psbt.inputs.map(({ txid, vout, units }) => ({ coin: `${txid}:${vout}`, satoshi: units.toString() })),
      outputs: psbt.outputs.map(({ script, units, origins }) => ({
        script: Buffer.from(script).toString('hex'),
        satoshi: units.toString(),
        change: origins.length > 0,
      })),
    }
  }
  const parsed =
    isEvmNetwork(network) && isHex(unsigned) ? parseEvm(fromHex(unsigned)) : parseTron(Buffer.from(unsigned, 'hex'))
  if (isRefused(parsed)) throw new Error(`a stored transaction does not parse: ${parsed.message}`)
  return textual(parsed)
}

/** Converts every number that JSON can't represent to text. */
const textual = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field)))
