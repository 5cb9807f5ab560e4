import { hex } from '@scure/base'
import { RawTx, Transaction } from '@scure/btc-signer'
import { sha256 } from '@noble/hashes/sha2.js'
import { isRefused, refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import type { Output } from './coin.ts'
import { parsePsbt, toTransaction } from './psbt.ts'
import { WEIGHT_PER_VBYTE, vsizeOf } from './size.ts'

export interface ParsedTransaction {
  txid: string
  version: number
  lockTime: number
  inputs: { txid: string; vout: number; sequence: number }[]
  outputs: Output[]
  /** Virtual bytes */
  vsize: number
}

export interface FinalTransaction {
  /** Serialised bytes, as they are broadcast */
  raw: Uint8Array
  txid: string
  vsize: number
}

/** Parses a serialised transaction with any scripts. Signatures are not verified. */
export function parseTransaction(raw: Uint8Array): ParsedTransaction | Refused<'not-parsable'> {
  try {
    const { version, inputs, outputs, lockTime } = RawTx.decode(raw)
    const stripped = RawTx.encode({ version, segwitFlag: false, inputs, outputs, witnesses: undefined, lockTime })
    return {
      txid: hex.encode(sha256(sha256(stripped)).toReversed()),
      version,
      lockTime,
      inputs: inputs.map(({ txid, index, sequence }) => ({ txid: hex.encode(txid), vout: index, sequence })),
      outputs: outputs.map(({ amount, script }) => ({ script, units: amount })),
      vsize: vsizeOf(stripped.length * (WEIGHT_PER_VBYTE - 1) + raw.length),
    }
  } catch (error) {
    return refuse('not-parsable', `Not a Bitcoin transaction: ${(error as Error).message}`)
  }
}

/** A low-S signature with its sighash byte, as ours are, and a compressed public key. */
const OUR_WITNESS = [new Uint8Array(71), new Uint8Array(33)]

/**
 * Builds the transaction of an unsigned PSBT with invalid signatures as long as ours. A node's pool checks everything
 * else first. Every input must be one of our own (P2WPKH).
 */
export function asIfSigned(unsignedPsbt: Uint8Array): Uint8Array | Refused<'not-parsable'> {
  const psbt = parsePsbt(unsignedPsbt)
  if (isRefused(psbt)) return psbt
  const { version, inputs, outputs, lockTime } = RawTx.decode(toTransaction(psbt).toBytes())
  return RawTx.encode({
    version,
    segwitFlag: true,
    inputs,
    outputs,
    witnesses: inputs.map(() => OUR_WITNESS),
    lockTime,
  })
}

/** Builds the final transaction of a PSBT that has all signatures. Signatures are not verified. */
export function finalize(signedPsbt: Uint8Array): FinalTransaction | Refused<'not-parsable' | 'not-signed'> {
  let transaction: Transaction
  try {
    transaction = Transaction.fromPSBT(signedPsbt)
  } catch (error) {
    return refuse('not-parsable', `Not a usable PSBT: ${(error as Error).message}`)
  }
  try {
    return extract(transaction)
  } catch (error) {
    return refuse('not-signed', `This PSBT is not ready to broadcast: ${(error as Error).message}`)
  }
}

export function extract(transaction: Transaction): FinalTransaction {
  if (!transaction.isFinal) transaction.finalize()
  return { raw: transaction.extract(), txid: transaction.id, vsize: transaction.vsize }
}
