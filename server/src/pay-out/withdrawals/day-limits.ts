import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'

/** What the signer lets go of one asset on one network, in ledger units. */
export interface SignerLimit {
  network: string
  asset: string
  perPayment: bigint
  perHour: bigint
  perDay: bigint
}

/** Largest amounts that a merchant may withdraw in one payment, an hour and a day at all. */
export interface DayLimits {
  /** the signer's, by `NETWORK/TICKER` */
  signer: ReadonlyMap<string, { payment: bigint | null; hour: bigint; day: bigint }>
  /** percents of them, of merchants who have others than the standard ones; null: the standard one */
  percents: ReadonlyMap<string, { hour: number | null; day: number | null }>
}

/** Keeps what the signer's policy says now. */
export const storeSignerLimits = async (db: Db, limits: readonly SignerLimit[], at: Date): Promise<void> => {
  await sql`with given as (
      select * from unnest(${limits.map((l) => l.network)}::text[], ${limits.map((l) => l.asset)}::text[],
        ${limits.map((l) => l.perPayment.toString())}::numeric[], ${limits.map((l) => l.perHour.toString())}::numeric[],
        ${limits.map((l) => l.perDay.toString())}::numeric[]) u(network, asset, per_payment, per_hour, per_day)),
    gone as (delete from signer_limits l where not exists (select from given g where g.network = l.network and g.asset = l.asset))
    insert into signer_limits(network, asset, per_payment, per_hour, per_day, read_at) select network, asset, per_payment, per_hour, per_day, ${at} from given
    on conflict (network, asset) do update set per_payment = excluded.per_payment, per_hour = excluded.per_hour, per_day = excluded.per_day, read_at = excluded.read_at`.execute(
    db,
  )
}

export const readDayLimits = async (db: Db | Tx): Promise<DayLimits> => {
  const signer = await sql<{
    key: string
    payment: bigint | null
    hour: bigint
    day: bigint
  }>`select network || '/' || asset as key, per_payment as payment, per_hour as hour, per_day as day from signer_limits`.execute(
    db,
  )
  const percents = sql`id, (settings ->> 'withdrawalHourPercent')::int as hour, (settings ->> 'withdrawalDayPercent')::int as day`
  // Each part has an index of its own, with few merchants in it.
  const merchants = await sql<{
    id: string
    hour: number | null
    day: number | null
  }>`select ${percents} from merchants where settings ? 'withdrawalDayPercent'
    union select ${percents} from merchants where settings ? 'withdrawalHourPercent'`.execute(db)
  return {
    signer: new Map(signer.rows.map(({ key, ...limits }) => [key, limits])),
    percents: new Map(merchants.rows.map(({ id, hour, day }) => [id, { hour, day }])),
  }
}
