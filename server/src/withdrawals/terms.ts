import { NETWORKS, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { FeeRate } from '../adapters/chains/port.ts'
import type { Catalogue } from '../assets/index.ts'
import { keepFor } from '../base/kept.ts'
import type { Db } from '../db/index.ts'
import type { StopTerm } from '../orders/index.ts'
import { freshPrices } from '../rates/index.ts'
import { readDayLimits, type DayLimits } from './day-limits.ts'

/** What withdrawals cost and whether they may leave, as rows that jobs refresh said at one moment. */
export interface Terms {
  /** networks whose fee estimate is fresh enough to charge by */
  feeRates: ReadonlyMap<Network, FeeRate>
  /** USD in 1e-18 for one whole unit, by ticker */
  prices: ReadonlyMap<string, bigint>
  freezes: readonly StopTerm[]
  days: DayLimits
}

/** An estimate older than this is not charged by. Real time: prices age whatever the business clock says. */
const LONGEST_AGE_MS = 10 * 60_000

/** Reads the terms of now. */
export const readTerms = async (db: Db, catalogue: Catalogue, now: number): Promise<Terms> => {
  const fees = await sql<{ network: Network; rate: Record<string, string | boolean> }>`select network, rate from network_fees
    where observed_at > ${new Date(now - LONGEST_AGE_MS)}`.execute(db)
  const freezes = await sql<StopTerm>`
    select asset, merchant_id as "merchantId", network, reason from freezes where lifted_at is null`.execute(db)
  const prices = await freshPrices(db, catalogue.crypto.map((asset) => asset.ticker), new Date(now))
  return { feeRates: new Map(fees.rows.map((row) => [row.network, rateOf(row.rate)])), prices, freezes: freezes.rows, days: await readDayLimits(db) }
}

const rateOf = (stored: Record<string, string | boolean>): FeeRate => {
  const units = (name: string): bigint => BigInt(stored[name] as string)
  if (stored.kind === 'vbyte') return { kind: 'vbyte', milliSatPerVb: units('milliSatPerVb') }
  if (stored.kind === 'resources') {
    const [energy, bandwidth] = [units('energy'), units('bandwidth')]
    return { kind: 'resources', energy, bandwidth, accountBandwidth: units('accountBandwidth'), activation: units('activation') }
  }
  const [maxFeePerGas, maxPriorityFeePerGas] = [units('maxFeePerGas'), units('maxPriorityFeePerGas')]
  return { kind: 'gas', legacy: stored.legacy === true, maxFeePerGas, maxPriorityFeePerGas }
}

const KEPT_MS = 500

/** Terms as of at most half a second ago. */
export const createTermsReader = (db: Db, catalogue: Catalogue, now: () => number): (() => Promise<Terms>) => keepFor(KEPT_MS, now, (at) => readTerms(db, catalogue, at))

/**
 * Stores a fee estimate. Small moves are left out, so that a fee a merchant has just been told stays right: up by more
 * than a tenth or down by more than a quarter is stored at once, the rest when the stored one has become old.
 */
export const storeFeeRate = async (db: Db, network: Network, rate: FeeRate, now: number): Promise<void> => {
  if (!NETWORKS.includes(network)) throw new RangeError(`no such network: ${network}`)
  const { rows } = await sql<{ rate: Record<string, string | boolean>; observedAt: Date }>`
    select rate, observed_at as "observedAt" from network_fees where network = ${network}`.execute(db)
  const before = rows[0]
  const text = JSON.stringify(rate, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
  const keep = before !== undefined && now - before.observedAt.getTime() < LONGEST_AGE_MS / 2 && isClose(rateOf(before.rate), rate)
  if (keep) return
  await sql`insert into network_fees(network, rate, observed_at) values (${network}, ${text}, ${new Date(now)})
    on conflict (network) do update set rate = excluded.rate, observed_at = excluded.observed_at`.execute(db)
}

const isClose = (before: FeeRate, now: FeeRate): boolean => {
  const price = (rate: FeeRate): bigint => {
    if (rate.kind === 'vbyte') return rate.milliSatPerVb
    return rate.kind === 'gas' ? rate.maxFeePerGas : rate.energy
  }
  return price(now) * 10n <= price(before) * 11n && price(now) * 4n >= price(before) * 3n
}
