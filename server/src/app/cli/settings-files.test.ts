/** A misspelt member of a settings file is refused wherever it stands: left out and misspelt must not look alike. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { STANDARD_POLICIES } from '../composition/policy.ts'
import { loadConfig, type Opened } from '../installation/open.ts'
import { worldOf } from '../installation/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'bursar-files-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, contents: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents), { mode: 0o600 })
  return path
}

const fee = { fixed: '0.1', bps: 5 }
const FILES = {
  BURSAR_NETWORKS_FILE: {
    BITCOIN: { url: 'http://u:p@127.0.0.1:1', genesis: '0f'.repeat(32) },
    ETHEREUM: { url: 'http://127.0.0.1:1', chainId: 1 },
    TRON: { url: 'http://127.0.0.1:1', genesis: '0f'.repeat(32) },
  },
  BURSAR_ASSETS_FILE: {
    crypto: [
      {
        ticker: 'ETH',
        name: 'Ether',
        networks: {
          ETHEREUM: { decimals: 18, minDeposit: '0', minWithdrawal: '0', depositFee: fee, withdrawalFee: fee },
        },
      },
    ],
    fiat: [
      {
        ticker: 'UAH',
        name: 'Hryvnia',
        scale: 2,
        payIn: { min: '25', max: '100', fee },
        payout: { min: '1', max: '2', batchMax: '3', fee },
      },
    ],
  },
  BURSAR_XPUBS_FILE: { ...TEST_KEYS, masterFingerprint: '00000000' },
  BURSAR_POLICY_FILE: {
    ETHEREUM: {
      confirmations: { kind: 'tiers', tiers: [{ belowUsd: '100', confirmations: 1 }], otherwise: 12 },
      watch: { pollMs: 500 },
      sending: { hotAddresses: 2 },
      sweep: { batch: 10 },
      hot: { ETH: { cap: '4', target: '3', low: '1' } },
    },
    BITCOIN: { confirmations: { kind: 'final' }, consolidation: { everyMs: 60_000 } },
  },
  BURSAR_ACQUIRERS_FILE: {
    accounts: [
      {
        name: 'first',
        kind: 'bank',
        url: 'http://127.0.0.1:1',
        account: 'a',
        secretFile: file('secret', 'x'.repeat(40)),
        payIn: { UAH: { least: '25', most: '100' } },
      },
    ],
    routing: [{ direction: 'payIn', ticker: 'UAH', least: '25', most: '50', acquirers: ['first'] }],
  },
  BURSAR_EXCHANGE_FILE: {
    sources: {
      venues: { binance: { origin: 'http://127.0.0.1:1' } },
      official: { nbu: { origin: 'http://127.0.0.1:1' } },
    },
    legs: { ETH: { quorum: 2 }, USD: { quorum: 1 } },
    exchange: {
      assets: { ETH: { min: '1', max: '2', long: '3', short: '3' }, UAH: { long: '3', short: '3' } },
      pairs: { 'ETH/UAH': { spreadBps: 5 } },
      spreadBps: 10,
    },
    hedging: { venue: { exchange: 'binance', apiKeyFile: 'a', secretFile: 'b' } },
  },
  BURSAR_SCREENING_FILE: { providers: [{ kind: 'local-lists' }], deciders: 2 },
}

const problemsOf = (files: Record<string, unknown>): string => {
  const paths = Object.fromEntries(
    Object.entries(files).map(([name, contents]) => [name, file(`${name}.json`, contents)]),
  )
  try {
    const config = loadConfig(
      {
        DATABASE_URL: 'postgres://x@127.0.0.1/x',
        BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
        BURSAR_SIGNER: 'unix:/run/s',
        ...paths,
      },
      'all',
    )
    // Tickers are known once the assets are.
    worldOf({ config, policies: STANDARD_POLICIES } as Opened)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The contents with one member more in each of its objects in turn, and where it stands. */
const misspelt = (value: unknown, place = ''): [place: string, changed: unknown][] => {
  if (Array.isArray(value))
    return value.flatMap((item: unknown, i) =>
      misspelt(item, `${place}[${i}]`).map(([at, changed]): [string, unknown] => [at, value.with(i, changed)]),
    )
  if (!isObject(value)) return []
  return [
    [place, { ...value, nonsuch: {} }],
    ...Object.entries(value).flatMap(([key, inner]) =>
      misspelt(inner, `${place}.${key}`).map(([at, changed]): [string, unknown] => [at, { ...value, [key]: changed }]),
    ),
  ]
}

test('the files are right as they are', () => expect(problemsOf(FILES)).toBe(''))

describe('audit S-2: an unknown member is refused', () => {
  test.each(
    Object.entries(FILES).flatMap(([name, contents]) =>
      misspelt(contents).map(([place, changed]): [string, string, unknown] => [name, place, changed]),
    ),
  )('of %s%s', (name, _place, changed) => {
    expect(problemsOf({ ...FILES, [name]: changed })).toMatch(/nonsuch|BURSAR_/)
  })
})

test.each(Object.keys(FILES))('audit S-2: a repeated member of %s is refused', (name) => {
  const text = JSON.stringify(FILES[name as keyof typeof FILES])
  const key = /^\{("[A-Za-z]+"):/.exec(text)![1]!
  expect(problemsOf({ ...FILES, [name]: `${text.slice(0, -1)},${key}:null}` })).toMatch(new RegExp(`${key} twice`))
})
