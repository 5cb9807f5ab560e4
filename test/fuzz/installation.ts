/**
 * An installation to send requests to: the role api as `bursar serve` starts it, in a process of its own, over a
 * database with prices, merchants, money and settings. No other role runs, so that nothing but requests changes rows.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Network } from '@bursar/chainkit'
import { marketOf } from '../../server/src/market/rates/index.ts'
import { storeUsdtMarket } from '../../server/src/market/rates/usdt-market-store.ts'
import { createMerchant, rotateKey, setDisabled, setSetting } from '../../server/src/merchants/accounts/index.ts'
import { storeFeeRate } from '../../server/src/pay-out/withdrawals/terms.ts'
import { createSecretBox, readDataKey } from '../../server/src/platform/config/secrets.ts'
import { createDb, createPool, inTransaction, type Db } from '../../server/src/platform/db/index.ts'
import { COMPILE_CACHE } from '../../server/src/platform/process/compile-cache.ts'
import { heapFlagsOf } from '../../server/src/platform/process/heap.ts'
import { momentOf, type Runtime } from '../../server/src/platform/runtime/runtime.ts'
import { freePort } from '../../sandbox/process/port.ts'
import { BANK } from '../simulation/acquirers/interfaces.ts'
import { writeSettings, type SettledChain } from '../simulation/installation/files.ts'
import { DATA_KEY } from '../simulation/installation/keys.ts'
import { giveBalance, stock } from '../world/exchange.ts'
import { setPrices } from '../world/prices.ts'
import { createTestRuntime } from '../world/runtime.ts'

export interface Account {
  id: string
  privateKey: string
}

export interface Installation {
  readonly db: Db
  /** where the api listens on the loopback */
  readonly port: number
  /** two merchants with money */
  readonly merchants: readonly [Account, Account]
  /** has no money */
  readonly poor: Account
  /** its key signs nothing any more */
  readonly disabled: Account
  /** a key of the first merchant that was replaced without overlap */
  readonly oldKey: string
  /** lines that the api has logged as errors: a failure of ours that a client sees as a refusal, or not at all */
  readonly failures: string[]
  /** whether the process still runs */
  readonly isRunning: () => boolean
  close(): Promise<void>
}

const E18 = 10n ** 18n
/** USD for one whole unit. */
const PRICES: Readonly<Record<string, bigint>> = {
  BTC: 65_000n * E18,
  ETH: 2_500n * E18,
  BNB: 600n * E18,
  TRX: E18 / 8n,
  USDT: E18,
  USDC: E18,
  UAH: E18 / 40n,
  KZT: E18 / 500n,
}
/** USD for one euro: invoices are priced in it, and nothing is paid in it. */
const EURO = (11n * E18) / 10n
/** Of one USDT where a market is quoted the other way round. */
const PER_USDT: Readonly<Record<string, bigint>> = { UAH: 40n * E18, KZT: 500n * E18 }

export const CHAINS: readonly SettledChain[] = [
  chain('BITCOIN', [['BTC', 8]], { genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206' }),
  chain(
    'ETHEREUM',
    [
      ['ETH', 18],
      ['USDT', 6, '0xdac17f958d2ee523a2206206994597c13d831ec7'],
      ['USDC', 6, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
    ],
    { chainId: 31_337 },
  ),
  chain(
    'BINANCE_SMART_CHAIN',
    [
      ['BNB', 18],
      ['USDT', 18, '0x55d398326f99059ff775485246999027b3197955'],
      ['USDC', 18, '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'],
    ],
    { chainId: 31_338 },
  ),
  chain(
    'TRON',
    [
      ['TRX', 6],
      ['USDT', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ],
    { genesis: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' },
  ),
]

function chain(network: Network, assets: readonly [string, number, string?][], settings: object): SettledChain {
  return {
    network,
    assets: assets.map(([ticker, decimals, contract]) => ({
      ticker,
      decimals,
      ...(contract !== undefined && { contract }),
    })),
    // Nothing listens there: a request reads PostgreSQL only.
    settings: () => ({ url: 'http://127.0.0.1:1', ...settings }),
  }
}

/** Ahead of time, so that prices and fees stay fresh for as long as a run takes. */
const AHEAD_MS = 3 * 3_600_000

const storeTerms = async (runtime: Runtime): Promise<void> => {
  const { db } = runtime
  const at = new Date(Date.now() + AHEAD_MS)
  await setPrices({ db, clock: { ...runtime.clock, now: () => at.getTime() } }, { ...PRICES, EUR: EURO })
  const gas = { kind: 'gas', maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n } as const
  await storeFeeRate(db, 'ETHEREUM', { ...gas, legacy: false }, at.getTime())
  await storeFeeRate(db, 'BINANCE_SMART_CHAIN', { ...gas, legacy: true }, at.getTime())
  await storeFeeRate(db, 'BITCOIN', { kind: 'vbyte', milliSatPerVb: 5_000n }, at.getTime())
  const sun = { energy: 420n, bandwidth: 1_000n, accountBandwidth: 0n, activation: 1_100_000n }
  await storeFeeRate(db, 'TRON', { kind: 'resources', ...sun }, at.getTime())
  for (const ticker of Object.keys(PRICES).filter((one) => one !== 'USDT')) {
    const price = PER_USDT[ticker] ?? PRICES[ticker]!
    const books = ['binance', 'bybit', 'kraken', 'whitebit'].map((source) => ({
      ...marketOf(ticker),
      source,
      observedAt: at.getTime(),
      bids: [{ price: (price * 999n) / 1000n, amount: 1_000_000n * E18 }],
      asks: [{ price: (price * 1001n) / 1000n, amount: 1_000_000n * E18 }],
    }))
    await storeUsdtMarket(db, {
      ticker,
      quorum: 2,
      agreement: { kind: 'open', middle: price, books, dropped: [] },
      at,
    })
  }
}

/** Ledger units of every asset: more than a run spends. */
const FUNDS = 10n ** 24n

const makeMerchants = async (
  runtime: Runtime,
): Promise<Pick<Installation, 'merchants' | 'poor' | 'disabled' | 'oldKey'>> => {
  const { db } = runtime
  const deps = { box: createSecretBox(readDataKey(DATA_KEY)), random: randomBytes, actor: 'fuzz' }
  const make = (name: string): Promise<Account> =>
    inTransaction(db, async (tx) => {
      const profile = { name, companyName: `${name} Ltd`, companyUrl: 'https://shop.example' }
      const { id, privateKey } = await createMerchant(tx, profile, deps, momentOf(runtime))
      await setSetting(tx, id, { name: 'redirectHosts', value: 'shop.example' }, deps, momentOf(runtime))
      return { id, privateKey }
    })
  const [first, second, poor, disabled] = [await make('A'), await make('B'), await make('C'), await make('D')]
  const rotated = await inTransaction(db, (tx) =>
    rotateKey(tx, first.id, { purpose: 'api', overlapMs: 0 }, deps, momentOf(runtime)),
  )
  await inTransaction(db, (tx) => setDisabled(tx, disabled.id, true, deps, momentOf(runtime)))
  for (const asset of Object.keys(PRICES)) {
    for (const { id } of [first, second]) await giveBalance(db, id, asset, FUNDS)
    await stock(db, asset, FUNDS)
  }
  return {
    merchants: [{ id: first.id, privateKey: rotated.secret }, second],
    poor,
    disabled,
    oldKey: first.privateKey,
  }
}

/**
 * @param databaseUrl of an empty, migrated database
 * @param dir an empty folder of this run
 * @param settings more variables of the environment
 */
export const openInstallation = async (
  databaseUrl: string,
  dir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Installation> => {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const pool = createPool({ url: databaseUrl, applicationName: 'bursar fuzz', max: 2 })
  const db = createDb(pool)
  let api: ChildProcess | undefined
  const close = async (): Promise<void> => {
    if (api !== undefined && api.exitCode === null && api.signalCode === null) {
      api.kill('SIGTERM')
      await once(api, 'exit')
    }
    await pool.end()
  }
  try {
    const runtime = createTestRuntime(db)
    await storeTerms(runtime)
    const merchants = await makeMerchants(runtime)
    const port = await freePort()
    const failures: string[] = []
    api = await startApi({ ...settingsOf(dir, databaseUrl, port), ...settings }, (line) => failures.push(line))
    const running = api
    const isRunning = (): boolean => running.exitCode === null && running.signalCode === null
    return { db, port, ...merchants, failures, isRunning, close }
  } catch (error) {
    await close()
    throw error
  }
}

const NOWHERE = 'http://127.0.0.1:1'
/** No request is limited: the tests of limits are elsewhere. */
const NO_LIMIT = '10000000'

const settingsOf = (dir: string, databaseUrl: string, port: number): Record<string, string> => ({
  ...writeSettings(join(dir, 'settings'), CHAINS, {
    acquirers: ['bank', 'bank-reserve'].map((name) => (secretFile) => BANK.entry({ name, url: NOWHERE }, secretFile)),
    prices: NOWHERE,
    market: NOWHERE,
    database: databaseUrl,
    signer: join(dir, 'no-signer'),
  }),
  BURSAR_HTTP: `127.0.0.1:${port}`,
  BURSAR_PUBLIC_URL: `http://127.0.0.1:${port}`,
  BURSAR_REQUESTS_PER_MINUTE: NO_LIMIT,
  BURSAR_REFUSALS_PER_MINUTE: NO_LIMIT,
  BURSAR_PAGE_POSTS_PER_MINUTE: NO_LIMIT,
  BURSAR_PAGE_GETS_PER_MINUTE: NO_LIMIT,
  BURSAR_PAGE_STREAMS_PER_ADDRESS: '1000',
  // Each form claims to come from another payer, so that their limit is not met at once.
  BURSAR_TRUSTED_PROXIES: '127.0.0.1/32',
  BURSAR_ADDRESS_STOCK: '200',
  BURSAR_LOG_LEVEL: 'error',
})

const startApi = async (settings: Record<string, string>, failed: (line: string) => void): Promise<ChildProcess> => {
  const child = fork(new URL('../../server/src/main.ts', import.meta.url), ['serve', '--role', 'api'], {
    execArgv: heapFlagsOf('api'),
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [child.stdout!, child.stderr!]) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line.trim() !== '') failed(line)
    })
  }
  const exited = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('the api ended while it started'))),
  ])
  return child
}
