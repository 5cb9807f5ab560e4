import { sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import { dustThreshold, estimateVsize, inputFeeAt } from './size.ts'

export interface Settlement {
  /** satoshi */
  fee: bigint
  /** satoshi; 0 when the transaction has no change output */
  change: bigint
  /** Virtual bytes, at most */
  vsize: number
}

/**
 * Splits the rest of these coins after the outputs into fee and change. Returns undefined when the rest does not cover
 * the fee. `feeFor` returns the fee of a size. Change below `leastChange` is added to the fee.
 */
export function settle(
  coins: readonly Coin[],
  outputs: readonly Output[],
  changeScript: Uint8Array | undefined,
  feeFor: (vsize: number) => bigint,
  laterRateMilliSatPerVb = 0n,
): Settlement | undefined {
  const rest = sumOf(coins) - sumOf(outputs)
  const inputScripts = coins.map(({ script }) => script)
  const outputScripts = outputs.map(({ script }) => script)
  if (changeScript) {
    const vsize = estimateVsize(inputScripts, [...outputScripts, changeScript])
    const change = rest - feeFor(vsize)
    if (change >= leastChange(changeScript, laterRateMilliSatPerVb)) return { fee: rest - change, change, vsize }
  }
  const vsize = estimateVsize(inputScripts, outputScripts)
  return rest >= feeFor(vsize) ? { fee: rest, change: 0n, vsize } : undefined
}

/**
 * Smallest change output worth making, in satoshi: nodes relay it, and it exceeds the cost of spending it at this rate
 * (thousandths of a satoshi per virtual byte). A smaller amount is added to the fee, which speeds up mining.
 */
export function leastChange(script: Uint8Array, laterRateMilliSatPerVb: bigint): bigint {
  const dust = dustThreshold(script)
  if (laterRateMilliSatPerVb === 0n) return dust
  const worth = inputFeeAt(laterRateMilliSatPerVb, script) + 1n
  return worth > dust ? worth : dust
}
