/**
 * The two purposes of a key. Each has its own hardened account: an extended public key of one account, even together
 * with a leaked child key of it, reveals nothing about the other (BIP 44).
 */
export type KeyAccount = 'deposit' | 'hot'

/**
 * The hardened account number of each purpose: `m/84'/coin'/N'` on Bitcoin, `m/44'/60'/N'` on EVM chains,
 * `m/44'/195'/N'` on TRON.
 */
export const ACCOUNT_NUMBER: Readonly<Record<KeyAccount, number>> = { deposit: 0, hot: 1 }

/** First child index that BIP 32 derives from the private key. Not hardened indexes lie below it. */
export const HARDENED = 0x80000000

/** Throws a RangeError unless the index is a plain (not hardened) BIP 32 child index. */
export function assertChildIndex(index: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) {
    throw new RangeError(`A derivation index is a whole number from 0 to ${HARDENED - 1}, not ${index}`)
  }
}

/** First derivation index of the second seed. Lower indexes belong to the first seed (docs/decisions/0210). */
export const SECOND_SEED = 2 ** 30

/** A derivation index of ours as its seed knows it: which of the two seeds, and the BIP 32 child index below it. */
export interface SeedIndex {
  seed: 'first' | 'second'
  index: number
}

/** Returns the seed that a derivation index of ours belongs to, and the child index below that seed. */
export function seedIndex(index: number): SeedIndex {
  return index < SECOND_SEED ? { seed: 'first', index } : { seed: 'second', index: index - SECOND_SEED }
}
