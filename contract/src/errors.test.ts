import { expect, test } from 'vitest'
import { operations, operationsById } from './operations/index.ts'
import type { OperationId } from './operations/index.ts'

const table = (id: OperationId) => {
  const own = operationsById[id].errors.filter(({ status, code }) => status === 400 && code < 100)
  return Object.fromEntries(own.map(({ code, meaning }) => [code, meaning]))
}

test('the tables of contract.md section 9 and 18 #4', () => {
  const estimate = { 0: 'Order validation error', 1: 'Ticker pair not allowed', 2: 'Not enough liquidity' }
  const exchange = {
    0: 'Local id already placed', 1: 'Not enough balance', 2: 'Fee less than required', 3: 'Order validation error',
    4: 'Ticker pair not allowed', 5: 'Withdraw amount too low', 6: 'Not enough liquidity',
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

test('codes are unique within an operation', () => {
  for (const { id, errors } of operations) expect(new Set(errors.map(({ code }) => code)).size, id).toBe(errors.length)
})

test('the validation code is one of the codes with status 400, and 100 where no order is validated', () => {
  for (const { id, errors, validationCode } of operations) {
    const validation = errors.find(({ code }) => code === validationCode)
    expect(validation?.status, id).toBe(400)
    expect(validation?.meaning, id).toMatch(/^(Order validation error|Invalid request)$/)
    expect(errors.some(({ meaning }) => meaning === 'Order validation error'), id).toBe(validationCode !== 100)
  }
})

test('every operation can be rate limited, unavailable or not built; what is signed can be refused as such', () => {
  for (const { id, errors, signed, params, method } of operations) {
    const codes = errors.map(({ code }) => code)
    expect(codes, id).toEqual(expect.arrayContaining([105, 106, 107]))
    expect([-1, -2, -3].every((code) => codes.includes(code)), id).toBe(signed)
    expect(codes.includes(101), id).toBe(params !== null)
    expect(codes.includes(103), id).toBe(method === 'POST' && signed)
    expect(codes.includes(104), id).toBe(method === 'POST')
    expect(codes.includes(102), id).toBe(id.endsWith('Compliance'))
  }
})

test('a code above 99 or below 0 has one status and one meaning everywhere', () => {
  const general = operations.flatMap(({ errors }) => errors).filter(({ code }) => code < 0 || code >= 100)
  const said = new Map(general.map(({ code, status, meaning }) => [code, `${status} ${meaning}`]))
  for (const { code, status, meaning } of general) expect(`${status} ${meaning}`).toBe(said.get(code))
  expect([...said.keys()].toSorted((a, b) => a - b)).toEqual([-3, -2, -1, 100, 101, 102, 103, 104, 105, 106, 107])
})
