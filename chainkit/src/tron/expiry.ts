/**
 * Nothing on TRON makes two transactions compete: there is no coin and no nonce that both use up. A payment is made
 * anew only when its transaction has expired and is proven dead, and this long after, by the clock of the person who
 * signs.
 */
export const REBUILD_AFTER_MS = 10 * 60_000
/** java-tron takes no transaction that expires later than this after the head (`MAXIMUM_TIME_UNTIL_EXPIRATION`). */
export const MAX_LIFETIME_MS = 24 * 60 * 60_000

/** True when a payment may be signed anew whose last transaction expires then. Both in ms since the epoch. */
export function mayRebuild(expiration: number, now: number): boolean {
  return now >= expiration + REBUILD_AFTER_MS
}
