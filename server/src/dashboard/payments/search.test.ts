import { expect, test } from 'vitest'
import { soughtBy } from './search.ts'

const HASH = 'ab'.repeat(32)
const UUID = '0190a7d5-3b7e-7c2a-9d1f-0123456789ab'

test.each([
  [HASH.toUpperCase(), ['hash'], HASH],
  [`0x${HASH}`, ['hash'], `0x${HASH}`],
  // EIP-55, "Test Cases".
  ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', ['address'], '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', ['address'], 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', ['address'], 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  [UUID.toUpperCase(), ['id', 'meta'], UUID],
  ['payer@example.com', ['email', 'meta'], 'payer@example.com'],
  ['order 7', ['meta'], 'order 7'],
  ['11112222333344445555666677', ['meta'], '11112222333344445555666677'],
])('%s is searched as %j', (typed, by, text) => {
  const sought = soughtBy(typed)
  expect(sought.map((one) => one.by)).toEqual(by)
  expect(sought[0]!.text).toBe(text)
})
