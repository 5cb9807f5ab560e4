import type { AssetOnNetwork, CryptoAsset } from '../../market/assets/index.ts'
import type { Invoice } from './invoice.ts'
import { priceIn, stepOf, unitsFor } from './quoting.ts'
import type { InvoiceSettings } from './settings.ts'

/** A way to pay an invoice. Units are the asset's ledger units. */
export interface Option {
  asset: CryptoAsset
  on: AssetOnNetwork
  /** what would be asked for; null where the payer chooses the amount, and where there is no price */
  units: bigint | null
  /** priced in fiat, and there is no fresh price */
  unpriced: boolean
}

type Open = Pick<Invoice, 'ticker' | 'blockchain' | 'units' | 'base'>

/**
 * The assets and networks an invoice may be paid in: those its merchant left open, served here, on which the amount can
 * be sent and is credited.
 * @param prices fresh ones, USD in 1e-18 by ticker
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
  return { units: unitsFor(base.e18, price, asset.scale, stepOf(asset, on)), unpriced: false }
}

/** No finer than the network carries, and not below what is credited there. */
export const canBeSent = (units: bigint, asset: CryptoAsset, on: AssetOnNetwork): boolean =>
  units % 10n ** BigInt(asset.scale - on.decimals) === 0n && units >= on.minDeposit
