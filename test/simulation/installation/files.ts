/**
 * The settings files and the signer's policy of a simulated installation: small limits and short times, so that they
 * are met.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import { checksumAddress } from '@bursar/chainkit/evm'
import { evmHotAddress } from '../../../server/src/chain/transactions/index.ts'
import type { SecretFile } from '../acquirers/interfaces.ts'
import { COLD } from './offline.ts'
import { CARD_KEY, DATA_KEY, SCREENING_ACCOUNT, VENUE_ACCOUNT, WALLET } from './keys.ts'

/** A chain as far as settings are concerned. */
export interface SettledChain {
  readonly network: Network
  /** the coin and the tokens */
  readonly assets: readonly { ticker: string; decimals: number; contract?: string }[]
  /** its entry in the networks file */
  settings(): object
}

export interface Counterparties {
  /** entries of the acquirers file, in the order of preference */
  acquirers: readonly ((secretFile: SecretFile) => object)[]
  /** an origin, without a slash at the end; absent: nothing is screened */
  screening?: string
  /** origins, without a slash at the end */
  prices: string
  market: string
  /** absent: nothing is hedged */
  venue?: string
  database: string
  /** path of the socket */
  signer: string
}

/** Whole units of the least deposit and withdrawal. */
const LEAST: Record<string, string> = { BTC: '0.0001', ETH: '0.001', BNB: '0.001', TRX: '1', USDT: '1', USDC: '1' }
const NAMES: Record<string, string> = {
  BTC: 'Bitcoin',
  ETH: 'Ether',
  BNB: 'BNB',
  TRX: 'TRON',
  USDT: 'Tether USD',
  USDC: 'USD Coin',
}
/** An asset of a contract that the API does not know on this network (contract decision 26). */
const isServed = (network: Network, ticker: string): boolean => !(network === 'TRON' && ticker === 'USDC')

export const assetsFile = (chains: readonly SettledChain[]): object => {
  const tickers = [...new Set(chains.flatMap(({ assets }) => assets.map(({ ticker }) => ticker)))]
  const crypto = tickers
    .map((ticker) => ({
      ticker,
      name: NAMES[ticker] ?? ticker,
      networks: Object.fromEntries(
        chains.flatMap(({ network, assets }) =>
          assets
            .filter((asset) => asset.ticker === ticker && isServed(network, ticker))
            .map(({ decimals, contract }) => [
              network,
              {
                decimals,
                minDeposit: LEAST[ticker],
                minWithdrawal: LEAST[ticker],
                ...(contract !== undefined && { contract, withdrawalFee: { fixed: '0.5', bps: 10 } }),
              },
            ]),
        ),
      ),
    }))
    .filter(({ networks }) => Object.keys(networks).length > 0)
  const fiat = [
    {
      ticker: 'UAH',
      name: 'Ukrainian hryvnia',
      scale: 2,
      payIn: { fee: { bps: 150 } },
      payout: { fee: { fixed: '7', bps: 30 } },
    },
    { ticker: 'KZT', name: 'Kazakhstan tenge', scale: 2, payIn: { fee: { fixed: '40' } } },
  ]
  return { crypto, fiat }
}

/** Of each EVM chain, as the policies of the program and of the signer have them. */
export const HOT_ADDRESSES = 2

/** Whole units of coin of the hot wallets above which the rest goes to cold storage, and what then remains. */
const COLD_CAP: Readonly<Record<string, bigint>> = { ETH: 60n, BNB: 60n, TRX: 60_000n }
export const COLD_TARGET: Readonly<Record<string, bigint>> = { ETH: 40n, BNB: 40n, TRX: 40_000n }

const limitsOf = (network: Network, ticker: string, decimals: number): object => {
  const unit = 10n ** BigInt(decimals)
  return {
    hot: {
      [ticker]: {
        cap: String(COLD_CAP[ticker]! * unit),
        target: String(COLD_TARGET[ticker]! * unit),
        cold: COLD[network],
      },
    },
  }
}

const POLICY: Record<Network, object> = {
  BITCOIN: {
    sending: { bumpAfterMs: 600_000, rebroadcastEveryMs: 60_000, batchWaitMs: 0 },
    consolidation: { everyMs: 600_000, leastCoins: 10, percentile: 100, rescueAfterMs: 3_600_000 },
  },
  ETHEREUM: {
    sending: { bumpAfterMs: 60_000, rebroadcastEveryMs: 10_000, hotAddresses: HOT_ADDRESSES },
    ...limitsOf('ETHEREUM', 'ETH', 18),
  },
  // Its deposit addresses are sent coin for their gas.
  BINANCE_SMART_CHAIN: {
    sending: { bumpAfterMs: 60_000, rebroadcastEveryMs: 10_000, hotAddresses: HOT_ADDRESSES },
    sweep: { setCode: 'off' },
    ...limitsOf('BINANCE_SMART_CHAIN', 'BNB', 18),
  },
  TRON: { sending: { rebroadcastEveryMs: 10_000 }, ...limitsOf('TRON', 'TRX', 6) },
}

const E18 = 10n ** 18n
const E6 = 10n ** 6n
const GENEROUS = { hour: 1_000_000n, day: 10_000_000n }
/** What one payment may be, in whole units: a merchant can ask for more, and the signer then refuses. */
const MOST_PER_PAYMENT: Record<string, bigint> = {
  BTC: 2n,
  ETH: 200n,
  BNB: 200n,
  TRX: 100_000n,
  USDT: 20_000n,
  USDC: 20_000n,
}

const assetPolicy = (
  { ticker, decimals, contract }: SettledChain['assets'][number],
  network: Network,
  lowered: bigint,
): object => {
  const unit = 10n ** BigInt(decimals)
  const isEvm = network === 'ETHEREUM' || network === 'BINANCE_SMART_CHAIN'
  return {
    enabled: true,
    ...(contract !== undefined && { contract: isEvm ? checksumAddress(contract) : contract }),
    ...(COLD_CAP[ticker] !== undefined && { cold: COLD[network] }),
    maxPerIntent: String((MOST_PER_PAYMENT[ticker]! * unit) / lowered),
    maxPerHour: String(GENEROUS.hour * unit),
    maxPerDay: String(GENEROUS.day * unit),
  }
}

const evmPolicy = (chainId: number): object => ({
  enabled: true,
  chainId: String(chainId),
  hotAddresses: HOT_ADDRESSES,
  fee: { maxUnits: String(E18), maxPerHour: String(1_000n * E18), maxPerDay: String(10_000n * E18) },
  sweep: {
    enabled: true,
    treasury: evmHotAddress(WALLET),
    maxFee: String(E18),
    maxTopUp: String(E18 / 10n),
  },
})

const NETWORK_POLICY: Record<Network, (chain: SettledChain) => object> = {
  BITCOIN: () => ({
    enabled: true,
    chain: 'regtest',
    fee: {
      maxUnits: '1000000',
      maxPerMille: '500',
      maxMilliSatPerVb: '1000000',
      maxPerHour: '100000000',
      maxPerDay: '1000000000',
    },
    consolidation: { enabled: true },
  }),
  ETHEREUM: (chain) => evmPolicy((chain.settings() as { chainId: number }).chainId),
  BINANCE_SMART_CHAIN: (chain) => evmPolicy((chain.settings() as { chainId: number }).chainId),
  TRON: () => ({
    enabled: true,
    maxLifetimeMs: 660_000,
    fee: {
      maxUnits: String(200n * E6),
      maxPerHour: String(100_000n * E6),
      maxPerDay: String(1_000_000n * E6),
      bandwidthPrice: '1000',
      activation: '1100000',
    },
    treasury: {
      enabled: true,
      maxUnits: String(1_000_000n * E6),
      stake: { maxPerHour: String(10n ** 13n), maxPerDay: String(10n ** 14n) },
      loan: { maxPerHour: String(10n ** 14n), maxPerDay: String(10n ** 15n) },
    },
    sweep: { enabled: true, maxTopUp: String(50n * E6) },
  }),
}

/** @param lowered by how much the largest payment is smaller than usual */
export const signerPolicy = (chains: readonly SettledChain[], lowered = 1n): object => ({
  version: 1,
  enabled: true,
  approvers: [],
  networks: Object.fromEntries(
    chains.map((chain) => [
      chain.network,
      {
        ...NETWORK_POLICY[chain.network](chain),
        assets: Object.fromEntries(
          chain.assets
            .filter(({ ticker }) => isServed(chain.network, ticker))
            .map((asset) => [asset.ticker, assetPolicy(asset, chain.network, lowered)]),
        ),
      },
    ]),
  ),
})

/** Further than any run takes a position. */
const POSITION: Record<string, string> = {
  BTC: '1000',
  ETH: '20000',
  BNB: '50000',
  TRX: '100000000',
  USDT: '50000000',
  USDC: '50000000',
  UAH: '1000000000',
  KZT: '10000000000',
}

/** The name of the venue in the ledger. */
export const VENUE = 'binance'

const exchangeFile = (market: string, tickers: ReadonlySet<string>, venue: object | undefined): object => {
  const at = { origin: market }
  return {
    sources: { venues: { binance: at, kraken: at, bybit: at, whitebit: at }, official: { nbu: at, nbk: at } },
    legs: Object.fromEntries(
      ['BTC', 'ETH', 'BNB', 'TRX', 'USDC', 'UAH', 'KZT', 'USD', 'EUR'].map((ticker) => [
        ticker,
        { jumpBpsPerMinute: 2_000 },
      ]),
    ),
    exchange: {
      assets: Object.fromEntries(
        Object.entries(POSITION).flatMap(([ticker, most]) =>
          tickers.has(ticker) ? [[ticker, { long: most, short: most }]] : [],
        ),
      ),
    },
    ...(venue !== undefined && { hedging: { venue } }),
  }
}

const { accessId, accessKey } = SCREENING_ACCOUNT

const screeningFile = (url: string, accessKeyFile: string): object => ({
  providers: [{ kind: 'local-lists' }, { kind: 'amlbot', url, accessId, accessKeyFile, timeoutMs: 5_000 }],
})

/** Writes the files below `dir`, and returns the environment of a role that reads them. */
export const writeSettings = (
  dir: string,
  chains: readonly SettledChain[],
  { acquirers, screening, prices, market, venue, database, signer }: Counterparties,
): Record<string, string> => {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const write = (name: string, content: unknown): string => {
    const file = join(dir, name)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
    return file
  }
  const served = chains.flatMap(({ network, assets }) => assets.filter(({ ticker }) => isServed(network, ticker)))
  const tickers = new Set([...served.map(({ ticker }) => ticker), 'UAH', 'KZT'])
  const venueSettings = (origin: string): object => ({
    exchange: VENUE,
    origin,
    apiKeyFile: write('venue-key', VENUE_ACCOUNT.apiKey),
    secretFile: write('venue-secret', VENUE_ACCOUNT.secret),
    timeoutMs: 60_000,
  })
  // Every market of the venue is against USDT.
  const hedged = venue === undefined || !tickers.has('USDT') ? undefined : venueSettings(venue)
  return {
    DATABASE_URL: database,
    BURSAR_DATA_KEY_FILE: write('data-key', DATA_KEY),
    BURSAR_CARD_KEY_FILE: write('card-key', CARD_KEY),
    BURSAR_HTTP: '127.0.0.1:0',
    BURSAR_PUBLIC_URL: 'http://127.0.0.1:1',
    BURSAR_INNER: '127.0.0.1:0',
    BURSAR_NETWORKS_FILE: write(
      'networks.json',
      Object.fromEntries(chains.map((one) => [one.network, one.settings()])),
    ),
    BURSAR_ASSETS_FILE: write('assets.json', assetsFile(chains)),
    BURSAR_XPUBS_FILE: write('wallet.json', WALLET),
    BURSAR_POLICY_FILE: write(
      'policy.json',
      Object.fromEntries(chains.map(({ network }) => [network, POLICY[network]])),
    ),
    BURSAR_ACQUIRERS_FILE: write('acquirers.json', { accounts: acquirers.map((entry) => entry(write)) }),
    ...(screening !== undefined && {
      BURSAR_SCREENING_FILE: write('screening.json', screeningFile(screening, write('screening-key', accessKey))),
    }),
    BURSAR_EXCHANGE_FILE: write('exchange.json', exchangeFile(market, tickers, hedged)),
    BURSAR_SIGNER: `unix:${signer}`,
    BURSAR_RATES_URL: `${prices}/rates`,
    BURSAR_OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
    BURSAR_HTTP_WEBHOOKS: 'true',
    BURSAR_REQUESTS_PER_MINUTE: '1000000',
    BURSAR_PAGE_POSTS_PER_MINUTE: '1000000',
    BURSAR_PAGE_GETS_PER_MINUTE: '1000000',
    BURSAR_ADDRESS_STOCK: '20',
    BURSAR_SANDBOX: 'true',
    BURSAR_DATABASE_CONNECTIONS: '4',
    BURSAR_LOG_LEVEL: process.env['SIMULATION_LOG'] ?? 'fatal',
  }
}
