import { SECOND_SEED, seedIndex } from '@bursar/chainkit'
import type { AddressFamily } from './family.ts'

/*
 * The two seeds of an installation (docs/decisions/0210). A derivation index from `SECOND_SEED` on belongs to the
 * second seed. Only Bitcoin can have one.
 */

/** Keys of Bitcoin, those of an active second seed too. */
export interface BitcoinSeeds {
  bitcoin: unknown
  next?: unknown
}

/** Returns the first derivation index of the seed that new addresses of a family come from. */
export const firstIndex = (keys: BitcoinSeeds, family: AddressFamily): number =>
  family === 'BITCOIN' && keys.next !== undefined ? SECOND_SEED : 0

/**
 * Returns the keys that an index of Bitcoin derives from, and the child index below them. Throws an Error when the
 * index belongs to the second seed and these keys have none: the first seed must not derive it, because the signer
 * would not sign for it.
 */
export const seedOfBitcoin = <Own>(keys: Own & { next?: Own }, index: number): { keys: Own; index: number } => {
  const own = seedIndex(index)
  if (own.seed === 'first') return { keys, index }
  if (keys.next === undefined)
    throw new Error(
      `index ${index} on Bitcoin belongs to a second seed, whose keys BURSAR_XPUBS_FILE lacks: print it anew with \`bursar-signer xpubs\` and restart`,
    )
  return { keys: keys.next, index: own.index }
}
