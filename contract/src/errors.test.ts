import { describe, expect, test } from 'vitest'
import { operations, operationsById } from './operations/index.ts'
import type { OperationId } from './operations/index.ts'

const table = (id: OperationId) => {
  const own = operationsById[id].errors.filter(({ status, code }) => status === 400 && code < 100)
  return Object.fromEntries(own.map(({ code, meaning }) => [code, meaning]))
}

test('the tables of contract.md section 9 and 18 #4', () => {
  const estimate = { 0: 'Order validation error', 1: 'Ticker pair not allowed', 2: 'Not enough liquidity' }
  const exchange = {
    0: 'Local id already placed',
    1: 'Not enough balance',
    2: 'Fee less than required',
    3: 'Order validation error',
    4: 'Ticker pair not allowed',
    5: 'Withdraw amount too low',
    6: 'Not enough liquidity',
    7: 'Withdraw amount too high',
  }
  const { 4: _pair, 6: _liquidity, ...withdrawal } = { ...exchange, 8: 'Destination refused' }
  expect(table('estimateExchange')).toEqual(estimate)
  expect(table('estimateCryptoExchangeWithdrawal')).toEqual(estimate)
  expect(table('estimateFiatExchangeWithdrawal')).toEqual(estimate)
  expect(table('createExchange')).toEqual(exchange)
  expect(table('createCryptoExchangeWithdrawal')).toEqual({ ...exchange, 8: 'Destination refused' })
  expect(table('createFiatExchangeWithdrawal')).toEqual({ ...exchange, 8: 'Destination refused' })
  expect(table('createCryptoWithdrawal')).toEqual(withdrawal)
  expect(table('createFiatWithdrawal')).toEqual(withdrawal)
  expect(table('createFiatBatchWithdrawal')).toEqual(withdrawal)
  expect(table('getFiatWithdrawalFee')).toEqual({ 0: 'Asset not supported' })
  expect(table('createAddress')).toEqual({})
})

describe.each(operations)('$id', ({ id, errors, validationCode, signed, params, method }) => {
  const codes = errors.map(({ code }) => code)

  test('uses a code once', () => {
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('has its validation code among those of status 400: 100 where no order is validated', () => {
    const validation = errors.find(({ code }) => code === validationCode)
    expect(validation?.status).toBe(400)
    expect(validation?.meaning).toBe(validationCode === 100 ? 'Invalid request' : 'Order validation error')
    expect(errors.some(({ meaning }) => meaning === 'Order validation error')).toBe(validationCode !== 100)
  })

  test('can refuse in the general ways that its shape allows', () => {
    const posts = method === 'POST'
    const allowed: [boolean, readonly number[]][] = [
      [true, [105, 106, 107]],
      [signed, [-1, -2, -3, 108]],
      [params !== null, [101]],
      [posts && signed, [103]],
      [posts, [104]],
      [id.endsWith('Compliance'), [102, 103]],
      [validationCode === 100, [100]],
    ]
    const expected = allowed.flatMap(([allows, each]) => (allows ? each : []))
    expect(codes.filter((code) => code < 0 || code >= 100).toSorted((a, b) => a - b)).toEqual(
      expected.toSorted((a, b) => a - b),
    )
  })
})

test('a code above 99 or below 0 has one status and one meaning everywhere', () => {
  const general = operations.flatMap(({ errors }) => errors).filter(({ code }) => code < 0 || code >= 100)
  const said = new Map(general.map(({ code, status, meaning }) => [code, `${status} ${meaning}`]))
  for (const { code, status, meaning } of general) expect(`${status} ${meaning}`).toBe(said.get(code))
  expect([...said.keys()].toSorted((a, b) => a - b)).toEqual([-3, -2, -1, 100, 101, 102, 103, 104, 105, 106, 107, 108])
})
