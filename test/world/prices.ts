/** Prices as the job of prices stores them. They are inserted raw: the job refuses a price that jumps. */
import { sql } from 'kysely'
import type { Runtime } from '../../server/src/platform/runtime/runtime.ts'

/** @param usd by ticker: one whole unit in USD, in 1e-18 */
export const setPrices = async (
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  usd: Readonly<Record<string, bigint>>,
): Promise<void> => {
  const seenAt = new Date(clock.now())
  for (const [ticker, price] of Object.entries(usd))
    await sql`insert into rates(ticker, usd_e18, source, observed_at) values (${ticker}, ${price}, 'test', ${seenAt})
      on conflict (ticker) do update set usd_e18 = excluded.usd_e18, observed_at = excluded.observed_at`.execute(db)
}
