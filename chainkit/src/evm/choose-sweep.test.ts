import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { chooseSweep } from './choose-sweep.ts'
import type { Holding, SweepAddress, SweepPrices } from './choose-sweep.ts'
import { COIN } from './sweep-call.ts'
import { FIAT_TOKEN_GAS, TETHER_GAS } from './sweep-gas.ts'

const GWEI = 10n ** 9n
const ETHER = 10n ** 18n
const [USDT, USDC] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const
const prices: SweepPrices = { gasPrice: 10n * GWEI, batchSize: 50, setCode: true, kPerMille: 1_000n }

const usdt = (worth = ETHER): Holding => ({ asset: USDT, worth, gas: TETHER_GAS })
const usdc = (worth = ETHER): Holding => ({ asset: USDC, worth, gas: FIAT_TOKEN_GAS })
const coin = (worth = ETHER): Holding => ({ asset: COIN, worth })
const addressOf = (holdings: Holding[], more: Partial<SweepAddress> = {}): SweepAddress => ({
  delegated: false,
  exists: false,
  further: 0,
  holdings,
  ...more,
})
const waysOf = (address: SweepAddress, more: Partial<SweepPrices> = {}) =>
  chooseSweep(address, { ...prices, ...more })?.moves.map(
    ({ asset, way }) => `${asset === COIN ? 'coin' : asset === USDT ? 'usdt' : 'usdc'} ${way}`,
  )

/** EIP-8037 with 1,530 gas for each byte of state: 120 bytes of an account, 23 of a delegation. */
const DEARER = { authorization: 226_600n, newAccount: 204_600n }

test('audit D-E14: higher gas costs of an announced upgrade are counted', () => {
  const costOf = (address: SweepAddress, more: Partial<SweepPrices> = {}): bigint =>
    chooseSweep(address, { ...prices, ...more })!.gas
  const [known, unknown] = [addressOf([usdt()], { exists: true }), addressOf([usdt()])]
  // Estimates of today change nothing.
  expect(costOf(unknown, { authorization: 25_400n, newAccount: 21_000n })).toBe(costOf(unknown))
  expect(costOf(unknown, { setCode: false, newAccount: 21_315n })).toBe(costOf(unknown, { setCode: false }))
  expect(costOf(unknown, { setCode: false, ...DEARER }) - costOf(unknown, { setCode: false })).toBe(
    DEARER.newAccount - 21_000n,
  )
  expect(costOf(known, { setCode: false, ...DEARER })).toBe(costOf(known, { setCode: false }))
  expect(waysOf(known, DEARER)).toEqual(['usdt top-up'])
  const signing = addressOf([usdc()], { exists: true })
  expect(waysOf(signing, { setCode: false })).toEqual(['usdc authorize'])
  expect(waysOf(signing, { setCode: false, ...DEARER })).toEqual(['usdc top-up'])
  expect(waysOf(unknown, DEARER)).toEqual(['usdt delegate'])
})

describe('the cheapest way', () => {
  test.each<[string, SweepAddress, Partial<SweepPrices>, string[] | undefined]>([
    ['of a token is delegation', addressOf([usdt()]), {}, ['usdt delegate']],
    ['of a token that takes signatures is delegation in a large batch', addressOf([usdc()]), {}, ['usdc delegate']],
    ['of coin alone is its own transaction', addressOf([coin()], { exists: true }), {}, ['coin direct']],
    [
      'of coin, with sweeps to come, is delegation',
      addressOf([coin()], { exists: true, further: 3 }),
      {},
      ['coin delegate'],
    ],
    [
      'of coin of a delegated address is the batch',
      addressOf([coin()], { exists: true, delegated: true }),
      {},
      ['coin delegate'],
    ],
    [
      'of coin of a delegated address alone is the batch too, as a stranger may sweep it before its own transaction',
      addressOf([coin()], { exists: true, delegated: true }),
      { batchSize: 1 },
      ['coin delegate'],
    ],
    [
      'of everything is one call',
      addressOf([usdt(), usdc(), coin()], { exists: true }),
      {},
      ['usdt delegate', 'usdc delegate', 'coin delegate'],
    ],
    ['without EIP-7702 is the signature', addressOf([usdc()]), { setCode: false }, ['usdc authorize']],
    [
      'without EIP-7702 is a top-up for tokens that take no signature',
      addressOf([usdt()]),
      { setCode: false },
      ['usdt top-up'],
    ],
    [
      'without EIP-7702 is no top-up where there is coin',
      addressOf([usdt(), coin()], { exists: true }),
      { setCode: false },
      ['usdt direct', 'coin direct'],
    ],
    [
      'of a delegated address is never a signature, which the token would ask the code for',
      addressOf([usdc()], { delegated: true }),
      { setCode: false },
      ['usdc delegate'],
    ],
    ['leaves what is not worth it', addressOf([usdt(), coin(1n)], { exists: true }), {}, ['usdt delegate']],
    ['of too little is none', addressOf([usdt(10n ** 14n)]), {}, undefined],
    ['of too little at any cost is the cheapest still', addressOf([usdt(1n)]), { kPerMille: 0n }, ['usdt delegate']],
    [
      'of too little at any cost is a top-up if it must',
      addressOf([usdt(1n)]),
      { kPerMille: 0n, setCode: false },
      ['usdt top-up'],
    ],
    ['of too little in a window of cheap gas', addressOf([usdt(10n ** 14n)]), { gasPrice: GWEI }, ['usdt delegate']],
    ['of nothing is none', addressOf([]), {}, undefined],
  ])('%s', (_name, address, more, ways) => {
    expect(waysOf(address, more)).toEqual(ways)
  })

  test('of balances worth k times their cost, to the wei', () => {
    const { cost } = chooseSweep(addressOf([usdt()]), prices)!
    expect(waysOf(addressOf([usdt(cost * 5n)]), { kPerMille: 5_000n })).toEqual(['usdt delegate'])
    expect(waysOf(addressOf([usdt(cost * 5n - 1n)]), { kPerMille: 5_000n })).toBeUndefined()
  })
})

const holding = fc.oneof(
  fc.bigInt({ min: 0n, max: ETHER / 100n }).map(usdt),
  fc.bigInt({ min: 0n, max: ETHER / 100n }).map(usdc),
  fc.bigInt({ min: 1n, max: ETHER / 100n }).map(coin),
)
const addresses: fc.Arbitrary<SweepAddress> = fc.record({
  delegated: fc.boolean(),
  exists: fc.boolean(),
  further: fc.nat({ max: 10 }),
  holdings: fc.uniqueArray(holding, { selector: ({ asset }) => asset }),
})
const markets: fc.Arbitrary<SweepPrices> = fc.record({
  gasPrice: fc.bigInt({ min: 1n, max: 500n * GWEI }),
  batchSize: fc.integer({ min: 1, max: 200 }),
  setCode: fc.boolean(),
  kPerMille: fc.bigInt({ min: 0n, max: 50_000n }),
})

describe('at any prices', () => {
  test('a sweep is worth k times its cost, and moves only existing balances, each once', () => {
    fc.assert(
      fc.property(addresses, markets, (address, market) => {
        const choice = chooseSweep(address, market)
        if (!choice) return
        const worth = choice.moves.reduce(
          (sum, { asset }) => sum + address.holdings.find((one) => one.asset === asset)!.worth,
          0n,
        )
        expect(worth * 1000n).toBeGreaterThanOrEqual(choice.cost * market.kPerMille)
        expect(new Set(choice.moves.map(({ asset }) => asset)).size).toBe(choice.moves.length)
        expect(choice.cost).toBe(choice.gas * market.gasPrice)
        if (!market.setCode && !address.delegated)
          expect(choice.moves.some(({ way }) => way === 'delegate')).toBe(false)
        if (address.delegated) expect(choice.moves.every(({ way }) => way === 'delegate')).toBe(true)
      }),
      { numRuns: cases(1000) },
    )
  })

  test('one more way is never dearer', () => {
    fc.assert(
      fc.property(addresses, markets, (address, market) => {
        const once = {
          ...address,
          further: 0,
          holdings: address.holdings.map((one) => ({ ...one, worth: one.worth + 10n * ETHER })),
        }
        const more = chooseSweep(once, { ...market, setCode: true })
        const less = chooseSweep(once, { ...market, setCode: false })
        if (!more || !less || more.moves.length !== less.moves.length) return
        expect(more.gas).toBeLessThanOrEqual(less.gas)
      }),
      { numRuns: cases(500) },
    )
  })
})
