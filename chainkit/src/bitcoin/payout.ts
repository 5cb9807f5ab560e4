import { refuse } from '../refusal.ts'
import type { Refused } from '../refusal.ts'
import { settle } from './change.ts'
import { compareOutpoints, outpointOf, sumOf } from './coin.ts'
import type { Output, SpendableCoin } from './coin.ts'
import type { KeyOrigin } from './derivation.ts'
import { REPLACEABLE, TRANSACTION_VERSION, unsignedTxid, writePsbt } from './psbt.ts'
import type { Psbt, PsbtOutput, PsbtVersion } from './psbt.ts'
import { dustThreshold, feeAt } from './size.ts'

/** Limits of a transaction's fee; both apply. They bound the cost of a faulty fee estimate. */
export interface FeeCaps {
  /** satoshi */
  maxFee: bigint
  /** Thousandths of the sum of the payments; may exceed 1000 for small payments */
  maxFeePerMille: bigint
}

export interface ChangeOutput {
  script: Uint8Array
  /** Lets the signer verify that the change is ours */
  origin?: KeyOrigin
}

/**
 * `as-given`: inputs and payments in the given order, change last. `bip69`: sorted, so that the order does not reveal
 * the change.
 */
export type OutputOrder = 'as-given' | 'bip69'

export interface PayoutRequest {
  /** All of them are spent */
  inputs: readonly SpendableCoin[]
  payments: readonly Output[]
  /** Destination of the remainder, when it is above dust. When absent, the remainder is fee. */
  change?: ChangeOutput
  /** Thousandths of a satoshi for each virtual byte */
  feeRateMilliSatPerVb: bigint
  /** As in `SelectionRequest`: no change output is made if spending it at this rate costs more than its amount */
  laterRateMilliSatPerVb?: bigint
  caps: FeeCaps
  order: OutputOrder
  psbtVersion?: PsbtVersion
}

export interface Payout {
  psbt: Uint8Array
  /** Of the transaction once signed */
  txid: string
  /** satoshi */
  fee: bigint
  /** Virtual bytes once signed, at most */
  vsize: number
  /** satoshi; 0 when there is no change output */
  change: bigint
  changeIndex: number | undefined
  /** Output index of each payment, in the order the payments were given */
  paymentIndexes: number[]
}

export type PayoutRefusal = 'not-enough' | 'dust' | 'fee-too-high'

/**
 * Builds an unsigned transaction that spends all inputs, pays all payments, signals replaceability (BIP 125) and
 * returns the remainder as change. Throws a RangeError for no inputs, no payments or duplicate inputs.
 */
export function buildPayout(request: PayoutRequest): Payout | Refused<PayoutRefusal> {
  const { inputs, payments, change, feeRateMilliSatPerVb, laterRateMilliSatPerVb, caps } = request
  assertShape(inputs, payments)
  const feeFor = (vsize: number): bigint => feeAt(feeRateMilliSatPerVb, vsize)
  const settled = settle(inputs, payments, change?.script, feeFor, laterRateMilliSatPerVb)
  if (!settled) return refuse('not-enough', 'The inputs do not pay the payments and the fee')
  const refusal = judgePayments(payments) ?? judgeFee(settled.fee, payments, caps)
  if (refusal) return refusal
  return arrange(request, settled)
}

export function assertShape(inputs: readonly SpendableCoin[], payments: readonly Output[]): void {
  if (inputs.length === 0 || payments.length === 0) throw new RangeError('A payout has inputs and payments')
  if (new Set(inputs.map(outpointOf)).size !== inputs.length) throw new RangeError('An input is given twice')
}

function judgePayments(payments: readonly Output[]): Refused<'dust'> | undefined {
  const dust = payments.find(({ script, units }) => units < dustThreshold(script))
  return (
    dust &&
    refuse(
      'dust',
      `A payment of ${dust.units} satoshi is below the least that nodes relay (${dustThreshold(dust.script)})`,
    )
  )
}

export function judgeFee(fee: bigint, payments: readonly Output[], caps: FeeCaps): Refused<'fee-too-high'> | undefined {
  const paid = sumOf(payments)
  if (fee > caps.maxFee) return refuse('fee-too-high', `A fee of ${fee} satoshi is above the cap of ${caps.maxFee}`)
  if (fee * 1000n > caps.maxFeePerMille * paid) {
    return refuse('fee-too-high', `A fee of ${fee} satoshi is above ${caps.maxFeePerMille}/1000 of the ${paid} paid`)
  }
  return undefined
}

type Arrangement = Pick<PayoutRequest, 'inputs' | 'payments' | 'change' | 'order' | 'psbtVersion'> & {
  transactionVersion?: number
}

/** Orders inputs and outputs and writes the PSBT. */
export function arrange(
  { inputs, payments, change, order, psbtVersion = 0, transactionVersion = TRANSACTION_VERSION }: Arrangement,
  settled: { fee: bigint; change: bigint; vsize: number },
): Payout {
  const outputs: PsbtOutput[] = payments.map(({ script, units }) => ({ script, units, origins: [] }))
  if (change && settled.change > 0n) {
    outputs.push({ script: change.script, units: settled.change, origins: change.origin ? [change.origin] : [] })
  }
  const sorted = order === 'bip69' ? outputs.toSorted(compareOutputs) : outputs
  const psbt: Psbt = {
    version: psbtVersion,
    transactionVersion,
    lockTime: 0,
    inputs: (order === 'bip69' ? inputs.toSorted(compareOutpoints) : inputs).map(
      ({ txid, vout, units, script, origin }) => ({
        txid,
        vout,
        units,
        script,
        sequence: REPLACEABLE,
        origins: origin ? [origin] : [],
      }),
    ),
    outputs: sorted,
  }
  const changeIndex = settled.change > 0n ? sorted.indexOf(outputs.at(-1)!) : undefined
  const paymentIndexes = payments.map((_, at) => sorted.indexOf(outputs[at]!))
  return { psbt: writePsbt(psbt), txid: unsignedTxid(psbt), ...settled, changeIndex, paymentIndexes }
}

/** By amount, then by script (BIP 69). */
function compareOutputs(a: Output, b: Output): number {
  if (a.units !== b.units) return a.units < b.units ? -1 : 1
  const at = a.script.findIndex((byte, index) => byte !== b.script[index])
  return at < 0 ? a.script.length - b.script.length : a.script[at]! - (b.script[at] ?? -1)
}
