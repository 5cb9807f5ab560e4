import { sumOf } from './coin.ts'
import type { Coin, Output } from './coin.ts'
import { dustThreshold, estimateVsize } from './size.ts'

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
 * `feeFor` names the fee of a size. Change that would be dust is fee instead.
 */
export function settle(
  coins: readonly Coin[],
  outputs: readonly Output[],
  changeScript: Uint8Array | undefined,
  feeFor: (vsize: number) => bigint,
): Settlement | undefined {
  const rest = sumOf(coins) - sumOf(outputs)
  const inputScripts = coins.map(({ script }) => script)
  const outputScripts = outputs.map(({ script }) => script)
  if (changeScript) {
    const vsize = estimateVsize(inputScripts, [...outputScripts, changeScript])
    const change = rest - feeFor(vsize)
    if (change >= dustThreshold(changeScript)) return { fee: rest - change, change, vsize }
  }
  const vsize = estimateVsize(inputScripts, outputScripts)
  return rest >= feeFor(vsize) ? { fee: rest, change: 0n, vsize } : undefined
}
