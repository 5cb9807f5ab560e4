/** The files an operator would write: networks, assets, policies of the server and of the signer. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checksumAddress } from '@bursar/chainkit/evm'
import type { EvmWorld, World } from '../world.ts'

export interface SettingsFiles {
  readonly networks: string
  readonly assets: string
  readonly policy: string
  readonly signerPolicy: string
}

/** Writes them for this world. Everything is quick: a sandbox is waited for by a person. */
export async function writeSettingsFiles(dir: string, world: World): Promise<SettingsFiles> {
  const folder = join(dir, 'settings')
  const write = (name: string, content: unknown): string => {
    const file = join(folder, name)
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    return file
  }
  return {
    networks: write('networks.json', await networksOf(world)),
    assets: write('assets.json', assetsOf(world)),
    policy: write('policy.json', policyOf(world)),
    signerPolicy: write('signer-policy.json', signerPolicyOf(world)),
  }
}

async function networksOf({ bitcoin, ethereum, bsc }: World): Promise<object> {
  const evm = ({ node }: EvmWorld, chainId: number, more: object): object => ({ url: node.url, chainId, ...more })
  const btc = bitcoin && {
    BITCOIN: {
      url: bitcoin.node.url.replace('://', `://${encodeURIComponent(bitcoin.node.user)}:${encodeURIComponent(bitcoin.node.password)}@`),
      genesis: await bitcoin.node.rpc<string>('getblockhash', 0),
      finalDepth: 6,
    },
  }
  return {
    ...btc,
    ETHEREUM: evm(ethereum, 31_337, { gasPriceFloor: '1000000' }),
    BINANCE_SMART_CHAIN: evm(bsc, 31_356, { legacyGas: true, gasPriceFloor: '100000000' }),
  }
}

const tokenOf = (world: EvmWorld, ticker: string): string => world.assets.find((asset) => asset.ticker === ticker)?.token ?? ''

function assetsOf({ bitcoin, ethereum, bsc }: World): object {
  const native = (decimals: number, least: string): object => ({ decimals, minDeposit: least, minWithdrawal: least })
  const token = (world: EvmWorld, ticker: string, decimals: number): object => ({
    contract: tokenOf(world, ticker), decimals, minDeposit: '1', minWithdrawal: '1', withdrawalFee: { fixed: '0.5' },
  })
  const stable = (ticker: string, name: string): object => ({
    ticker, name, networks: { ETHEREUM: token(ethereum, ticker, 6), BINANCE_SMART_CHAIN: token(bsc, ticker, 18) },
  })
  return {
    crypto: [
      ...(bitcoin ? [{ ticker: 'BTC', name: 'Bitcoin', networks: { BITCOIN: native(8, '0.0001') } }] : []),
      { ticker: 'ETH', name: 'Ether', networks: { ETHEREUM: native(18, '0.001') } },
      { ticker: 'BNB', name: 'BNB', networks: { BINANCE_SMART_CHAIN: native(18, '0.001') } },
      stable('USDT', 'Tether USD'),
      stable('USDC', 'USD Coin'),
    ],
    fiat: [
      { ticker: 'UAH', name: 'Ukrainian hryvnia', scale: 2 },
      { ticker: 'KZT', name: 'Kazakhstan tenge', scale: 2 },
    ],
  }
}

function policyOf({ bitcoin }: World): object {
  const evm = { watch: { pollMs: 250 }, sending: { bumpAfterMs: 20_000, rebroadcastEveryMs: 3_000 }, payoutEveryMs: 250 }
  return {
    ...(bitcoin ? { BITCOIN: { watch: { pollMs: 500 }, sending: { bumpAfterMs: 60_000, rebroadcastEveryMs: 3_000 }, payoutEveryMs: 1_500 } } : {}),
    ETHEREUM: evm,
    BINANCE_SMART_CHAIN: evm,
  }
}

const E18 = 10n ** 18n

/** Limits high enough for tests to pass and low enough to be seen at work. */
function signerPolicyOf({ bitcoin, ethereum, bsc }: World): object {
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
    fee: { maxUnits: E18.toString(), maxPerHour: (1_000n * E18).toString(), maxPerDay: (10_000n * E18).toString() },
    assets: { [coin]: asset(E18), USDT: asset(unit, checksummed(world, 'USDT')), USDC: asset(unit, checksummed(world, 'USDC')) },
  })
  const btc = {
    enabled: true,
    chain: 'regtest',
    fee: { maxUnits: '1000000', maxPerMille: '500', maxMilliSatPerVb: '1000000', maxPerHour: '100000000', maxPerDay: '1000000000' },
    assets: { BTC: asset(100_000_000n) },
  }
  return {
    version: 1,
    enabled: true,
    approvers: [],
    networks: {
      ...(bitcoin ? { BITCOIN: btc } : {}),
      ETHEREUM: evm(31_337, 'ETH', ethereum, 1_000_000n),
      BINANCE_SMART_CHAIN: evm(31_356, 'BNB', bsc, E18),
    },
  }
}

const checksummed = (world: EvmWorld, ticker: string): string => checksumAddress(tokenOf(world, ticker))
