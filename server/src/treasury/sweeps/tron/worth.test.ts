import { expect, test } from 'vitest'
import { evenFloors } from './worth.ts'

const E18 = 10n ** 18n
const TRX = { ticker: 'TRX', scale: 6, usd: E18 / 4n }
/** USDT has 18 decimals on BSC, and so in the ledger. */
const USDT = { ticker: 'USDT', scale: 18, usd: E18 }

test('holdings are ordered by their worth, however many digits their asset has', () => {
  const least = evenFloors([TRX, USDT])
  const rank = ({ ticker }: { ticker: string }, units: bigint): bigint => units / least.get(ticker)!.young
  expect(rank(TRX, 1_000_000_000n)).toBe(rank(USDT, 250n * E18))
  // Five thousand addresses with a tenth of a dollar each must not fill a reading before them.
  expect(rank(TRX, 1_000_000n) > rank(USDT, E18 / 10n)).toBe(true)
})

test.each([
  ['one unit of the dearest is enough', [TRX, USDT], { TRX: 1n, USDT: E18 / 4_000_000n }],
  ['of equal digits by the price', [TRX, { ...USDT, scale: 6 }], { TRX: 4n, USDT: 1n }],
  [
    'without a price as a dollar',
    [
      { ...TRX, usd: undefined },
      { ...USDT, scale: 6 },
    ],
    { TRX: 1n, USDT: 1n },
  ],
  ['alone', [USDT], { USDT: 1n }],
])('the least that is looked at: %s', (_name, assets, units) => {
  expect(Object.fromEntries([...evenFloors(assets)].map(([ticker, { young }]) => [ticker, young]))).toEqual(units)
})
