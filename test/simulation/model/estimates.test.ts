/** The model: the allowed answers of an estimate. */
import { expect, test } from 'vitest'
import { judgeEstimate } from './estimates.ts'

const estimate = (amount: string, target: string, spendTicker = 'ETH') => ({
  price: { value: '2500.00000001', pair: ['ETH', 'USDT'] },
  exchange: { amount, ticker: spendTicker, fee: '0' },
  target: { amount: target, ticker: spendTicker === 'ETH' ? 'USDT' : 'ETH' },
  spend: { amount, ticker: spendTicker },
})

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
