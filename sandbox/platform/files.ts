/** Writes the files that an operator would write: networks, assets, policies of the server and of the signer. */
import { writeFileSync } from 'node:fs'
import { SANDBOX_ASSETS } from './assets.ts'
import { join } from 'node:path'
import { checksumAddress, deriveAddress } from '@bursar/chainkit/evm'
import { MOST_HOT_ADDRESSES } from '../settings.ts'
import type { EvmWorld, TronWorld, World } from '../world.ts'
import type { SandboxWallet } from './keys.ts'

export interface SettingsFiles {
  readonly networks: string
  readonly assets: string
  readonly policy: string
  readonly signerPolicy: string
}

/** Writes the files for this world. All times are short, because a person waits for the sandbox. */
export async function writeSettingsFiles(
  dir: string,
  world: World,
  wallet: SandboxWallet,
  hotAddresses: number,
): Promise<SettingsFiles> {
  const folder = join(dir, 'settings')
  const write = (name: string, content: unknown): string => {
    const file = join(folder, name)
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    return file
  }
  return {
    networks: write('networks.json', await networksOf(world)),
    assets: write('assets.json', assetsOf(world)),
    policy: write('policy.json', policyOf(world, hotAddresses)),
    signerPolicy: write('signer-policy.json', signerPolicyOf(world, deriveAddress(wallet.evm.hot, 0).address)),
  }
}

async function networksOf({ bitcoin, ethereum, bsc, tron }: World): Promise<object> {
  const evm = ({ node }: EvmWorld, chainId: number, more: object): object => ({ url: node.url, chainId, ...more })
  const btc = bitcoin && {
    BITCOIN: {
      url: bitcoin.node.url.replace(
        '://',
        `://${encodeURIComponent(bitcoin.node.user)}:${encodeURIComponent(bitcoin.node.password)}@`,
      ),
      genesis: await bitcoin.node.rpc<string>('getblockhash', 0),
      finalDepth: 6,
    },
  }
  return {
    ...btc,
    ETHEREUM: evm(ethereum, 31_337, { leastFinalDepth: 1, gasPriceFloor: '1000000' }),
    BINANCE_SMART_CHAIN: evm(bsc, 31_356, { legacyGas: true, gasPriceFloor: '100000000' }),
    TRON: { url: tron.node.url, solidityUrl: tron.node.url, genesis: tron.genesis, internalTransactions: true },
  }
}

const tokenOf = (world: EvmWorld | TronWorld, ticker: string): string =>
  world.assets.find((asset) => asset.ticker === ticker)?.token ?? ''

function assetsOf({ bitcoin, ethereum, bsc, tron }: World): object {
  const { BTC, ETH, BNB, TRX } = SANDBOX_ASSETS
  const native = (decimals: number, least: string): object => ({ decimals, minDeposit: least, minWithdrawal: least })
  const token = (world: EvmWorld | TronWorld, ticker: string, decimals: number): object => ({
    contract: tokenOf(world, ticker),
    decimals,
    minDeposit: '1',
    minWithdrawal: '1',
    withdrawalFee: { fixed: '0.5' },
  })
  const stable = (ticker: 'USDT' | 'USDC', name: string, more: object = {}): object => ({
    ticker,
    name,
    networks: {
      ETHEREUM: token(ethereum, ticker, SANDBOX_ASSETS[ticker].ETHEREUM),
      BINANCE_SMART_CHAIN: token(bsc, ticker, SANDBOX_ASSETS[ticker].BINANCE_SMART_CHAIN),
      ...more,
    },
  })
  return {
    crypto: [
      ...(bitcoin ? [{ ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: native(BTC.BITCOIN, '0.0001') } }] : []),
      { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: native(ETH.ETHEREUM, '0.001') } },
      { ticker: 'BNB', name: 'BNB', networks: { BINANCE_SMART_CHAIN: native(BNB.BINANCE_SMART_CHAIN, '0.001') } },
      { ticker: 'TRX', name: 'TRON', networks: { TRON: native(TRX.TRON, '1') } },
      stable('USDT', 'Tether USD', { TRON: token(tron, 'USDT', SANDBOX_ASSETS.USDT.TRON) }),
      stable('USDC', 'USD Coin'),
    ],
    fiat: [
      { ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 },
      { ticker: 'KZT', name: 'Kazakhstan tenge', scale: 2 },
    ],
  }
}

function policyOf({ bitcoin }: World, hotAddresses: number): object {
  const evm = {
    watch: { pollMs: 500 },
    sending: { bumpAfterMs: 20_000, rebroadcastEveryMs: 3_000, hotAddresses },
    payoutEveryMs: 250,
  }
  return {
    ...(bitcoin
      ? {
          BITCOIN: {
            watch: { pollMs: 500 },
            sending: { bumpAfterMs: 60_000, rebroadcastEveryMs: 3_000, batchWaitMs: 1_500 },
            payoutEveryMs: 300,
            consolidation: { everyMs: 2_000, leastCoins: 10, percentile: 100, rescueAfterMs: 600_000 },
          },
        }
      : {}),
    ETHEREUM: evm,
    BINANCE_SMART_CHAIN: evm,
    TRON: { watch: { pollMs: 500 }, sending: { rebroadcastEveryMs: 3_000 }, payoutEveryMs: 250 },
  }
}

const E18 = 10n ** 18n
const E6 = 1_000_000n
/** The server's TRON transactions live ten minutes; one minute more, in case the chain is ahead of the clock. */
const TRON_LIFETIME_MS = 11 * 60_000

/** Limits that are high enough for tests and low enough to take effect. */
function signerPolicyOf({ bitcoin, ethereum, bsc, tron }: World, hotAddress: string): object {
  const asset = (unit: bigint, contract?: string): object => ({
    enabled: true,
    ...(contract === undefined ? {} : { contract }),
    maxPerIntent: (unit * 100_000n).toString(),
    maxPerHour: (unit * 1_000_000n).toString(),
    maxPerDay: (unit * 10_000_000n).toString(),
  })
  const evm = (chainId: number, coin: string, world: EvmWorld, unit: bigint): object => ({
    enabled: true,
    chainId: String(chainId),
    hotAddresses: MOST_HOT_ADDRESSES,
    fee: { maxUnits: E18.toString(), maxPerHour: (1_000n * E18).toString(), maxPerDay: (10_000n * E18).toString() },
    assets: {
      [coin]: asset(E18),
      USDT: asset(unit, checksummed(world, 'USDT')),
      USDC: asset(unit, checksummed(world, 'USDC')),
    },
    sweep: { enabled: true, treasury: hotAddress, maxFee: E18.toString(), maxTopUp: (E18 / 10n).toString() },
  })
  const btc = {
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
    assets: { BTC: asset(100_000_000n) },
  }
  const trx = (whole: bigint): string => (whole * E6).toString()
  const trc = {
    enabled: true,
    maxLifetimeMs: TRON_LIFETIME_MS,
    // The maximum costs of a byte and an account are parameters of the chain, here those of the main network.
    fee: {
      maxUnits: trx(200n),
      maxPerHour: trx(100_000n),
      maxPerDay: trx(1_000_000n),
      bandwidthPrice: '1000',
      activation: '1100000',
    },
    treasury: {
      enabled: true,
      maxUnits: trx(1_000_000n),
      stake: { maxPerHour: trx(10_000_000n), maxPerDay: trx(100_000_000n) },
      loan: { maxPerHour: trx(100_000_000n), maxPerDay: trx(1_000_000_000n) },
    },
    sweep: { enabled: true, maxTopUp: trx(50n) },
    assets: { TRX: asset(E6), USDT: asset(E6, tokenOf(tron, 'USDT')), USDC: asset(E6, tokenOf(tron, 'USDC')) },
  }
  return {
    version: 1,
    enabled: true,
    approvers: [],
    networks: {
      ...(bitcoin ? { BITCOIN: btc } : {}),
      ETHEREUM: evm(31_337, 'ETH', ethereum, E6),
      BINANCE_SMART_CHAIN: evm(31_356, 'BNB', bsc, E18),
      TRON: trc,
    },
  }
}

const checksummed = (world: EvmWorld, ticker: string): string => checksumAddress(tokenOf(world, ticker))
