import type { UnsignedTransaction } from './transaction.ts'

/** Prices of a replacement, in wei for each unit of gas. */
export type Prices = { gasPrice: bigint } | { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/**
 * Lowest price that nodes accept for a replacement: at least an eighth higher, rounded up, never equal (geth requires a
 * tenth).
 */
export function raisedPrice(price: bigint): bigint {
  const eighth = (price + 7n) / 8n
  return price + (eighth > 0n ? eighth : 1n)
}

/**
 * Returns the same transaction, with the same nonce, at prices that nodes accept for a replacement: each is raised by
 * an eighth, or to the wanted price if that is higher.
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
