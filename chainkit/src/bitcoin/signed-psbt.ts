import { hex } from '@scure/base'
import { RawTx, SigHash } from '@scure/btc-signer'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { p2wpkhScript } from './derivation.ts'
import { toTransaction, unsignedTxid } from './psbt.ts'
import type { Psbt } from './psbt.ts'
import { finalize, parseTransaction } from './transaction.ts'
import type { FinalTransaction } from './transaction.ts'

/** `other`: a different transaction. `not-signed`: an input lacks the valid signature of the key that owns it. */
export type SignedPsbtRefusal = 'not-parsable' | 'other' | 'not-signed'

/** `psbt` and 0xff, with which a PSBT begins (BIP 174). */
const PSBT_MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff)

/**
 * Reads the result of an external signer: the PSBT with its signatures, or the serialised transaction. It is accepted
 * only if its txid is that of the PSBT handed out, so that inputs and outputs are the same, and if every input has a
 * valid signature over all of it (SIGHASH_ALL, BIP 143) by the key of the script it spends. Never throws.
 */
export function readSigned(psbt: Psbt, bytes: Uint8Array): FinalTransaction | Refused<SignedPsbtRefusal> {
  const isPsbt = PSBT_MAGIC.every((byte, at) => bytes[at] === byte)
  const final = isPsbt ? finalize(bytes) : { raw: bytes }
  if ('refused' in final) return final
  const parsed = parseTransaction(final.raw)
  if ('refused' in parsed) return parsed
  const wanted = unsignedTxid(psbt)
  if (parsed.txid !== wanted) return refuse('other', `This is transaction ${parsed.txid}, not ${wanted}`)
  const unsigned = unsignedInput(psbt, final.raw)
  if (unsigned !== undefined)
    return refuse('not-signed', `Input ${unsigned} has no valid signature of its key over the whole transaction`)
  return { raw: final.raw, txid: parsed.txid, vsize: parsed.vsize }
}

/** The first input whose witness is not the signature and the key of its script. */
function unsignedInput(psbt: Psbt, raw: Uint8Array): number | undefined {
  const { witnesses = [] } = RawTx.decode(raw)
  const transaction = toTransaction(psbt)
  const at = psbt.inputs.findIndex(({ script, units }, index) => {
    const [signature, publicKey, ...more] = witnesses[index] ?? []
    if (!signature || !publicKey || more.length > 0 || signature.at(-1) !== SigHash.ALL) return true
    if (hex.encode(p2wpkhScript(publicKey)) !== hex.encode(script)) return true
    // The script code of a P2WPKH input (BIP 143): the P2PKH script of the key's hash.
    const code = Uint8Array.of(0x76, 0xa9, 0x14, ...script.slice(2), 0x88, 0xac)
    const hash = transaction.preimageWitnessV0(index, code, SigHash.ALL, units)
    return !isValid(signature.slice(0, -1), hash, publicKey)
  })
  return at < 0 ? undefined : at
}

/** Consensus allows a high s, but no node relays it (BIP 146). */
function isValid(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, hash, publicKey, { prehash: false, format: 'der', lowS: true })
  } catch {
    return false
  }
}
