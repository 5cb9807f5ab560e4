import { scriptTypeOf } from './script.ts'
import type { ScriptType } from './script.ts'

/** Weight units in one virtual byte (BIP 141). */
export const WEIGHT_PER_VBYTE = 4
/** Version and lock time, in weight units. */
const FIXED_WEIGHT = 8 * WEIGHT_PER_VBYTE
/** Segwit marker and flag. */
const SEGWIT_WEIGHT = 2
/** Outpoint and sequence, in bytes. */
const OUTPOINT_AND_SEQUENCE = 40
const AMOUNT_BYTES = 8
/** Longest low-S signature with its sighash byte; ours are one byte shorter, so an estimate is never too small. */
const SIGNATURE_BYTES = 72
const PUBLIC_KEY_BYTES = 33
const SCHNORR_BYTES = 64

/** Weight units of an input that spends an output of this type; undefined when they depend on a hidden script. */
function inputWeight(type: ScriptType): number | undefined {
  const keyAndSignature = 1 + SIGNATURE_BYTES + 1 + PUBLIC_KEY_BYTES
  switch (type) {
    case 'p2wpkh':
      return (OUTPOINT_AND_SEQUENCE + 1) * WEIGHT_PER_VBYTE + 1 + keyAndSignature
    case 'p2tr':
      return (OUTPOINT_AND_SEQUENCE + 1) * WEIGHT_PER_VBYTE + 1 + 1 + SCHNORR_BYTES
    case 'p2pkh':
      // One more unit: beside segwit inputs it carries an empty witness.
      return (OUTPOINT_AND_SEQUENCE + 1 + keyAndSignature) * WEIGHT_PER_VBYTE + 1
    default:
      return undefined
  }
}

/** Weight units of an input that spends this script by its key. Throws a RangeError for scripts that hide another. */
export function inputWeightOf(script: Uint8Array): number {
  const type = scriptTypeOf(script)
  const weight = type && inputWeight(type)
  if (weight === undefined) throw new RangeError(`The size of spending a ${type ?? 'non-standard'} output is unknown`)
  return weight
}

/** Weight units of an output with this script. */
export function outputWeightOf(script: Uint8Array): number {
  return (AMOUNT_BYTES + compactSizeBytes(script.length) + script.length) * WEIGHT_PER_VBYTE
}

/** Weight units of everything except inputs and outputs. */
export function overheadWeight(inputCount: number, outputCount: number): number {
  return (
    FIXED_WEIGHT + SEGWIT_WEIGHT + (compactSizeBytes(inputCount) + compactSizeBytes(outputCount)) * WEIGHT_PER_VBYTE
  )
}

/** Virtual bytes of a weight: a quarter, rounded up (BIP 141). */
export function vsizeOf(weight: number): number {
  return Math.ceil(weight / WEIGHT_PER_VBYTE)
}

/** The fee of an input that spends this script, in satoshi, at a rate in millisatoshi for each virtual byte. */
export function inputFeeAt(milliSatPerVb: bigint, script: Uint8Array): bigint {
  return feeAt(milliSatPerVb, vsizeOf(inputWeightOf(script)))
}

/** Upper bound of the virtual bytes of a signed transaction; at most one byte per input above the actual size. */
export function estimateVsize(inputScripts: readonly Uint8Array[], outputScripts: readonly Uint8Array[]): number {
  let weight = overheadWeight(inputScripts.length, outputScripts.length)
  for (const script of inputScripts) weight += inputWeightOf(script)
  for (const script of outputScripts) weight += outputWeightOf(script)
  return vsizeOf(weight)
}

function compactSizeBytes(count: number): number {
  if (count < 0xfd) return 1
  return count <= 0xffff ? 3 : 5
}

/** Bitcoin Core's `-dustrelayfee` default, in thousandths of a satoshi per virtual byte. */
const DUST_RATE_MILLI_SAT_PER_VB = 3000n
/** Bytes that Core counts for spending an output later, with the witness discount (`GetDustThreshold`). */
const SPEND_BYTES_WITNESS = 67
const SPEND_BYTES_LEGACY = 148

/** Least satoshi that nodes relay in an output of this script (Bitcoin Core's `GetDustThreshold`). */
export function dustThreshold(script: Uint8Array): bigint {
  const type = scriptTypeOf(script)
  const spend = type === 'p2pkh' || type === 'p2sh' ? SPEND_BYTES_LEGACY : SPEND_BYTES_WITNESS
  const bytes = outputWeightOf(script) / WEIGHT_PER_VBYTE + spend
  return feeAt(DUST_RATE_MILLI_SAT_PER_VB, bytes)
}

/** Satoshi for this many virtual bytes at a rate in thousandths of a satoshi each, rounded up. */
export function feeAt(rateMilliSatPerVb: bigint, vsize: number): bigint {
  return (rateMilliSatPerVb * BigInt(vsize) + 999n) / 1000n
}
