import { cacheFor } from '../../platform/base/cache.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Leg } from './leg.ts'
import { listLegs } from './leg-store.ts'

/** The legs that price something now, and why the others don't. */
export interface Legs {
  open: ReadonlyMap<string, Leg & { observedAt: Date; middle: bigint }>
  closed: ReadonlyMap<string, string>
  /** of closed ones the last middle that was believed, 1e-18, and when; absent: none is known */
  last?: ReadonlyMap<string, { middle: bigint; at: Date }>
}

/** A leg that was not read for so long prices nothing. Real time: prices age whatever the business clock says. */
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

/** Legs as of at most half a second ago. */
export const createLegsReader = (db: Db, now: () => number): (() => Promise<Legs>) =>
  cacheFor(CACHED_MS, now, (at) => readLegs(db, at))
