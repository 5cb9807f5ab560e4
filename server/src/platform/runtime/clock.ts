/**
 * Two clocks, in ms. `now` is real time, used for authentication, timestamps of notifications and timeouts. `business`
 * is ahead of it by the offset in the database, 0 outside a sandbox; it is used for expiry, leases and retry schedules.
 */
export interface Clock {
  readonly now: () => number
  readonly business: () => number
}

/** The machine's clock with an offset. `followOffset` keeps it equal to the database's. */
export interface OffsetClock extends Clock {
  /** how far `business` is ahead of `now`, in ms */
  readonly offset: () => number
  readonly setOffset: (ms: number) => void
}

export const createClock = (now: () => number = Date.now): OffsetClock => {
  let offset = 0
  return {
    now,
    business: () => now() + offset,
    offset: () => offset,
    setOffset: (ms) => {
      offset = ms
    },
  }
}
