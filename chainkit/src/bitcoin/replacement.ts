import { isRefused, refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { settle } from './change.ts'
import type { SpendableCoin } from './coin.ts'
import { arrange, assertShape, judgeFee } from './payout.ts'
import type { ChangeOutput, FeeCaps, Payout } from './payout.ts'
import { parsePsbt, psbtFee } from './psbt.ts'
import type { Psbt, PsbtInput } from './psbt.ts'
import { estimateVsize, feeAt } from './size.ts'

export interface ReplacementRequest {
  /** The PSBT of the transaction to replace */
  original: Uint8Array
  /** Which of its outputs is change, if any */
  changeIndex: number | undefined
  /** Change output to add when the original has none and the extra inputs leave a remainder */
  change?: ChangeOutput
  /** Additional inputs, used in this order and only as needed. Confirmed coins only (BIP 125 rule 2). */
  extraInputs?: readonly SpendableCoin[]
  /** Minimum fee rate of the replacement, in thousandths of a satoshi per virtual byte */
  feeRateMilliSatPerVb: bigint
  /**
   * Total fees in satoshi of the transactions that the replacement evicts, when these are more than the original:
   * earlier replacements, and descendants that spend its change (BIP 125 rule 3)
   */
  replacedFees?: bigint
  /** Thousandths of a satoshi for each virtual byte, the nodes' `-incrementalrelayfee` (BIP 125 rule 4) */
  incrementalRateMilliSatPerVb?: bigint
  caps: FeeCaps
}

export type ReplacementRefusal = 'not-parsable' | 'not-enough' | 'fee-too-high'

/** Bitcoin Core's default until version 30 lowered it; sufficient for any node. */
export const INCREMENTAL_RATE = 1000n

/**
 * Builds a transaction that conflicts with the original by spending all of its inputs, makes the same payments in the
 * same order (change, if any, comes last), and pays a fee that nodes accept for a replacement. The change pays the
 * difference. Extra inputs are added only when the change does not suffice. `paymentIndexes` refers to the original's
 * outputs without its change. Throws a RangeError when an extra input is already an input of the original.
 */
export function buildReplacement(request: ReplacementRequest): Payout | Refused<ReplacementRefusal> {
  const original = parsePsbt(request.original)
  if (isRefused(original)) return original
  const { changeIndex, extraInputs = [], caps } = request
  const originalCoins = original.inputs.map(asCoin)
  const payments = original.outputs.filter((_, at) => at !== changeIndex)
  assertShape([...originalCoins, ...extraInputs], payments)
  const change = originalChange(original, changeIndex) ?? request.change

  for (let added = 0; added <= extraInputs.length; added++) {
    const inputs = [...originalCoins, ...extraInputs.slice(0, added)]
    const settled = settle(inputs, payments, change?.script, (vsize) => leastFee(request, original, vsize))
    if (!settled) continue
    const plan = {
      inputs,
      payments,
      order: 'as-given' as const,
      psbtVersion: original.version,
      ...(change && { change }),
    }
    return judgeFee(settled.fee, payments, caps) ?? arrange(plan, settled)
  }
  return refuse('not-enough', 'Change and extra inputs do not pay a fee that replaces the original: offer more inputs')
}

function originalChange({ outputs }: Psbt, changeIndex: number | undefined): ChangeOutput | undefined {
  if (changeIndex === undefined) return undefined
  const change = outputs[changeIndex]
  if (!change) throw new RangeError(`The original has no output ${changeIndex}`)
  const [origin] = change.origins
  return { script: change.script, ...(origin && { origin }) }
}

function asCoin({ txid, vout, units, script, origins: [origin] }: PsbtInput): SpendableCoin {
  return { txid, vout, units, script, ...(origin && { origin }) }
}

/**
 * Minimum fee: the highest of the wanted rate, the fee by BIP 125 rules 3 and 4, and one satoshi above the original's
 * fee rate.
 */
function leastFee(request: ReplacementRequest, original: Psbt, vsize: number): bigint {
  const fee = psbtFee(original)
  const { feeRateMilliSatPerVb, replacedFees = fee, incrementalRateMilliSatPerVb = INCREMENTAL_RATE } = request
  const originalVsize = estimateVsize(
    original.inputs.map(({ script }) => script),
    original.outputs.map(({ script }) => script),
  )
  const wanted = feeAt(feeRateMilliSatPerVb, vsize)
  const relayed = (replacedFees > fee ? replacedFees : fee) + feeAt(incrementalRateMilliSatPerVb, vsize)
  const betterRate = (fee * BigInt(vsize)) / BigInt(originalVsize) + 1n
  return [wanted, relayed, betterRate].reduce((most, one) => (one > most ? one : most))
}
