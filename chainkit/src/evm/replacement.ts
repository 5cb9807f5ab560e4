import type { UnsignedTransaction } from './transaction.ts'

/** Prices of a replacement, in wei for each unit of gas. */
export type Prices = { gasPrice: bigint } | { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** The least that nodes take in place of a price: an eighth more, rounded up, never the same (geth asks a tenth). */
export function raisedPrice(price: bigint): bigint {
  const eighth = (price + 7n) / 8n
  return price + (eighth > 0n ? eighth : 1n)
}

/**
 * The same transaction, nonce and all, at prices that nodes accept in its place: each raised by at least an eighth, or
 * to what is wanted now if that is more.
 */
export function replaceAtHigherPrice<T extends UnsignedTransaction>(original: T, wanted?: Partial<Prices>): T
export function replaceAtHigherPrice(
  original: UnsignedTransaction,
  wanted: { gasPrice?: bigint; maxFeePerGas?: bigint; maxPriorityFeePerGas?: bigint } = {},
): UnsignedTransaction {
  if (original.type === 'legacy') {
    return { ...original, gasPrice: higher(raisedPrice(original.gasPrice), wanted.gasPrice) }
  }
  const maxPriorityFeePerGas = higher(raisedPrice(original.maxPriorityFeePerGas), wanted.maxPriorityFeePerGas)
  const maxFeePerGas = higher(raisedPrice(original.maxFeePerGas), wanted.maxFeePerGas)
  return { ...original, maxPriorityFeePerGas, maxFeePerGas: higher(maxFeePerGas, maxPriorityFeePerGas) }
}

function higher(a: bigint, b: bigint | undefined): bigint {
  return b !== undefined && b > a ? b : a
}
