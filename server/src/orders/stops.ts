import { sql } from 'kysely'
import { keepFor } from '../base/kept.ts'
import type { Db } from '../db/index.ts'
import type { StopTerm } from './request.ts'

const KEPT_MS = 500

/** What is stopped, as of at most half a second ago. @param now ms */
export const createStopsReader = (db: Db, now: () => number): (() => Promise<readonly StopTerm[]>) => keepFor(KEPT_MS, now, () => readStops(db))

const readStops = async (db: Db): Promise<readonly StopTerm[]> => {
  const { rows } = await sql<StopTerm>`select asset, merchant_id as "merchantId", network, reason from freezes where lifted_at is null`.execute(db)
  return rows
}
