import { mulDiv, unitsOf } from '../../platform/money/index.ts'
import type { Network } from '@bursar/chainkit'
import {
  batchLimitsOf,
  contractName,
  isPegged,
  limitsOf,
  scaleOf,
  type AssetSettings,
  type OnNetwork,
} from './settings.ts'

/** A fee on an amount: `fixed` in the asset's ledger units plus `bps` hundredths of a percent, rounded up. */
export interface Tariff {
  fixed: bigint
  bps: bigint
}

/**
 * An asset on one network. Amounts are in the asset's ledger units (`scale` decimals of the asset, not of the network).
 */
export interface AssetOnNetwork {
  network: Network
  /** token contract as `contractName` spells it; null for the network's native coin */
  contract: string | null
  /** the chain's own decimals: amounts finer than this can't move there */
  decimals: number
  minDeposit: bigint
  minWithdrawal: bigint
  maxWithdrawal: bigint | null
  depositFee: Tariff
  /** the operator's fee, in addition to the network's own cost */
  withdrawalFee: Tariff
}

export interface CryptoAsset {
  ticker: string
  name: string
  /** ledger decimals: the most any of its networks has */
  scale: number
  /** pegged to a currency: people write its amounts in hundredths */
  pegged: boolean
  networks: ReadonlyMap<Network, AssetOnNetwork>
}

/** Limits of one payment, both inclusive, and the operator's fee for it, in ledger units. */
interface FiatTerms {
  least: bigint
  most: bigint
  fee: Tariff
}

export interface FiatAsset {
  ticker: string
  name: string
  scale: number
  /** payments of invoices by card */
  payIn: FiatTerms
  /** a single payout to a card; a batch has the same minimum */
  payout: FiatTerms
  /** maximum of a batch of payouts to one card; null: only its parts are limited */
  mostInBatch: bigint | null
  /** maximum of one payment of a batch; null: the maximum of its acquirer */
  mostInPart: bigint | null
}

/** The assets of this installation, from configuration. Adding an asset needs no code. */
export interface Catalogue {
  crypto: readonly CryptoAsset[]
  fiat: readonly FiatAsset[]
  /** by ticker, crypto or fiat */
  find(ticker: string): CryptoAsset | FiatAsset | undefined
  findCrypto(ticker: string): CryptoAsset | undefined
  findFiat(ticker: string): FiatAsset | undefined
  /** the asset of a contract, or of the native coin when null */
  byContract(network: Network, contract: string | null): { asset: CryptoAsset; on: AssetOnNetwork } | undefined
  /** networks that have at least one asset */
  networks: ReadonlySet<Network>
}

/** Builds the catalogue from settings that `readAssetSettings` has validated. */
export const createCatalogue = (settings: AssetSettings): Catalogue => {
  const crypto = settings.crypto.map(cryptoAsset)
  const fiat = settings.fiat.map(fiatAsset)
  const byTicker = new Map<string, CryptoAsset | FiatAsset>([...crypto, ...fiat].map((asset) => [asset.ticker, asset]))
  const cryptoByTicker = new Map(crypto.map((asset) => [asset.ticker, asset]))
  const fiatByTicker = new Map(fiat.map((asset) => [asset.ticker, asset]))
  const byContract = new Map(
    crypto.flatMap((asset) =>
      [...asset.networks.values()].map((on) => [`${on.network}/${on.contract}`, { asset, on }] as const),
    ),
  )
  return {
    crypto,
    fiat,
    find: (ticker) => byTicker.get(ticker),
    findCrypto: (ticker) => cryptoByTicker.get(ticker),
    findFiat: (ticker) => fiatByTicker.get(ticker),
    byContract: (network, contract) => byContract.get(`${network}/${contract}`),
    networks: new Set(crypto.flatMap((asset) => [...asset.networks.keys()])),
  }
}

const cryptoAsset = (given: AssetSettings['crypto'][number]): CryptoAsset => {
  const { ticker, name, networks } = given
  const entries = Object.entries(networks) as [Network, OnNetwork][]
  const scale = scaleOf(entries.map(([, { decimals }]) => decimals))
  const onNetworks = entries.map(([network, on]): [Network, AssetOnNetwork] => [
    network,
    {
      network,
      contract: contractName(network, on.contract),
      decimals: on.decimals,
      minDeposit: unitsOf(on.minDeposit, scale),
      minWithdrawal: unitsOf(on.minWithdrawal, scale),
      maxWithdrawal: on.maxWithdrawal === undefined ? null : unitsOf(on.maxWithdrawal, scale),
      depositFee: tariffOf(on.depositFee, scale),
      withdrawalFee: tariffOf(on.withdrawalFee, scale),
    },
  ])
  return { ticker, name, scale, pegged: isPegged(given), networks: new Map(onNetworks) }
}

const tariffOf = (fee: { fixed?: string; bps?: number } | undefined, scale: number): Tariff => ({
  fixed: unitsOf(fee?.fixed ?? '0', scale),
  bps: BigInt(fee?.bps ?? 0),
})

const fiatAsset = (given: AssetSettings['fiat'][number]): FiatAsset => {
  const { ticker, name, scale } = given
  const terms = (direction: 'payIn' | 'payout'): FiatTerms => {
    const { min, max } = limitsOf(given, direction)
    return { least: unitsOf(min, scale), most: unitsOf(max, scale), fee: tariffOf(given[direction]?.fee, scale) }
  }
  const most = (text: string | undefined): bigint | null => (text === undefined ? null : unitsOf(text, scale))
  const { batch, part } = batchLimitsOf(given)
  return {
    ticker,
    name,
    scale,
    payIn: terms('payIn'),
    payout: terms('payout'),
    mostInBatch: most(batch),
    mostInPart: most(part),
  }
}

const BASIS_POINTS = 10_000n

/** The fee of a tariff on an amount, rounded up to a ledger unit; at most `cap` when that is given. */
export const chargeOf = (tariff: Tariff, units: bigint, cap?: bigint): bigint => {
  const charge = tariff.fixed + mulDiv(units, tariff.bps, BASIS_POINTS, 'up')
  return cap !== undefined && charge > cap ? cap : charge
}
