import type { Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { ConsolidationPolicy } from './policy.ts'

const SLOT_MS = 10 * 60_000

/** Stores one fee rate for each 10 minutes, the first that was read, and deletes those older than the window. */
export const noteRate = async (db: Db, network: Network, rate: bigint, at: Date, windowMs: number): Promise<void> => {
  const slot = new Date(Math.floor(at.getTime() / SLOT_MS) * SLOT_MS)
  const { rows } = await sql`insert into fee_rates_seen(network, slot, rate) values (${network}, ${slot}, ${rate})
    on conflict do nothing returning 1`.execute(db)
  if (rows.length === 0) return
  await sql`delete from fee_rates_seen where network = ${network} and slot < ${new Date(at.getTime() - windowMs)}`.execute(
    db,
  )
}

/** Whether a rate is at or below the percentile of the rates in the window. False while there are too few of them. */
export const isLow = async (
  db: Db,
  network: Network,
  rate: bigint,
  at: Date,
  { percentile, windowMs, leastSeen }: Pick<ConsolidationPolicy, 'percentile' | 'windowMs' | 'leastSeen'>,
): Promise<boolean> => {
  if (percentile >= 100) return true
  const { rows } = await sql<{ seen: number; low: bigint | null }>`select count(*)::int as seen,
      percentile_disc(${percentile / 100}) within group (order by rate) as low
    from fee_rates_seen where network = ${network} and slot >= ${new Date(at.getTime() - windowMs)}`.execute(db)
  const { seen, low } = rows[0]!
  return low !== null && seen >= leastSeen && rate <= low
}
