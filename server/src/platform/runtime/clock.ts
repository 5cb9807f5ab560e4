/**
 * Two times. `now` is the real one (ms): authentication, webhook stamps and timeouts use it. `business` runs ahead of
 * it by the offset in the database, 0 outside a sandbox: expiry, leases and retry schedules use it.
 */
export interface Clock {
  readonly now: () => number
  readonly business: () => number
}

/** The machine's clock, with an offset that `follow` keeps equal to the database's. */
export interface OffsetClock extends Clock {
  readonly setOffset: (ms: number) => void
}

export const createClock = (now: () => number = Date.now): OffsetClock => {
  let offset = 0
  return {
    now,
    business: () => now() + offset,
    setOffset: (ms) => {
      offset = ms
    },
  }
}
