import { isRefused, refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { sumOf } from './coin.ts'
import type { SpendableCoin } from './coin.ts'
import { arrange, assertShape, judgeFee } from './payout.ts'
import type { ChangeOutput, FeeCaps } from './payout.ts'
import { parsePsbt, psbtFee, TRANSACTION_VERSION } from './psbt.ts'
import { INCREMENTAL_RATE } from './replacement.ts'
import { dustThreshold, estimateVsize, feeAt } from './size.ts'

export interface ConsolidationRequest {
  /** All of them are spent */
  inputs: readonly SpendableCoin[]
  /** The one output: an address of our own */
  destination: ChangeOutput
  /** Thousandths of a satoshi for each virtual byte */
  feeRateMilliSatPerVb: bigint
  /** Unconfirmed transactions whose outputs it spends: its fee raises them to the rate (child pays for parent) */
  ancestors?: Ancestors
  /** Version of an unconfirmed transaction that it spends from. A TRUC transaction can only have TRUC children. */
  transactionVersion?: number
  /** Limits of the fee. `maxFeePerMille` is relative to the amount of the output */
  caps: FeeCaps
}

/** Total size and fee of a transaction's unconfirmed ancestors. */
export interface Ancestors {
  /** Virtual bytes */
  vsize: number
  /** Total fee in satoshi */
  fee: bigint
}

export interface Consolidation {
  psbt: Uint8Array
  /** Of the transaction once signed */
  txid: string
  /** satoshi */
  fee: bigint
  /** Virtual bytes once signed, at most */
  vsize: number
  /** Amount of the output in satoshi */
  units: bigint
}

export type ConsolidationRefusal = 'not-parsable' | 'not-enough' | 'fee-too-high'

/**
 * Builds an unsigned transaction that joins our coins into one. Its fee raises the transaction and its ancestors to the
 * rate. Ancestors that pay more than the rate do not reduce the fee. Throws a RangeError for no inputs or duplicate
 * inputs.
 */
export function buildConsolidation(request: ConsolidationRequest): Consolidation | Refused<ConsolidationRefusal> {
  return build(request, undefined)
}

/**
 * Builds a replacement with the same inputs and destination and a fee that nodes accept (BIP 125 rules 3 and 4). The
 * output pays the difference.
 */
export function replaceConsolidation(
  request: Pick<ConsolidationRequest, 'feeRateMilliSatPerVb' | 'ancestors' | 'caps'> & {
    /** The PSBT of the consolidation to replace */
    original: Uint8Array
    /** Thousandths of a satoshi for each virtual byte, the nodes' `-incrementalrelayfee` (BIP 125 rule 4) */
    incrementalRateMilliSatPerVb?: bigint
  },
): Consolidation | Refused<ConsolidationRefusal> {
  const original = parsePsbt(request.original)
  if (isRefused(original)) return original
  const [output, ...more] = original.outputs
  if (!output || more.length > 0) return refuse('not-parsable', 'A consolidation has one output')
  const [origin] = output.origins
  const inputs = original.inputs.map(({ origins: [of], txid, vout, units, script }) => {
    return { txid, vout, units, script, ...(of && { origin: of }) }
  })
  const destination = { script: output.script, ...(origin && { origin }) }
  const { incrementalRateMilliSatPerVb: increment = INCREMENTAL_RATE, ...rest } = request
  return build(
    { ...rest, inputs, destination, transactionVersion: original.transactionVersion },
    { fee: psbtFee(original), increment },
  )
}

function build(
  {
    inputs,
    destination,
    feeRateMilliSatPerVb: rate,
    ancestors,
    transactionVersion = TRANSACTION_VERSION,
    caps,
  }: ConsolidationRequest,
  replaced: { fee: bigint; increment: bigint } | undefined,
): Consolidation | Refused<ConsolidationRefusal> {
  assertShape(inputs, [{ ...destination, units: 0n }])
  const vsize = estimateVsize(
    inputs.map(({ script }) => script),
    [destination.script],
  )
  const wanted = [
    feeAt(rate, vsize),
    ancestors ? feeAt(rate, vsize + ancestors.vsize) - ancestors.fee : 0n,
    replaced ? replaced.fee + feeAt(replaced.increment, vsize) : 0n,
  ]
  const fee = wanted.reduce((most, one) => (one > most ? one : most))
  const units = sumOf(inputs) - fee
  if (units < dustThreshold(destination.script)) {
    return refuse('not-enough', `The coins hold ${sumOf(inputs)} satoshi, which a fee of ${fee} would use up`)
  }
  const refusal = judgeFee(fee, [{ script: destination.script, units }], caps)
  if (refusal) return refusal
  const plan = { inputs, payments: [], change: destination, order: 'as-given' as const, transactionVersion }
  const { psbt, txid } = arrange(plan, { fee, change: units, vsize })
  return { psbt, txid, fee, vsize, units }
}
