import { expect, test } from 'vitest'
import { innerIncome } from './inner-income.ts'

const RECEIVER = `0x${'11'.repeat(20)}`
const senders = (count: number): [string, bigint][] =>
  Array.from({ length: count }, (_, n) => [`0x${(n + 0x1000).toString(16).padStart(40, '0')}`, -1n - BigInt(count - n)])
const incomeFrom = (count: number) =>
  innerIncome(new Map([...senders(count), [RECEIVER, 1_000_000n]]), new Map()).find(({ units }) => units > 0n)!

test('an inner transfer of up to 100 senders lists them all, the largest loss first', () => {
  const { from, sendersOmitted } = incomeFrom(100)
  expect(from).toHaveLength(100)
  expect(from[0]!.toLowerCase()).toBe(`0x${(0x1000).toString(16).padStart(40, '0')}`)
  expect(sendersOmitted).toBeUndefined()
})

test('one of more senders lists 100 and says that there are others', () => {
  const { from, sendersOmitted } = incomeFrom(101)
  expect(from).toHaveLength(100)
  expect(sendersOmitted).toBe(true)
})
