import type { Network } from '@bursar/chainkit'
import { orderErrors } from '@bursar/contract'
import { sql } from 'kysely'
import { refusal } from '../../platform/api/route.ts'
import { DEFAULT_SETTINGS, withdrawalPercents } from '../../merchants/accounts/index.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import { raiseOrRenewAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { Place, Withdrawal } from './withdrawal.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Delay before a withdrawal that exceeds a limit is tried again. */
const WAIT_MS = 60_000
const ALERT = 'merchant-limit'

/** Returns the largest amount that can ever be paid, and the limit that determines it; undefined without a limit. */
const mostAtOnce = (
  { where: { asset, on }, internal }: Place,
  merchantId: string,
  { signer, percents }: DayLimits,
): { units: bigint; span: string } | undefined => {
  const all = signer.get(`${on.network}/${asset.ticker}`)
  if (internal || all === undefined) return undefined
  const own = percents.get(merchantId)
  const hour = (all.hour * BigInt(own?.hour ?? DEFAULT_SETTINGS.withdrawalHourPercent)) / 100n
  const day = (all.day * BigInt(own?.day ?? DEFAULT_SETTINGS.withdrawalDayPercent)) / 100n
  const inTime = hour < day ? { units: hour, span: 'in an hour' } : { units: day, span: 'in a day' }
  return all.payment !== null && all.payment <= inTime.units ? { units: all.payment, span: 'in one payment' } : inTime
}

/** Whether the amount exceeds the limit of a payment, an hour or a day by itself. */
export const isTooLarge = (place: Place, merchantId: string, units: bigint, days: DayLimits): boolean => {
  const most = mostAtOnce(place, merchantId, days)
  return most !== undefined && units > most.units
}

/**
 * Refuses an amount that exceeds the limit of a payment, an hour or a day by itself, because it would never be paid. An
 * amount that exceeds only the rest of a limit waits. Throws an ApiRefusal.
 */
export const checkLargest = (place: Place, merchantId: string, units: bigint, days: DayLimits): void => {
  const most = mostAtOnce(place, merchantId, days)
  if (most === undefined || units <= most.units) return
  const {
    asset: { ticker, scale },
    on: { network },
  } = place.where
  throw refusal(
    orderErrors.amountTooHigh,
    `Withdraw amount too high: at most ${formatUnits(most.units, scale)} ${ticker} leave on ${network} ${most.span}`,
    'amount',
  )
}

interface Remaining {
  merchantId: string
  ticker: string
  /** units that may still be paid in this hour and this day */
  hour: bigint
  day: bigint
}

const keyOf = ({ merchantId, ticker }: Pick<Withdrawal, 'merchantId' | 'ticker'>): string => `${merchantId}/${ticker}`

/**
 * Returns those of one network's waiting withdrawals that fit into the hourly and daily limits of their merchants, in
 * the given order. Each counts once, when it passes. The others wait a minute, with an alert, so that they don't delay
 * the rest.
 */
export const withinLimits = async (runtime: Runtime, waiting: readonly Withdrawal[]): Promise<Withdrawal[]> => {
  if (waiting.length === 0) return []
  const network = waiting[0]!.blockchain
  return inTransaction(runtime.db, async (tx) => {
    const moment = momentOf(runtime)
    // Two workers never count at the same time.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`${ALERT}/${network}`}, 0))`.execute(tx)
    const counted = await passedAmong(tx, waiting)
    const remaining = await remainingOf(tx, network, waiting, moment.at)
    const [passing, held] = [[] as Withdrawal[], [] as Withdrawal[]]
    for (const withdrawal of waiting) {
      if (counted.has(withdrawal.id) || subtractIfLeft(remaining.get(keyOf(withdrawal)), withdrawal.units))
        passing.push(withdrawal)
      else held.push(withdrawal)
    }
    await markPassed(
      tx,
      passing.filter(({ id }) => !counted.has(id)),
      moment.at,
    )
    await putOff(tx, held, new Date(moment.at.getTime() + WAIT_MS))
    for (const { merchantId, ticker } of remaining.values()) {
      const waits = held.filter((one) => one.merchantId === merchantId && one.ticker === ticker)
      const subject = `${merchantId}/${network}/${ticker}`
      const text = `${waits.length} withdrawal(s) of ${ticker} on ${network} of merchant ${merchantId} wait, because its hourly or daily limit is used up. They are sent when the limit allows it. To raise it: \`bursar merchant set ${merchantId} withdrawalDayPercent PERCENT\`, and the same for withdrawalHourPercent`
      if (waits.length > 0) await raiseOrRenewAlert(tx, { kind: ALERT, subject, text }, moment)
      else await resolveAlert(tx, ALERT, subject, moment.at)
    }
    return passing
  })
}

/**
 * Subtracts the units from the rest of the limits, if they fit. An asset without limits of the signer has none
 * here.
 */
const subtractIfLeft = (left: Remaining | undefined, units: bigint): boolean => {
  if (left === undefined) return true
  if (left.hour < units || left.day < units) return false
  left.hour -= units
  left.day -= units
  return true
}

const passedAmong = async (tx: Tx, waiting: readonly Withdrawal[]): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{
    id: string
  }>`select w.id from unnest(${waiting.map((w) => w.merchantId)}::uuid[], ${waiting.map((w) => w.id)}::uuid[]) u(m, i)
    join withdrawals w on w.merchant_id = u.m and w.id = u.i where w.passed_limits_at is not null`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

const remainingOf = async (
  tx: Tx,
  network: Network,
  waiting: readonly Withdrawal[],
  at: Date,
): Promise<Map<string, Remaining>> => {
  const pairs = [...new Map(waiting.map((one) => [keyOf(one), one])).values()]
  const { withdrawalHourPercent, withdrawalDayPercent } = DEFAULT_SETTINGS
  const { rows } = await sql<Remaining>`select u.m as "merchantId", u.t as ticker,
      div(l.per_hour * coalesce((m.settings ->> 'withdrawalHourPercent')::int, ${withdrawalHourPercent}::int), 100) - used.hour as hour,
      div(l.per_day * coalesce((m.settings ->> 'withdrawalDayPercent')::int, ${withdrawalDayPercent}::int), 100) - used.day as day
    from unnest(${pairs.map((p) => p.merchantId)}::uuid[], ${pairs.map((p) => p.ticker)}::text[]) u(m, t)
    join signer_limits l on l.network = ${network} and l.asset = u.t left join merchants m on m.id = u.m
    cross join lateral (select coalesce(sum(w.units), 0) as day, coalesce(sum(w.units) filter (where w.passed_limits_at > ${new Date(at.getTime() - HOUR_MS)}), 0) as hour
      from withdrawals w where w.merchant_id = u.m and w.blockchain = ${network} and w.ticker = u.t and w.passed_limits_at > ${new Date(at.getTime() - DAY_MS)} and w.state <> 'failed') used`.execute(
    tx,
  )
  return new Map(rows.map((left) => [keyOf(left), left]))
}

const markPassed = async (tx: Tx, passing: readonly Withdrawal[], at: Date): Promise<void> => {
  await sql`update withdrawals w set passed_limits_at = ${at} from unnest(${passing.map((w) => w.merchantId)}::uuid[], ${passing.map((w) => w.id)}::uuid[]) u(m, i)
    where w.merchant_id = u.m and w.id = u.i`.execute(tx)
}

const putOff = async (tx: Tx, held: readonly Withdrawal[], until: Date): Promise<void> => {
  await sql`update withdrawals w set not_before = ${until} from unnest(${held.map((w) => w.merchantId)}::uuid[], ${held.map((w) => w.id)}::uuid[]) u(m, i)
    where w.merchant_id = u.m and w.id = u.i and w.state = 'requested'`.execute(tx)
}

/** The signer's limits of one asset on one network, in ledger units. */
export interface SignerLimit {
  network: string
  asset: string
  perPayment: bigint
  perHour: bigint
  perDay: bigint
}

/** The largest amounts that a merchant may ever withdraw in one payment, one hour or one day. */
export interface DayLimits {
  /** the signer's limits, by `NETWORK/TICKER` */
  signer: ReadonlyMap<string, { payment: bigint | null; hour: bigint; day: bigint }>
  /** percentages of those limits, by merchant, where they differ from the default; null: the default */
  percents: ReadonlyMap<string, { hour: number | null; day: number | null }>
}

/** Stores the limits of the signer's current policy. */
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
  return {
    signer: new Map(signer.rows.map(({ key, ...limits }) => [key, limits])),
    percents: await withdrawalPercents(db),
  }
}
