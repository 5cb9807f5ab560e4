import { expect, test } from 'vitest'
import { createSmall } from './small.ts'
import { stubSimulation } from './stub.ts'

/** Of TRX: 1 in units of the ledger. */
const LEAST = 1_000_000n

const boundsOf = (...payments: readonly (readonly [units: bigint, byContract: boolean])[]) => {
  const small = createSmall(stubSimulation({}).catalogue)
  const paid = { merchant: 'M1', network: 'TRON', ticker: 'TRX', address: 'mine' } as const
  for (const [units, byContract] of payments) small.add({ ...paid, byContract }, units)
  return small.boundsOf('M1', 'TRX')
}

test('a payment of the least deposit is credited on its own', () => {
  const small = createSmall(stubSimulation({}).catalogue)
  const paid = { merchant: 'M1', network: 'TRON', ticker: 'TRX', address: 'mine', byContract: false } as const
  expect([small.add(paid, LEAST), small.add(paid, LEAST - 1n)]).toEqual([LEAST, 0n])
})

test('small payments are credited together, but for less than the least deposit', () => {
  expect(boundsOf([LEAST - 1n, false])).toEqual({ least: 0n, most: 0n })
  expect(boundsOf([LEAST - 1n, false], [1n, false])).toEqual({ least: LEAST, most: LEAST })
  expect(boundsOf([LEAST - 1n, false], [LEAST - 1n, false], [LEAST - 1n, false])).toEqual({
    least: 2n * LEAST - 2n,
    most: 3n * LEAST - 3n,
  })
})

// Seed 5 with 4,000 operations, as the simulation was on 2026-11-25 (docs/operating/reliability.md).
test('a small payment by a contract may be credited with another one', () => {
  expect(boundsOf([1n, true], [5n * LEAST, true])).toEqual({ least: 0n, most: 1n })
  expect(boundsOf([1n, true], [5n * LEAST, false])).toEqual({ least: 0n, most: 0n })
  expect(boundsOf([1n, true], [LEAST - 1n, false], [5n * LEAST, true])).toEqual({ least: 1n, most: LEAST })
})
