import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { Invoice } from './invoice.ts'
import { priceIn, roundingOf, roundUp, unitsFor } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'

/** An asset and network in which an invoice can be paid. Units are the asset's ledger units. */
export interface Option {
  asset: CryptoAsset
  on: AssetOnNetwork
  /** the amount to pay; null if the payer chooses the amount, or if there is no price */
  units: bigint | null
  /** priced in fiat, without a fresh price */
  unpriced: boolean
}

type Open = Pick<Invoice, 'ticker' | 'blockchain' | 'units' | 'base'>

/**
 * Returns the assets and networks in which an invoice can be paid: those that the merchant left open, that are served
 * here, and on which the amount can be sent and is credited.
 * @param prices fresh prices, USD in 1e-18 by ticker
 */
export const optionsOf = (
  invoice: Open,
  { catalogue, networks }: Pick<InvoiceSettings, 'catalogue' | 'networks'>,
  prices: ReadonlyMap<string, bigint>,
): Option[] =>
  catalogue.crypto
    .filter(({ ticker }) => invoice.ticker === null || ticker === invoice.ticker)
    .flatMap((asset) => [...asset.networks.values()].map((on) => ({ asset, on })))
    .filter(
      ({ on: { network } }) => networks.has(network) && (invoice.blockchain === null || network === invoice.blockchain),
    )
    .map(({ asset, on }): Option => ({ asset, on, ...amountOf(invoice, asset, on, prices) }))
    .filter(({ asset, on, units }) => units === null || canBeSent(units, asset, on))

const amountOf = (
  { base, units }: Open,
  asset: CryptoAsset,
  on: AssetOnNetwork,
  prices: ReadonlyMap<string, bigint>,
): Pick<Option, 'units' | 'unpriced'> => {
  if (base === null) return { units, unpriced: false }
  const price = priceIn(asset.ticker, base.ticker, prices)
  if (price === undefined) return { units: null, unpriced: true }
  const rounding = roundingOf(asset, on)
  return { units: roundUp(unitsFor(base.e18, price, asset.scale, rounding.step), rounding), unpriced: false }
}

/** Whether the amount is no finer than the network's precision, and not below the minimum that is credited. */
export const canBeSent = (units: bigint, asset: CryptoAsset, on: AssetOnNetwork): boolean =>
  units % 10n ** BigInt(asset.scale - on.decimals) === 0n && units >= on.minDeposit
