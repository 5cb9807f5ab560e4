import { hex } from '@scure/base'
import { Transaction } from '@scure/btc-signer'
import { sha256 } from '@noble/hashes/sha2.js'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { outpointOf, sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import type { KeyOrigin } from './derivation.ts'

export type PsbtVersion = 0 | 2

/** Sequence of every input we make: replaceable by fee (BIP 125), no relative lock time (BIP 68). */
export const REPLACEABLE = 0xfffffffd
/** Version of our transactions, except those that spend an unconfirmed TRUC transaction. */
export const TRANSACTION_VERSION = 2
/**
 * Topologically restricted until confirmation (BIP 431): a transaction that spends an unconfirmed one must have this
 * version too and be small.
 */
export const TRUC_VERSION = 3
/** Maximum virtual bytes of a TRUC transaction that spends an unconfirmed one (BIP 431). */
export const TRUC_CHILD_MAX_VSIZE = 1000

export interface PsbtInput extends Coin {
  sequence: number
  origins: KeyOrigin[]
}

export interface PsbtOutput extends Output {
  origins: KeyOrigin[]
}

/** The inputs and outputs of a PSBT, as far as payouts need them. Other fields are dropped. */
export interface Psbt {
  version: PsbtVersion
  transactionVersion: number
  lockTime: number
  inputs: PsbtInput[]
  outputs: PsbtOutput[]
}

/** Fee in satoshi, by the input amounts that the PSBT states. */
export function psbtFee({ inputs, outputs }: Psbt): bigint {
  return sumOf(inputs) - sumOf(outputs)
}

/**
 * Writes a PSBT (BIP 174, or 370 for version 2) with a witness UTXO for each input. The encoding is canonical. Throws
 * an Error for no inputs or outputs, duplicate inputs, or a script of unknown type.
 */
export function writePsbt(psbt: Psbt): Uint8Array {
  return toTransaction(psbt).toPSBT(psbt.version)
}

/** Txid of the signed transaction, which equals that of the unsigned one, since all inputs are segwit (BIP 141). */
export function unsignedTxid(psbt: Psbt): string {
  const unsigned = toTransaction(psbt).toBytes()
  return hex.encode(sha256(sha256(unsigned)).toReversed())
}

/** Builds the unsigned transaction of @scure/btc-signer with these inputs and outputs and nothing else. */
export function toTransaction(psbt: Psbt): Transaction {
  const { transactionVersion, lockTime, version } = psbt
  if (psbt.inputs.length === 0 || psbt.outputs.length === 0) throw new Error('A transaction has inputs and outputs')
  if (new Set(psbt.inputs.map(outpointOf)).size < psbt.inputs.length) throw new Error('An input is spent twice')
  const transaction = new Transaction({ version: transactionVersion, lockTime, PSBTVersion: version, lowR: true })
  for (const { txid, vout, units, script, sequence, origins } of psbt.inputs) {
    const witnessUtxo = { amount: units, script }
    transaction.addInput({ txid, index: vout, sequence, witnessUtxo, ...derivationField(origins) })
  }
  for (const { script, units, origins } of psbt.outputs) {
    transaction.addOutput({ script, amount: units, ...derivationField(origins) })
  }
  return transaction
}

type DerivationField = { bip32Derivation?: [Uint8Array, { fingerprint: number; path: number[] }][] }

function derivationField(origins: readonly KeyOrigin[]): DerivationField {
  if (origins.length === 0) return {}
  return {
    bip32Derivation: origins.map(({ publicKey, masterFingerprint, path }) => [
      publicKey,
      { fingerprint: masterFingerprint, path: [...path] },
    ]),
  }
}

/**
 * Reads a PSBT of version 0 or 2, ours or another wallet's. An amount comes from the previous transaction where it is
 * attached (its hash is then checked), else from the witness UTXO, which is unproven.
 */
export function parsePsbt(bytes: Uint8Array): Psbt | Refused<'not-parsable'> {
  try {
    return fromTransaction(Transaction.fromPSBT(bytes, { allowUnknownOutputs: true, allowUnknownInputs: true }))
  } catch (error) {
    return refuse('not-parsable', `Not a usable PSBT: ${(error as Error).message}`)
  }
}

function fromTransaction(transaction: Transaction): Psbt {
  const inputs = Array.from({ length: transaction.inputsLength }, (_, at) => readInput(transaction.getInput(at)))
  const outputs = Array.from({ length: transaction.outputsLength }, (_, at) => readOutput(transaction.getOutput(at)))
  return {
    version: transaction.opts.PSBTVersion === 2 ? 2 : 0,
    transactionVersion: transaction.version,
    lockTime: transaction.lockTime,
    inputs,
    outputs,
  }
}

function readInput(input: ReturnType<Transaction['getInput']>): PsbtInput {
  const { txid, index, sequence = 0xffffffff, witnessUtxo, nonWitnessUtxo, bip32Derivation } = input
  const spent = nonWitnessUtxo?.outputs[index!] ?? witnessUtxo
  if (!txid || index === undefined || !spent) throw new Error('an input does not name the output that it spends')
  return {
    txid: hex.encode(txid),
    vout: index,
    units: spent.amount,
    script: spent.script,
    sequence,
    origins: readOrigins(bip32Derivation),
  }
}

function readOutput(output: ReturnType<Transaction['getOutput']>): PsbtOutput {
  const { script, amount, bip32Derivation } = output
  if (!script || amount === undefined) throw new Error('an output has no script or amount')
  return { script, units: amount, origins: readOrigins(bip32Derivation) }
}

type Derivations = readonly (readonly [Uint8Array, { fingerprint: number; path: readonly number[] }])[]

function readOrigins(derivations: Derivations = []): KeyOrigin[] {
  return derivations.map(([publicKey, { fingerprint, path }]) => ({
    publicKey,
    masterFingerprint: fingerprint,
    path: [...path],
  }))
}
