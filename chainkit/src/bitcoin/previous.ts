import { RawTx, Transaction } from '@scure/btc-signer'
import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { parsePsbt, writePsbt } from './psbt.ts'

/**
 * A PSBT with the transaction that each input spends from, without signatures (`PSBT_IN_NON_WITNESS_UTXO`, BIP 174, as
 * Bitcoin Core writes it). BIP 143 signs the amount of one input at a time: a signer that has no more than stated
 * amounts can be asked twice, with another one wrong each time, and both valid halves together pay what it never saw as
 * a fee (CVE-2020-14199).
 * @param previous raw transactions by txid; more than needed is left out
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
      return refuse('other', `What is given for ${txid} is not what input ${at} spends: ${(error as Error).message}`)
    }
  }
  return transaction.toPSBT(bare.version)
}

/**
 * The PSBT as chainkit writes it, once every input is proven: its amount and script are those of the transaction that
 * is given with it and hashes to its txid.
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

/** A transaction as its txid is made of. Throws for what is none. */
export function withoutWitnesses(raw: Uint8Array): Uint8Array {
  const { version, inputs, outputs, lockTime } = RawTx.decode(raw)
  return RawTx.encode({ version, segwitFlag: false, inputs, outputs, witnesses: undefined, lockTime })
}
