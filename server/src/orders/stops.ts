import { sql } from 'kysely'
import type { Db } from '../db/index.ts'
import type { StopTerm } from './request.ts'

/** One reading serves every request for this long, so that a request costs no query. */
const KEPT_MS = 500

/** What is stopped, as of at most half a second ago. Concurrent callers share one reading. @param now ms */
export const createStopsReader = (db: Db, now: () => number): (() => Promise<readonly StopTerm[]>) => {
  let kept: { at: number; stops: Promise<readonly StopTerm[]> } | undefined
  return () => {
    const at = now()
    if (kept === undefined || at - kept.at > KEPT_MS) {
      const stops = readStops(db)
      kept = { at, stops }
      stops.catch(() => {
        kept = undefined
      })
    }
    return kept.stops
  }
}

const readStops = async (db: Db): Promise<readonly StopTerm[]> => {
  const { rows } = await sql<StopTerm>`select asset, merchant_id as "merchantId", network, reason from freezes where lifted_at is null`.execute(db)
  return rows
}
