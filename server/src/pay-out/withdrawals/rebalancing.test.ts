import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planMoves, type Stand } from './rebalancing.ts'

const stand = (...units: bigint[]): Stand[] => units.map((u, i) => ({ address: `hot${i}`, units: u }))
const after = (stands: readonly Stand[], moves: ReturnType<typeof planMoves>): bigint[] =>
  stands.map(({ address, units }) =>
    moves.reduce((sum, m) => sum + (m.to === address ? m.units : 0n) - (m.from === address ? m.units : 0n), units),
  )

test('the balance of the first alone is shared out evenly', () => {
  expect(planMoves(stand(1_000n, 0n, 0n, 0n), 0n, 1n)).toEqual(
    [1, 2, 3].map((i) => ({ from: 'hot0', to: `hot${i}`, units: 250n })),
  )
})

test('shares drift down to a half before anything is moved', () => {
  expect(planMoves(stand(600n, 400n, 200n), 0n, 1n)).toEqual([])
  expect(planMoves(stand(700n, 301n, 199n), 0n, 1n)).toEqual([{ from: 'hot0', to: 'hot2', units: 201n }])
})

test('a payment that only all together can make is gathered at the richest, which then keeps it', () => {
  const before = stand(300n, 500n, 400n)
  const moves = planMoves(before, 1_000n, 1n)
  expect(moves).toEqual([
    { from: 'hot2', to: 'hot1', units: 400n },
    { from: 'hot0', to: 'hot1', units: 100n },
  ])
  expect(planMoves(stand(...after(before, moves)), 1_000n, 1n)).toEqual([])
})

test('amounts not worth a transaction, empty addresses, and a lone address stay', () => {
  expect(planMoves(stand(40n, 0n), 0n, 100n)).toEqual([])
  expect(planMoves(stand(40n, 0n), 100n, 1n)).toEqual([])
  expect(planMoves(stand(40n), 100n, 1n)).toEqual([])
})

test('for any balances: no money is made or lost, no address gives more than it has, and the moves end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt(-50n, 10_000n), { minLength: 2, maxLength: 8 }),
      fc.bigInt(0n, 20_000n),
      fc.bigInt(1n, 100n),
      (units, need, worth) => {
        const stands = stand(...units)
        const moves = planMoves(stands, need, worth)
        const then = after(stands, moves)
        expect(then.reduce((a, b) => a + b, 0n)).toBe(units.reduce((a, b) => a + b, 0n))
        for (const [i, u] of then.entries()) expect(u >= 0n || u >= units[i]!).toBe(true)
        for (const move of moves) expect(move.units > 0n && move.from !== move.to).toBe(true)
        const total = units.reduce((sum, u) => sum + (u > 0n ? u : 0n), 0n)
        if (need > 0n && need <= total) expect(then.some((u) => u >= need) || moves.length > 0).toBe(true)
        let standing = stands
        for (let round = 0; round < 10; round += 1)
          standing = stand(...after(standing, planMoves(standing, need, worth)))
        expect(planMoves(standing, need, worth)).toEqual([])
      },
    ),
  )
})
