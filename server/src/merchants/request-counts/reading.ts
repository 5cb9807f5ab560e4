import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The requests of one key to one operation. */
export interface OperationCounts {
  keyId: string
  operation: string
  /** in the last 24 hours, and in the last seven days */
  day: number
  week: number
  /** of the week: answered with a status of 400 or higher */
  refused: number
  /** of the week */
  meanMs: number
  slowestMs: number
}

const HOUR_MS = 3_600_000

/** The counts of a merchant until a time of the real clock, the most frequent first. Begun hours count whole. */
export const countsOf = async (db: Db, merchantId: string, at: Date, most: number): Promise<OperationCounts[]> => {
  const since = (hours: number): Date => new Date(at.getTime() - hours * HOUR_MS)
  return (
    await sql<OperationCounts>`select key_id as "keyId", operation,
        coalesce(sum(requests) filter (where hour > ${since(24)}), 0)::float8 as day, sum(requests)::float8 as week,
        sum(refused)::float8 as refused, (sum(total_ms) / sum(requests))::float8 as "meanMs",
        max(slowest_ms) as "slowestMs"
      from request_counts where merchant_id = ${merchantId} and hour > ${since(7 * 24)} and requests > 0
      group by key_id, operation order by week desc, operation, key_id limit ${most}`.execute(db)
  ).rows
}
