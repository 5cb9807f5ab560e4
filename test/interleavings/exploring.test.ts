import { expect, test } from 'vitest'
import { explore } from './exploring.ts'
import { textOf, type Choose, type Point, type Turn } from './schedule.ts'

/** Two operations of so many statements, neither of which ever waits. @returns what `explore` tried, in its order */
const tried = async (lengths: readonly [number, number], most: number, seed = 's') => {
  const orders: string[] = []
  const run = async (choose: Choose): Promise<Point[]> => {
    const left = [...lengths] as [number, number]
    const points: Point[] = []
    while (left[0] + left[1] > 0) {
      const ready = [left[0] > 0, left[1] > 0] as const
      const last = points.at(-1)?.took
      const took = choose(points.length, ready, last)
      left[took] -= 1
      points.push({ ready, took })
    }
    orders.push(textOf(points))
    return points
  }
  return { orders, ...(await explore({ most, seed }, run)) }
}

/** How many ways there are to choose k of n. */
const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

test.each([
  [1, 1],
  [3, 2],
  [4, 4],
  [6, 6],
] as const)('of %i and %i statements every order is tried once', async (one, other) => {
  const { orders, complete, schedules } = await tried([one, other], 10_000)
  expect(new Set(orders).size).toBe(choose(one + other, one))
  expect(orders).toHaveLength(schedules)
  expect(complete).toBe(true)
})

test('the serial orders come first, then those with one switch', async () => {
  const { orders } = await tried([5, 5], 30)
  expect(orders.slice(0, 2)).toEqual(['0000011111', '1111100000'])
  // One that leaves an operation, and comes back to it because the other has ended.
  for (const order of orders.slice(2, 10)) expect(order).toMatch(/^(0+1+0+|1+0+1+)$/)
})

test('of many statements at most the given number of orders is tried, none twice, the last ones random', async () => {
  const { orders, complete } = await tried([20, 20], 900)
  expect(complete).toBe(false)
  expect(orders).toHaveLength(900)
  expect(new Set(orders).size).toBe(900)
  const switches = (order: string): number => (order.match(/01|10/g) ?? []).length
  expect(switches(orders.at(-1)!)).toBeGreaterThan(4)
})

test('the same seed tries the same orders, another one others', async () => {
  const of = async (seed: string) => (await tried([9, 9], 40, seed)).orders
  expect(await of('a')).toEqual(await of('a'))
  expect(await of('a')).not.toEqual(await of('b'))
})

test('a choice that is not possible is never asked for', async () => {
  const ready: (readonly [boolean, boolean])[] = []
  await explore({ most: 5, seed: 's' }, async (choose) => {
    // The second one waits until the first has ended.
    const points: Point[] = []
    for (const now of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      ready.push(now)
      const chosen = choose(points.length, now, points.at(-1)?.took)
      const took: Turn = now[chosen] ? chosen : ((1 - chosen) as Turn)
      points.push({ ready: now, took })
    }
    return points
  })
  expect(ready.length).toBe(2 * 3)
})
