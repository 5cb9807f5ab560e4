import { expect, test } from 'vitest'
import { creditHeightOf, DEFAULT_DEPOSIT_POLICY } from './policy.ts'

const E18 = 10n ** 18n
const bitcoin = DEFAULT_DEPOSIT_POLICY.BITCOIN.confirmations

test.each([
  ['nothing', 0n, 1],
  ['a little below 100 USD', 100n * E18 - 1n, 1],
  ['100 USD', 100n * E18, 2],
  ['a little below 10,000 USD', 10_000n * E18 - 1n, 2],
  ['10,000 USD', 10_000n * E18, 6],
  ['an amount without a fresh price', undefined, 6],
])('Bitcoin: %s waits for its confirmations, its own block being the first', (_, usdE18, confirmations) => {
  expect(creditHeightOf(bitcoin, 700, usdE18)).toBe(700 + confirmations - 1)
})

test('audit D-B2, row B-1: the income of a miner waits until it can be spent, regardless of its worth', () => {
  expect([0n, 20_000n * E18, undefined].map((usdE18) => creditHeightOf(bitcoin, 700, usdE18, true))).toEqual([
    799, 799, 799,
  ])
  expect(creditHeightOf({ kind: 'final' }, 700, 0n, true)).toBe(799)
  expect(creditHeightOf({ kind: 'tiers', tiers: [], otherwise: 144 }, 700, 0n, true)).toBe(843)
})

test.each(['ETHEREUM', 'BINANCE_SMART_CHAIN'] as const)('%s waits for finality', (network) => {
  expect(creditHeightOf(DEFAULT_DEPOSIT_POLICY[network].confirmations, 700, 1n)).toBeNull()
})
