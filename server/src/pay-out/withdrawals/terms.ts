import { type EvmNetwork, NATIVE_TICKER, type Network, NETWORKS } from '@bursar/chainkit'
import { sql } from 'kysely'
import type { AccountChainAdapter, FeeRate } from '../../adapters/chains/port.ts'
import { addressWithoutHistory, paymentCall } from '../../chain/transactions/index.ts'
import { readStops, type StopTerm } from '../../ledger/stops/index.ts'
import { type AssetOnNetwork, type Catalogue, chargeOf, type CryptoAsset } from '../../market/assets/index.ts'
import { freshPrices } from '../../market/rates/index.ts'
import { cacheFor } from '../../platform/base/cache.ts'
import type { Db } from '../../platform/db/index.ts'
import { mulDiv, rescale } from '../../platform/money/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { type DayLimits, readDayLimits } from './limits.ts'

/** The costs and rules of withdrawals, read at one moment from rows that jobs refresh. */
export interface Terms {
  /** networks with a fee estimate that is recent enough */
  feeRates: ReadonlyMap<Network, FeeRate>
  /** gas of a payment to a new account, by ticker, as estimated by the nodes of EVM chains; empty without estimates */
  paymentGas: ReadonlyMap<Network, PaymentGas>
  /** USD in 1e-18 for one whole unit, by ticker */
  prices: ReadonlyMap<string, bigint>
  stops: readonly StopTerm[]
  days: DayLimits
}

/** An older estimate determines no fee. Real time: prices age independently of the business clock. */
const LONGEST_AGE_MS = 10 * 60_000

/** Reads the current terms. */
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

const CACHED_MS = 500

/** Returns terms that are at most half a second old. */
export const createTermsReader = (db: Db, catalogue: Catalogue, now: () => number): (() => Promise<Terms>) =>
  cacheFor(CACHED_MS, now, (at) => readTerms(db, catalogue, at))

/**
 * Stores a fee estimate and the gas of payments; without a new gas estimate the stored one remains. Small changes are
 * skipped, so that a fee that a merchant has just read remains valid: an increase by more than a tenth or a decrease by
 * more than a quarter is stored at once, any other change when the stored estimate is old.
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

/**
 * The network resources that are charged for one payment: an ordinary share of a batched Bitcoin transaction, and at
 * least the gas of a plain call.
 */
const PAYMENT_VBYTES = 145n
const NATIVE_GAS = 21_000n
const TOKEN_GAS = 65_000n
/** On TRON: bytes of bandwidth, and energy of a USDT transfer to a receiver without USDT. */
const PAYMENT_BANDWIDTH = 268n
const TOKEN_BANDWIDTH = 345n
const TOKEN_ENERGY = 130_285n

/** Units of gas of a payment to an account without history, by ticker. */
export type PaymentGas = ReadonlyMap<string, bigint>

/** A fee has at most this many decimals; it is rounded up to them. */
const MOST_DECIMALS = 8

const nativeCost = (rate: FeeRate, token: boolean, estimate = 0n): bigint => {
  if (rate.kind === 'vbyte') return mulDiv(PAYMENT_VBYTES, rate.milliSatPerVb, 1000n, 'up')
  if (rate.kind === 'gas') {
    const least = token ? TOKEN_GAS : NATIVE_GAS
    return (estimate > least ? estimate : least) * rate.maxFeePerGas
  }
  // The tariff does not depend on the receiver, so it includes an activation.
  if (!token) return PAYMENT_BANDWIDTH * rate.bandwidth + rate.accountBandwidth + rate.activation
  return TOKEN_ENERGY * rate.energy + TOKEN_BANDWIDTH * rate.bandwidth
}

/**
 * Returns the network's cost that a withdrawal is charged for, in USD in 1e-18, rounded up: an estimate of the cost of
 * any payment to a new account. Undefined without a recent estimate, or without a price of the network's coin.
 */
export const networkCost = (
  { feeRates, paymentGas, prices }: Pick<Terms, 'feeRates' | 'paymentGas' | 'prices'>,
  catalogue: Catalogue,
  ticker: string,
  network: Network,
): bigint | undefined => {
  const on = catalogue.findCrypto(ticker)?.networks.get(network)
  const native = catalogue.findCrypto(NATIVE_TICKER[network])
  const nativeOn = native?.networks.get(network)
  const [rate, price] = [feeRates.get(network), prices.get(NATIVE_TICKER[network])]
  if (!on || !native || !nativeOn || !rate || price === undefined) return undefined
  const cost = nativeCost(rate, on.contract !== null, paymentGas.get(network)?.get(ticker))
  return mulDiv(rescale(cost, nativeOn.decimals, native.scale), price, 10n ** BigInt(native.scale), 'up')
}

/**
 * Returns the withdrawal fee in the asset's ledger units: the operator's tariff plus the network's cost, converted to
 * the asset through USD unless it is the native coin; all rounded up. Undefined if a required price is missing.
 * @param prices USD in 1e-18 for one whole unit, by ticker
 */
export const withdrawalFee = (request: {
  asset: CryptoAsset
  on: AssetOnNetwork
  units: bigint
  rate: FeeRate
  /** units of gas that the node estimates for a payment to a new account */
  gas?: bigint | undefined
  catalogue: Catalogue
  prices: ReadonlyMap<string, bigint>
}): bigint | undefined => {
  const { asset, on, units, rate, gas } = request
  const cost = costIn(asset, on.network, nativeCost(rate, on.contract !== null, gas), request)
  if (cost === undefined) return undefined
  return roundUp(chargeOf(on.withdrawalFee, units) + cost, asset.scale - Math.min(on.decimals, MOST_DECIMALS))
}

/**
 * Converts a cost in the network's native units to ledger units of an asset, rounded up. Undefined if a required price
 * is missing.
 */
export const costIn = (
  asset: CryptoAsset,
  network: Network,
  cost: bigint,
  { catalogue, prices }: { catalogue: Catalogue; prices: ReadonlyMap<string, bigint> },
): bigint | undefined => {
  const native = catalogue.findCrypto(NATIVE_TICKER[network])
  const nativeOn = native?.networks.get(network)
  if (!native || !nativeOn) return undefined
  const inNative = rescale(cost, nativeOn.decimals, native.scale)
  if (asset.ticker === native.ticker) return inNative
  const [from, into] = [prices.get(native.ticker), prices.get(asset.ticker)]
  if (from === undefined || into === undefined) return undefined
  // cost / 10^native x price / price-of-asset x 10^asset, in one division
  return mulDiv(inNative * 10n ** BigInt(asset.scale), from, into * 10n ** BigInt(native.scale), 'up')
}

const roundUp = (units: bigint, zeros: number): bigint => {
  if (zeros <= 0) return units
  const step = 10n ** BigInt(zeros)
  return mulDiv(units, 1n, step, 'up') * step
}

/** Gas costs change only by planned upgrades of a chain, while fees are requested far more often. */
const MEASURED_EVERY_MS = 5 * 60_000

interface GasDeps {
  runtime: Runtime
  catalogue: Catalogue
  /** the first hot address: a transfer can be estimated only for assets that it holds */
  hotAddress: string
}

/**
 * Estimates the gas of payments that merchants are charged for, each to an address that the chain has never seen, which
 * is the most expensive case. Asks the node every five minutes. Assets without an estimate are absent.
 */
export const createGasReader = ({
  runtime,
  catalogue,
  hotAddress,
}: GasDeps): ((adapter: AccountChainAdapter, network: EvmNetwork) => Promise<PaymentGas>) => {
  const measured = new Map<EvmNetwork, { at: number; gas: PaymentGas }>()
  return async (adapter, network) => {
    const [now, last] = [runtime.clock.now(), measured.get(network)]
    if (last && now - last.at < MEASURED_EVERY_MS) return last.gas
    const to = addressWithoutHistory(runtime.newId())
    const assets = catalogue.crypto.filter((asset) => asset.networks.has(network))
    const estimates = await Promise.all(
      assets.map((asset) =>
        adapter.estimateGas({
          from: hotAddress,
          ...paymentCall({ to, units: 1n, contract: asset.networks.get(network)!.contract }),
        }),
      ),
    )
    const gas = new Map(
      estimates.flatMap((estimate, i): [string, bigint][] => (estimate.ok ? [[assets[i]!.ticker, estimate.gas]] : [])),
    )
    measured.set(network, { at: now, gas })
    return gas
  }
}
