import { totalsOf } from '../../ledger/postings/index.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** A venue's balance of an asset and the books' balance, at one moment; ledger units. */
export interface VenueLine {
  venue: string
  asset: string
  onVenue: bigint
  booked: bigint
  comparedAt: Date
  /** since when the two have differed without interruption */
  offSince: Date | null
}

/** Returns the books' balances at a venue, by asset. */
export const bookedOn = async (db: Db | Tx, venue: string): Promise<Map<string, bigint>> =>
  new Map([...(await totalsOf(db, `venue:${venue}`))].map(([asset, units]) => [asset, -units]))

export const storeLine = async (
  tx: Tx,
  { venue, asset, onVenue, booked }: Pick<VenueLine, 'venue' | 'asset' | 'onVenue' | 'booked'>,
  isOff: boolean,
  at: Date,
): Promise<VenueLine> => {
  const { rows } =
    await sql<VenueLine>`insert into venue_balances(venue, asset, on_venue, booked, compared_at, off_since)
    values (${venue}, ${asset}, ${onVenue}, ${booked}, ${at}, ${isOff ? at : null})
    on conflict (venue, asset) do update set on_venue = excluded.on_venue, booked = excluded.booked, compared_at = excluded.compared_at,
      off_since = case when excluded.off_since is null then null else coalesce(venue_balances.off_since, excluded.off_since) end
    returning venue, asset, on_venue as "onVenue", booked, compared_at as "comparedAt", off_since as "offSince"`.execute(
      tx,
    )
  return rows[0]!
}

export const listVenueLines = async (db: Db): Promise<VenueLine[]> => {
  const { rows } =
    await sql<VenueLine>`select venue, asset, on_venue as "onVenue", booked, compared_at as "comparedAt", off_since as "offSince"
    from venue_balances order by venue, asset`.execute(db)
  return rows
}

/**
 * Returns one of these assets of which two comparisons in a row found less on the venue than in the books; undefined
 * when there is none.
 */
export const isDrifting = async (db: Db, venue: string, assets: readonly string[]): Promise<string | undefined> => {
  const { rows } = await sql<{
    asset: string
  }>`select asset from venue_balances where venue = ${venue} and asset = any(${[...assets]}::text[])
    and off_since < compared_at and on_venue < booked limit 1`.execute(db)
  return rows[0]?.asset
}

/** Counts the fills that were rounded to an asset's units, by at most one unit each. */
export const fillsOf = async (db: Db | Tx, venue: string): Promise<Map<string, number>> => {
  const { rows } = await sql<{ asset: string; fills: number }>`select t.asset, count(*) as fills from hedge_fills f,
    lateral (values (f.base), (f.quote), (f.fee_asset)) t(asset) where f.venue = ${venue} and t.asset is not null group by t.asset`.execute(
    db,
  )
  return new Map(rows.map(({ asset, fills }) => [asset, fills]))
}
