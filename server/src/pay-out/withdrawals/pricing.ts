import type { Network } from '@bursar/chainkit'
import { NATIVE_TICKER } from '@bursar/chainkit'
import type { FeeRate } from '../../adapters/chains/port.ts'
import { chargeOf, type AssetOnNetwork, type Catalogue, type CryptoAsset } from '../../market/assets/index.ts'
import { mulDiv, rescale } from '../../platform/money/index.ts'

/**
 * What one payment takes of the network, as charged: an ordinary share of a batched Bitcoin transaction, a plain call,
 * at least.
 */
const PAYMENT_VBYTES = 145n
const NATIVE_GAS = 21_000n
const TOKEN_GAS = 65_000n
/** On TRON: bytes of bandwidth, and energy of USDT's transfer to a receiver who holds none of it yet. */
const PAYMENT_BANDWIDTH = 268n
const TOKEN_BANDWIDTH = 345n
const TOKEN_ENERGY = 130_285n

/** Units of gas that a payment to an account without history takes, by ticker. */
export type PaymentGas = ReadonlyMap<string, bigint>

/** A fee is printed with at most this many decimals; anything finer is rounded up to it. */
const MOST_DECIMALS = 8

const nativeCost = (rate: FeeRate, token: boolean, estimate = 0n): bigint => {
  if (rate.kind === 'vbyte') return mulDiv(PAYMENT_VBYTES, rate.milliSatPerVb, 1000n, 'up')
  if (rate.kind === 'gas') {
    const least = token ? TOKEN_GAS : NATIVE_GAS
    return (estimate > least ? estimate : least) * rate.maxFeePerGas
  }
  // The tariff does not know the receiver: it may have to be activated.
  if (!token) return PAYMENT_BANDWIDTH * rate.bandwidth + rate.accountBandwidth + rate.activation
  return TOKEN_ENERGY * rate.energy + TOKEN_BANDWIDTH * rate.bandwidth
}

/**
 * The fee of a withdrawal in the asset's ledger units: the operator's tariff plus what the network takes, turned into
 * the asset through USD where it isn't the network's own coin, all rounded up. Undefined when a price that is needed is
 * missing.
 * @param prices USD in 1e-18 for one whole unit, by ticker
 */
export const withdrawalFee = (request: {
  asset: CryptoAsset
  on: AssetOnNetwork
  units: bigint
  rate: FeeRate
  /** units of gas that its node estimates for a payment to a new account */
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
 * What costs so much of a network's own units, in ledger units of an asset, rounded up; undefined without a price that
 * is needed.
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
