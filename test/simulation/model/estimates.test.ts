/** The model: the allowed answers of an estimate. */
import { expect, test } from 'vitest'
import { formatUnits, parseUnits } from '../../../server/src/platform/money/index.ts'
import { judgeEstimate } from './estimates.ts'

/** With the least fee of the amount, or another one. */
const estimate = (amount: string, target: string, spendTicker = 'ETH', fee = leastFee(amount)) => ({
  price: { value: '2500.00000001', pair: ['ETH', 'USDT'] },
  exchange: { amount, ticker: spendTicker, fee },
  target: { amount: target, ticker: spendTicker === 'ETH' ? 'USDT' : 'ETH' },
  spend: { amount: sum(amount, fee), ticker: spendTicker },
})

const units = (decimal: string): bigint => {
  const parsed = parseUnits(decimal, 18)
  if (!parsed.ok) throw new Error(decimal)
  return parsed.units
}
const leastFee = (amount: string): string => formatUnits((units(amount) * 50n + 9_999n) / 10_000n, 18)
const sum = (one: string, other: string): string => formatUnits(units(one) + units(other), 18)

test('an estimate gives no more than its price, in both directions', () => {
  expect(judgeEstimate(estimate('2', '5000.00000002'))).toEqual([])
  expect(judgeEstimate(estimate('2', '5000.00000003'))).toHaveLength(1)
  expect(judgeEstimate(estimate('5000.00000002', '2', 'USDT'))).toEqual([])
  expect(judgeEstimate(estimate('5000.00000001', '2', 'USDT'))).toHaveLength(1)
})

test('what is exchanged and the fee are what is spent', () => {
  const wrong = estimate('2', '5000')
  expect(judgeEstimate({ ...wrong, spend: { amount: '2.1', ticker: 'ETH' } })).toHaveLength(1)
})

test('the fee is at least its share of what is exchanged', () => {
  expect(judgeEstimate(estimate('2', '5000', 'ETH', '0.01'))).toEqual([])
  expect(judgeEstimate(estimate('2', '5000', 'ETH', '0.009999999999999999'))).toHaveLength(1)
})
