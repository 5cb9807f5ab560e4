import { NATIVE_TICKER, type Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { mulDiv } from '../../platform/money/index.ts'

/**
 * Converts an amount to units of the network's coin (wei), rounded down, because the cost of its sweep is in wei.
 * Undefined without a fresh price of either: nothing is swept on a guess.
 * @param units ledger units
 * @param usd prices of one whole unit, all in the same unit
 */
export const worthInCoin = (
  catalogue: Catalogue,
  network: Network,
  ticker: string,
  units: bigint,
  usd: ReadonlyMap<string, bigint>,
): bigint | undefined => {
  const [coin, asset] = [catalogue.findCrypto(NATIVE_TICKER[network]), catalogue.findCrypto(ticker)]
  const on = coin?.networks.get(network)
  if (!coin || !on || !asset) return undefined
  if (ticker === coin.ticker) return mulDiv(units, 10n ** BigInt(on.decimals), 10n ** BigInt(coin.scale), 'down')
  const [coinPrice, price] = [usd.get(coin.ticker), usd.get(ticker)]
  if (!coinPrice || !price) return undefined
  return mulDiv(units * price, 10n ** BigInt(on.decimals), 10n ** BigInt(asset.scale) * coinPrice, 'down')
}

/** The opposite conversion, to ledger units, rounded down; undefined without prices. @param coin wei */
export const unitsWorth = (
  catalogue: Catalogue,
  network: Network,
  ticker: string,
  coin: bigint,
  usd: ReadonlyMap<string, bigint>,
): bigint | undefined => {
  const asset = catalogue.findCrypto(ticker)
  const whole = asset && worthInCoin(catalogue, network, ticker, 10n ** BigInt(asset.scale), usd)
  return asset && whole ? mulDiv(coin, 10n ** BigInt(asset.scale), whole, 'down') : undefined
}
