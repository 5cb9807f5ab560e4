/** What orders of the API have paid of a merchant whose policy limits them, in minutes of the real clock. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import type { Paid } from './store.ts'

/** Sums of one asset in ledger units. The oldest minute counts whole. */
export type PaidByApi = Pick<Paid, 'hour' | 'day'>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Locks the sums of a merchant's payouts until the end of the transaction: those of members and of the API. Taken
 * before the accounts of the ledger.
 */
export const lockSums = async (tx: Tx, merchantId: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payout-sums/${merchantId}`}, 0))`.execute(tx)
}

/** What orders of the API have paid before a time, by ticker. */
export const paidByApi = async (db: Db | Tx, merchantId: string, at: Date): Promise<Map<string, PaidByApi>> => {
  const since = (ms: number): Date => new Date(at.getTime() - ms - MINUTE_MS)
  const { rows } = await sql<PaidByApi & { ticker: string }>`select ticker, sum(units) as day,
      coalesce(sum(units) filter (where minute > ${since(HOUR_MS)}), 0) as hour
    from payout_api_sums where merchant_id = ${merchantId} and minute > ${since(DAY_MS)} group by ticker`.execute(db)
  return new Map(rows.map(({ ticker, ...paid }) => [ticker, paid]))
}

/** Adds a payment of the API, and deletes the merchant's sums that no limit needs any more. The sums are locked. */
export const addToSums = async (
  tx: Tx,
  { merchantId, ticker, units }: { merchantId: string; ticker: string; units: bigint },
  at: Date,
): Promise<void> => {
  const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS)
  await sql`insert into payout_api_sums as s (merchant_id, ticker, minute, units)
    values (${merchantId}, ${ticker}, ${minute}, ${units})
    on conflict (merchant_id, ticker, minute) do update set units = s.units + excluded.units`.execute(tx)
  await sql`delete from payout_api_sums where merchant_id = ${merchantId}
    and minute < ${new Date(at.getTime() - DAY_MS - HOUR_MS)}`.execute(tx)
}

/** What members and the API have paid together. */
export const sumOf = (members: PaidByApi | undefined, api: PaidByApi | undefined): PaidByApi => ({
  hour: (members?.hour ?? 0n) + (api?.hour ?? 0n),
  day: (members?.day ?? 0n) + (api?.day ?? 0n),
})
