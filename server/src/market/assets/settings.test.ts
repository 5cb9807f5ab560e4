import { expect, test } from 'vitest'
import { createCatalogue, readAssetSettings } from './index.ts'

const TOKEN = `0x${'aB'.repeat(20)}`
const on = (decimals: number, more: object = {}) => ({ decimals, minDeposit: '0.1', minWithdrawal: '1', ...more })
const crypto = (ticker: string, networks: object) => ({ ticker, name: ticker, networks })
const fiat = (ticker: string, more: object = {}) => ({ ticker, name: ticker, scale: 2, ...more })
const USDT = crypto('USDT', {
  ETHEREUM: on(6, { contract: TOKEN }),
  TRON: on(6, { contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }),
})

test('a file becomes a catalogue, in units of the ledger', () => {
  const { find, findFiat, byContract } = createCatalogue(
    readAssetSettings({
      crypto: [USDT, crypto('BTC', { BITCOIN: on(8) })],
      fiat: [fiat('KZT', { payout: { min: '30000', batchMax: '200000', partMax: '100000.5' } }), fiat('PLN')],
    }),
  )
  expect(find('USDT')).toMatchObject({ scale: 6 })
  expect(byContract('ETHEREUM', TOKEN.toLowerCase())?.on).toMatchObject({ minDeposit: 100_000n })
  expect(findFiat('KZT')).toMatchObject({
    payIn: { least: 12_000_00n, most: 300_000_00n },
    payout: { least: 30_000_00n, most: 299_000_00n },
    mostInBatch: 200_000_00n,
    mostInPart: 100_000_50n,
  })
  expect(findFiat('PLN')).toMatchObject({ payIn: { least: 0n }, mostInBatch: null, mostInPart: null })
})

test('known stablecoins are pegged to a currency, unless the file says otherwise', () => {
  const peggedOf = (ticker: string, more: object = {}, token: object = { contract: TOKEN }) =>
    createCatalogue(
      readAssetSettings({ crypto: [{ ...crypto(ticker, { ETHEREUM: on(6, token) }), ...more }], fiat: [] }),
    ).findCrypto(ticker)?.pegged
  expect([peggedOf('USDC'), peggedOf('ETH', {}, {}), peggedOf('UAHT')]).toEqual([true, false, false])
  expect([peggedOf('USDC', { pegged: false }), peggedOf('UAHT', { pegged: true })]).toEqual([false, true])
  expect(() => peggedOf('USDC', { pegged: 'yes' })).toThrow('pegged')
  expect(() => peggedOf('ETH', { pegged: true }, {})).toThrow("a network's coin is pegged to no currency")
})

test('audit C-8: TRON carries TRX and USDT only', () => {
  const networksOf = (ticker: string) =>
    createCatalogue(readAssetSettings({ crypto: [crypto(ticker, { TRON: on(6) })], fiat: [] })).networks
  expect(networksOf('USDT')).toEqual(new Set(['TRON']))
  expect(networksOf('TRX')).toEqual(new Set(['TRON']))
  expect(() => networksOf('USDC')).toThrow('crypto[0] (USDC).networks.TRON: TRON carries TRX and USDT only')
})

test.each([
  [{ crypto: [] }, 'fiat is missing: write a list'],
  [{ crypto: {}, fiat: [] }, 'crypto: write a list'],
  [{ crypto: [crypto('ETH', {})], fiat: [] }, 'crypto[0] (ETH).networks: write at least one of BITCOIN'],
  [{ crypto: [crypto('ETH', { ETHEREUM: { decimals: 18 } })], fiat: [] }, 'ETHEREUM.minDeposit is missing'],
  [{ crypto: [crypto('ETH', { ETHEREM: on(18) })], fiat: [] }, 'ETHEREM is unknown: did you mean ETHEREUM?'],
  [{ crypto: [crypto('BTC', { BITCOIN: on(8, { contract: TOKEN }) })], fiat: [] }, 'BITCOIN has no tokens'],
  [{ crypto: [crypto('X', { ETHEREUM: on(8, { contract: 'TR7NH' }) })], fiat: [] }, '0x and 40 hex digits'],
  [
    { crypto: [crypto('X', { ETHEREUM: on(2, { minDeposit: '0.001' }) })], fiat: [] },
    'minDeposit: write at most 2 dec',
  ],
  [
    { crypto: [crypto('X', { ETHEREUM: on(2, { depositFee: { fixed: '0.001' } }) })], fiat: [] },
    'depositFee.fixed: wr',
  ],
  [{ crypto: [crypto('X', { ETHEREUM: on(2, { minDeposit: 1 }) })], fiat: [] }, 'minDeposit: write an amount as a str'],
  [{ crypto: [], fiat: [fiat('UAH', { payIn: { min: '30000' } })] }, 'payIn: the least (30000) is above the most (299'],
  [{ crypto: [], fiat: [fiat('UAH', { payIn: { max: '30000.001' } })] }, 'payIn.max: write at most 2 decimals'],
  [{ crypto: [USDT, USDT], fiat: [] }, 'crypto[1]: USDT is listed twice'],
  [{ crypto: [USDT], fiat: [fiat('USDT')] }, 'fiat[0]: USDT is listed twice'],
  [
    { crypto: [USDT, crypto('USDC', { ETHEREUM: on(6, { contract: TOKEN.toLowerCase() }) })], fiat: [] },
    `crypto[1].networks.ETHEREUM: another asset has ${TOKEN.toLowerCase()} of ETHEREUM`,
  ],
  [
    { crypto: [crypto('BTC', { BITCOIN: on(8) }), crypto('XBT', { BITCOIN: on(8) })], fiat: [] },
    'another asset has the coin of BITCOIN',
  ],
])('%# is refused with its place', (json, problem) => {
  expect(() => readAssetSettings(json)).toThrow(problem)
})
