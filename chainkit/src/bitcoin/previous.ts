import { RawTx, Transaction } from '@scure/btc-signer'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { parsePsbt, writePsbt } from './psbt.ts'

/**
 * Adds to a PSBT the transaction that each input spends from, without its signatures (`PSBT_IN_NON_WITNESS_UTXO`, BIP
 * 174, as Bitcoin Core writes it). This protects signers that see stated amounts only: a BIP 143 signature covers the
 * amount of its own input only. Such a signer can be asked twice, each time with one wrong amount, and the two valid
 * signatures combined pay a fee that it never saw (CVE-2020-14199).
 * @param previous raw transactions by txid; unneeded ones are ignored
 */
export function withPrevious(
  psbt: Uint8Array,
  previous: ReadonlyMap<string, Uint8Array>,
): Uint8Array | Refused<'not-parsable' | 'missing' | 'other'> {
  const bare = parsePsbt(psbt)
  if ('refused' in bare) return bare
  const transaction = Transaction.fromPSBT(psbt, { allowUnknownOutputs: true, allowUnknownInputs: true })
  for (const [at, { txid }] of bare.inputs.entries()) {
    const raw = previous.get(txid)
    if (!raw) return refuse('missing', `Input ${at} spends from ${txid}, which is not given`)
    try {
      transaction.updateInput(at, { nonWitnessUtxo: withoutWitnesses(raw) })
    } catch (error) {
      return refuse(
        'other',
        `the transaction given for ${txid} is not the one that input ${at} spends: ${(error as Error).message}`,
      )
    }
  }
  return transaction.toPSBT(bare.version)
}

/**
 * Verifies every input and returns the PSBT without the previous transactions, as chainkit writes it. An input is valid
 * if its amount and script match the attached transaction and that transaction hashes to the input's txid.
 */
export function withoutPrevious(psbt: Uint8Array): Uint8Array | Refused<'not-parsable' | 'missing'> {
  const parsed = parsePsbt(psbt)
  if ('refused' in parsed) return parsed
  const transaction = Transaction.fromPSBT(psbt, { allowUnknownOutputs: true, allowUnknownInputs: true })
  const bare = parsed.inputs.findIndex((_, at) => !transaction.getInput(at).nonWitnessUtxo)
  if (bare >= 0) return refuse('missing', `Input ${bare} comes without the transaction it spends from`)
  try {
    return writePsbt(parsed)
  } catch (error) {
    return refuse('not-parsable', `Not a usable PSBT: ${(error as Error).message}`)
  }
}

/**
 * Returns a transaction without witnesses: the bytes whose hash is the txid. Throws when the bytes are not a
 * transaction.
 */
export function withoutWitnesses(raw: Uint8Array): Uint8Array {
  const { version, inputs, outputs, lockTime } = RawTx.decode(raw)
  return RawTx.encode({ version, segwitFlag: false, inputs, outputs, witnesses: undefined, lockTime })
}
