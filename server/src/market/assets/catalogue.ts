import { isEvmNetwork, type Network } from '@bursar/chainkit'
import { unitsOf } from '../../platform/money/index.ts'

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
  /** token contract in lowercase, or null for the network's native coin */
  contract: string | null
  /** the chain's own decimals: amounts finer than this can't move there */
  decimals: number
  minDeposit: bigint
  minWithdrawal: bigint
  maxWithdrawal: bigint | null
  depositFee: Tariff
  /** what the operator asks besides the network's own cost */
  withdrawalFee: Tariff
}

export interface CryptoAsset {
  ticker: string
  name: string
  /** ledger decimals: the most any of its networks has */
  scale: number
  networks: ReadonlyMap<Network, AssetOnNetwork>
}

/** What may be paid in or out in one go, both ends allowed, and what the operator asks for it. Ledger units. */
interface FiatTerms {
  least: bigint
  most: bigint
  fee: Tariff
}

export interface FiatAsset {
  ticker: string
  name: string
  scale: number
  /** a card pays an invoice */
  payIn: FiatTerms
  /** a single payout to a card; a batch has the same lower end */
  payout: FiatTerms
  /** a batch of payouts to one card, at most; null: as much as its parts can carry */
  mostInBatch: bigint | null
  /** one of the payments that a batch is split into, at most; null: as much as its acquirer takes at once */
  mostInPart: bigint | null
}

/** The assets this installation knows, from configuration; adding one is configuration, not code. */
export interface Catalogue {
  crypto: readonly CryptoAsset[]
  fiat: readonly FiatAsset[]
  /** by ticker, crypto or fiat */
  find(ticker: string): CryptoAsset | FiatAsset | undefined
  findCrypto(ticker: string): CryptoAsset | undefined
  findFiat(ticker: string): FiatAsset | undefined
  /** the asset of a contract, or of the native coin when null */
  byContract(network: Network, contract: string | null): { asset: CryptoAsset; on: AssetOnNetwork } | undefined
  /** networks that any asset is on */
  networks: ReadonlySet<Network>
}

/** The configuration file's shape: decimal strings in whole units of the asset. */
export interface AssetSettings {
  crypto: {
    ticker: string
    name: string
    networks: Partial<Record<Network, NetworkAssetSettings>>
  }[]
  fiat: {
    ticker: string
    name: string
    scale: number
    payIn?: FiatTermsSettings
    payout?: FiatTermsSettings & { batchMax?: string; partMax?: string }
  }[]
}

interface FiatTermsSettings {
  min?: string
  max?: string
  fee?: { fixed?: string; bps?: number }
}

interface NetworkAssetSettings {
  contract?: string
  decimals: number
  minDeposit: string
  minWithdrawal: string
  maxWithdrawal?: string
  depositFee?: { fixed?: string; bps?: number }
  withdrawalFee?: { fixed?: string; bps?: number }
}

/** Builds the catalogue. Throws with the ticker named when settings contradict themselves. */
export const createCatalogue = (settings: AssetSettings): Catalogue => {
  const crypto = settings.crypto.map(cryptoAsset)
  const fiat = settings.fiat.map(fiatAsset)
  const byTicker = new Map<string, CryptoAsset | FiatAsset>()
  for (const asset of [...crypto, ...fiat]) {
    if (byTicker.has(asset.ticker)) throw new Error(`asset ${asset.ticker} is listed twice`)
    byTicker.set(asset.ticker, asset)
  }
  const cryptoByTicker = new Map(crypto.map((asset) => [asset.ticker, asset]))
  const fiatByTicker = new Map(fiat.map((asset) => [asset.ticker, asset]))
  const byContract = new Map<string, { asset: CryptoAsset; on: AssetOnNetwork }>()
  for (const asset of crypto) {
    for (const on of asset.networks.values()) {
      const key = `${on.network}/${on.contract}`
      if (byContract.has(key))
        throw new Error(`${asset.ticker}: another asset has ${on.contract ?? 'the coin'} of ${on.network}`)
      byContract.set(key, { asset, on })
    }
  }
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

/** As chain adapters name contracts: hex in lower case, base58 as it is. */
const canonicalContract = (network: Network, contract: string): string =>
  isEvmNetwork(network) ? contract.toLowerCase() : contract

/** TRON carries its coin and USDT alone (`contract.md`, decision 26). */
const ON_TRON = ['TRX', 'USDT']

const cryptoAsset = ({ ticker, name, networks }: AssetSettings['crypto'][number]): CryptoAsset => {
  const entries = Object.entries(networks) as [Network, NetworkAssetSettings][]
  if (entries.length === 0) throw new Error(`asset ${ticker} is on no network`)
  if ('TRON' in networks && !ON_TRON.includes(ticker))
    throw new Error(`asset ${ticker}: TRON carries ${ON_TRON.join(' and ')} only; take TRON out of its networks`)
  const scale = Math.max(...entries.map(([, on]) => on.decimals))
  const tariff = (fee: FeeSettings | undefined): Tariff => tariffOf(fee, scale)
  const onNetworks = entries.map(([network, on]): [Network, AssetOnNetwork] => [
    network,
    {
      network,
      contract: on.contract === undefined ? null : canonicalContract(network, on.contract),
      decimals: on.decimals,
      minDeposit: unitsOf(on.minDeposit, scale),
      minWithdrawal: unitsOf(on.minWithdrawal, scale),
      maxWithdrawal: on.maxWithdrawal === undefined ? null : unitsOf(on.maxWithdrawal, scale),
      depositFee: tariff(on.depositFee),
      withdrawalFee: tariff(on.withdrawalFee),
    },
  ])
  return { ticker, name, scale, networks: new Map(onNetworks) }
}

type FeeSettings = { fixed?: string; bps?: number }

const tariffOf = (fee: FeeSettings | undefined, scale: number): Tariff => ({
  fixed: unitsOf(fee?.fixed ?? '0', scale),
  bps: BigInt(fee?.bps ?? 0),
})

/** `contract.md` 10 and 18 row 27, in whole units; a currency they don't name has no limits of its own. */
const STANDARD_LIMITS: Record<
  string,
  { payIn: [string, string]; payout: [string, string]; batch?: string; part: string }
> = {
  UAH: { payIn: ['25', '29999'], payout: ['1000', '14500'], part: '14500' },
  KZT: { payIn: ['12000', '300000'], payout: ['20000', '299000'], batch: '299000', part: '14500' },
}
const WIDEST: [string, string] = ['0', '1000000000']

const fiatAsset = ({ ticker, name, scale, payIn, payout }: AssetSettings['fiat'][number]): FiatAsset => {
  const terms = (given: FiatTermsSettings | undefined, direction: 'payIn' | 'payout'): FiatTerms => {
    const [min, max] = STANDARD_LIMITS[ticker]?.[direction] ?? WIDEST
    const [least, most] = [unitsOf(given?.min ?? min, scale), unitsOf(given?.max ?? max, scale)]
    if (least > most) throw new Error(`${ticker}: the least of ${direction} is above the most`)
    return { least, most, fee: tariffOf(given?.fee, scale) }
  }
  const most = (text: string | undefined): bigint | null => (text === undefined ? null : unitsOf(text, scale))
  return {
    ticker,
    name,
    scale,
    payIn: terms(payIn, 'payIn'),
    payout: terms(payout, 'payout'),
    mostInBatch: most(payout?.batchMax ?? STANDARD_LIMITS[ticker]?.batch),
    mostInPart: most(payout?.partMax ?? STANDARD_LIMITS[ticker]?.part),
  }
}
