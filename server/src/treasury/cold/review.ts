import { isEvmNetwork, isRefused } from '@bursar/chainkit'
import { parsePsbt, readSigned } from '@bursar/chainkit/bitcoin'
import { parseSigned as parseEvm, serializeUnsigned as serializeEvm } from '@bursar/chainkit/evm'
import { parseSigned as parseTron, serializeUnsigned as serializeTron } from '@bursar/chainkit/tron'
import type { OfferedTransfer } from './transfer.ts'

/** Signed bytes as the network accepts them (hex; with 0x on EVM chains), and the transaction's hash. */
export interface Reviewed {
  raw: string
  hash: string
}

/**
 * Compares signed bytes with the offered transaction. They are accepted only if every field is the same and the
 * requested key has signed; otherwise the result is a text with the reason.
 */
export const reviewSigned = (
  { outgoing, attempt }: Pick<OfferedTransfer, 'outgoing' | 'attempt'>,
  bytes: Uint8Array,
): Reviewed | string => {
  if (outgoing.network === 'BITCOIN') return reviewBitcoin(attempt.unsigned, bytes)
  const unsigned = Buffer.from(attempt.unsigned.replace(/^0x/, ''), 'hex')
  const isEvm = isEvmNetwork(outgoing.network)
  const parsed = isEvm ? readEvm(bytes) : readTron(bytes)
  if (typeof parsed === 'string') return parsed
  if (Buffer.compare(parsed.unsigned, unsigned) !== 0)
    return 'it is another transaction than the one that was handed out'
  if (parsed.from !== outgoing.senders[0])
    return `it is signed by the key of ${parsed.from}, not of ${outgoing.senders[0]}`
  return { raw: `${isEvm ? '0x' : ''}${Buffer.from(bytes).toString('hex')}`, hash: parsed.hash }
}

const reviewBitcoin = (unsigned: string, bytes: Uint8Array): Reviewed | string => {
  const psbt = parsePsbt(Buffer.from(unsigned, 'hex'))
  if (isRefused(psbt)) throw new Error(`a stored transaction does not parse: ${psbt.message}`)
  const signed = readSigned(psbt, bytes)
  return isRefused(signed) ? signed.message : { raw: Buffer.from(signed.raw).toString('hex'), hash: signed.txid }
}

interface Parsed {
  unsigned: Uint8Array
  from: string
  hash: string
}

const readEvm = (bytes: Uint8Array): Parsed | string => {
  const parsed = parseEvm(bytes)
  if (isRefused(parsed)) return parsed.message
  return { unsigned: serializeEvm(parsed.transaction), from: parsed.from, hash: parsed.hash }
}

const readTron = (bytes: Uint8Array): Parsed | string => {
  const parsed = parseTron(bytes)
  if (isRefused(parsed)) return parsed.message
  return { unsigned: serializeTron(parsed.transaction), from: parsed.from, hash: parsed.hash }
}
