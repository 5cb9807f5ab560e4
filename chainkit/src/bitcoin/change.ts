import { sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import { dustThreshold, estimateVsize, feeAt, inputWeightOf, vsizeOf } from './size.ts'

export interface Settlement {
  /** satoshi */
  fee: bigint
  /** satoshi; 0 when the transaction has no change output */
  change: bigint
  /** Virtual bytes, at most */
  vsize: number
}

/**
 * What is left for fee and change when these coins pay these outputs, or undefined when they do not pay the fee.
 * `feeFor` names the fee of a size. Change below `leastChange` is fee instead.
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
 * The least satoshi worth returning: what nodes relay, and more than spending it costs when that is done at this rate
 * (thousandths of a satoshi for each virtual byte). Less is better given to the miner, who then mines sooner.
 */
export function leastChange(script: Uint8Array, laterRateMilliSatPerVb: bigint): bigint {
  const dust = dustThreshold(script)
  if (laterRateMilliSatPerVb === 0n) return dust
  const worth = feeAt(laterRateMilliSatPerVb, vsizeOf(inputWeightOf(script))) + 1n
  return worth > dust ? worth : dust
}
