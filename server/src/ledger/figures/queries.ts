import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** What raised a balance on one day by causes of one kind. */
export interface DailyReceipt {
  /** in UTC, as `2026-11-28` */
  day: string
  asset: string
  entries: number
  /** ledger units */
  units: bigint
}

/**
 * What a merchant received since a day, by day and asset.
 * @param causes the kinds of causes that count
 */
export const receivedOf = async (
  db: Db,
  merchantId: string,
  since: string,
  causes: readonly string[],
): Promise<DailyReceipt[]> => {
  const { rows } =
    await sql<DailyReceipt>`select to_char(day, 'YYYY-MM-DD') as day, asset, sum(entries)::bigint as entries, sum(units) as units
    from daily_figures where merchant_id = ${merchantId} and day >= ${since}::date and cause = any(${[...causes]}::text[])
    group by daily_figures.day, asset order by daily_figures.day, asset`.execute(db)
  return rows
}

/** What raised a balance in some days, by the kind of its cause. */
export interface CountedCredits {
  sums: readonly { cause: string; entries: number; units: bigint }[]
  /** the version of the newest counted entry of these days; null: none is counted */
  countedTo: number | null
}

/**
 * The sums of the entries that raised a balance, by cause.
 * @param first the first day, as `2026-10-01`
 * @param end the day after the last one
 */
export const creditsOf = async (
  db: Db,
  merchantId: string,
  asset: string,
  { first, end }: { first: string; end: string },
): Promise<CountedCredits> => {
  const { rows: sums } = await sql<CountedCredits['sums'][number]>`select cause,
      sum(entries)::bigint as entries, sum(units) as units
    from daily_figures where merchant_id = ${merchantId} and asset = ${asset}
      and day >= ${first}::date and day < ${end}::date
    group by cause order by cause`.execute(db)
  const { rows } = await sql<{ version: number }>`select version from daily_balances
    where merchant_id = ${merchantId} and asset = ${asset} and day >= ${first}::date and day < ${end}::date
    order by day desc limit 1`.execute(db)
  return { sums, countedTo: rows[0]?.version ?? null }
}

/** A balance at the end of a day with entries; ledger units. */
export interface DailyBalance {
  day: string
  asset: string
  units: bigint
}

/** Balances at the end of each day with entries since a day, and at the end of the newest such day before it. */
export const dailyBalancesOf = async (
  db: Db,
  merchantId: string,
  since: string,
  assets: readonly string[],
): Promise<DailyBalance[]> => {
  const { rows } = await sql<DailyBalance>`select to_char(b.day, 'YYYY-MM-DD') as day, b.asset, b.posted as units
    from unnest(${[...assets]}::text[]) a(asset) cross join lateral (
      (select d.day, d.asset, d.posted from daily_balances d where d.merchant_id = ${merchantId} and d.asset = a.asset and d.day >= ${since}::date)
      union all
      (select d.day, d.asset, d.posted from daily_balances d where d.merchant_id = ${merchantId} and d.asset = a.asset and d.day < ${since}::date
        order by d.day desc limit 1)) b
    order by b.day, b.asset`.execute(db)
  return rows
}
