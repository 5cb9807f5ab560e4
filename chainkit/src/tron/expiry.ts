/**
 * TRON transactions have no inputs or nonces, so two of them never conflict. A payment is built again only after its
 * transaction has expired and is proven dead, and this long after its expiration, by the caller's clock.
 */
export const REBUILD_AFTER_MS = 10 * 60_000
/** java-tron rejects a transaction that expires later than this after the head (`MAXIMUM_TIME_UNTIL_EXPIRATION`). */
export const MAX_LIFETIME_MS = 24 * 60 * 60_000

/**
 * Whether a payment may be signed again, by the expiration of its last transaction. Both arguments in ms since the
 * epoch.
 */
export function mayRebuild(expiration: number, now: number): boolean {
  return now >= expiration + REBUILD_AFTER_MS
}
