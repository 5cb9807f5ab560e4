import { cacheFor } from '../../platform/base/cache.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Leg } from './leg.ts'
import { listLegs } from './leg-store.ts'

/** The open markets, and the reasons why the others are closed. */
export interface Legs {
  open: ReadonlyMap<string, Leg & { observedAt: Date; middle: bigint }>
  closed: ReadonlyMap<string, string>
  /** last accepted middle of each market, open or closed, 1e-18, and its time; a market without one is absent */
  last?: ReadonlyMap<string, { middle: bigint; at: Date }>
}

/** A market that was last read longer ago is closed. In real time: prices age independently of the business clock. */
const LEG_OLDEST_MS = 20_000

export const readLegs = async (db: Db, now: number): Promise<Legs> => {
  const open = new Map<string, Leg & { observedAt: Date; middle: bigint }>()
  const closed = new Map<string, string>()
  const last = new Map<string, { middle: bigint; at: Date }>()
  for (const leg of await listLegs(db)) {
    const { ticker, closedBecause, believed, believedAt, observedAt } = leg
    if (believed !== null && believedAt !== null) last.set(ticker, { middle: believed, at: believedAt })
    if (closedBecause !== null || believed === null) closed.set(ticker, closedBecause ?? 'never believed yet')
    else if (observedAt.getTime() < now - LEG_OLDEST_MS) closed.set(ticker, `last read at ${observedAt.toISOString()}`)
    else open.set(ticker, { ...leg, observedAt, middle: believed })
  }
  return { open, closed, last }
}

const CACHED_MS = 500

/** Reads the markets, from a cache of at most half a second. */
export const createLegsReader = (db: Db, now: () => number): (() => Promise<Legs>) =>
  cacheFor(CACHED_MS, now, (at) => readLegs(db, at))
