import { NETWORKS, type Network } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { FeeRate } from '../../adapters/chains/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import type { Db } from '../../platform/db/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { readStops, type StopTerm } from '../../ledger/stops/index.ts'
import { readDayLimits, type DayLimits } from './day-limits.ts'
import type { PaymentGas } from './pricing.ts'

/** What withdrawals cost and whether they may leave, as rows that jobs refresh said at one moment. */
export interface Terms {
  /** networks whose fee estimate is fresh enough to charge by */
  feeRates: ReadonlyMap<Network, FeeRate>
  /** gas of a payment to a new account, by ticker, as nodes of EVM chains estimate it; empty where none does */
  paymentGas: ReadonlyMap<Network, PaymentGas>
  /** USD in 1e-18 for one whole unit, by ticker */
  prices: ReadonlyMap<string, bigint>
  stops: readonly StopTerm[]
  days: DayLimits
}

/** An estimate older than this is not charged by. Real time: prices age whatever the business clock says. */
const LONGEST_AGE_MS = 10 * 60_000

/** Reads the terms of now. */
export const readTerms = async (db: Db, catalogue: Catalogue, now: number): Promise<Terms> => {
  const fees = await sql<{
    network: Network
    rate: Record<string, string | boolean>
    gas: Record<string, string>
  }>`select network, rate, payment_gas as gas from network_fees
    where observed_at > ${new Date(now - LONGEST_AGE_MS)}`.execute(db)
  const stops = await readStops(db)
  const prices = await freshPrices(
    db,
    catalogue.crypto.map((asset) => asset.ticker),
    new Date(now),
  )
  const feeRates = new Map(fees.rows.map((row) => [row.network, rateOf(row.rate)]))
  const paymentGas = new Map(fees.rows.map((row) => [row.network, gasOf(row.gas)]))
  return { feeRates, paymentGas, prices, stops, days: await readDayLimits(db) }
}

const rateOf = (stored: Record<string, string | boolean>): FeeRate => {
  const units = (name: string): bigint => BigInt(stored[name] as string)
  if (stored.kind === 'vbyte') return { kind: 'vbyte', milliSatPerVb: units('milliSatPerVb') }
  if (stored.kind === 'resources') {
    const [energy, bandwidth] = [units('energy'), units('bandwidth')]
    return {
      kind: 'resources',
      energy,
      bandwidth,
      accountBandwidth: units('accountBandwidth'),
      activation: units('activation'),
    }
  }
  const [maxFeePerGas, maxPriorityFeePerGas] = [units('maxFeePerGas'), units('maxPriorityFeePerGas')]
  return { kind: 'gas', legacy: stored.legacy === true, maxFeePerGas, maxPriorityFeePerGas }
}

const gasOf = (stored: Record<string, string>): PaymentGas =>
  new Map(Object.entries(stored).map(([ticker, gas]) => [ticker, BigInt(gas)]))

const KEPT_MS = 500

/** Terms as of at most half a second ago. */
export const createTermsReader = (db: Db, catalogue: Catalogue, now: () => number): (() => Promise<Terms>) =>
  cacheFor(KEPT_MS, now, (at) => readTerms(db, catalogue, at))

/**
 * Stores a fee estimate, and what gas payments take: where no estimate came now, the last one stays. Small moves are
 * left out, so that a fee a merchant has just been told stays right: up by more than a tenth or down by more than a
 * quarter is stored at once, the rest when the stored one has become old.
 */
export const storeFeeRate = async (
  db: Db,
  network: Network,
  rate: FeeRate,
  now: number,
  measured: PaymentGas = new Map(),
): Promise<void> => {
  if (!NETWORKS.includes(network)) throw new RangeError(`no such network: ${network}`)
  const { rows } = await sql<{ rate: Record<string, string | boolean>; gas: Record<string, string>; observedAt: Date }>`
    select rate, payment_gas as gas, observed_at as "observedAt" from network_fees where network = ${network}`.execute(
    db,
  )
  const before = rows[0]
  const gasBefore = gasOf(before?.gas ?? {})
  const gas = new Map([...gasBefore, ...measured])
  const isYoung = before !== undefined && now - before.observedAt.getTime() < LONGEST_AGE_MS / 2
  if (
    isYoung &&
    isClose(priceOf(rateOf(before.rate)), priceOf(rate)) &&
    [...gas].every(([ticker, units]) => isClose(gasBefore.get(ticker) ?? 0n, units))
  )
    return
  await sql`insert into network_fees(network, rate, payment_gas, observed_at) values (${network}, ${textOf(rate)}, ${textOf(Object.fromEntries(gas))}, ${new Date(now)})
    on conflict (network) do update set rate = excluded.rate, payment_gas = excluded.payment_gas, observed_at = excluded.observed_at`.execute(
    db,
  )
}

const textOf = (value: object): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))

const priceOf = (rate: FeeRate): bigint => {
  if (rate.kind === 'vbyte') return rate.milliSatPerVb
  return rate.kind === 'gas' ? rate.maxFeePerGas : rate.energy
}

const isClose = (before: bigint, now: bigint): boolean => now * 10n <= before * 11n && now * 4n >= before * 3n
