import { expect, test } from 'vitest'
import { Batcher, type BatcherOptions } from './batcher.ts'

/** Each batch runs until it is let go; `letGo` takes the lane, the first where none is named. */
const gatedBatcher = (options: Partial<BatcherOptions<string, string>> = {}) => {
  const batches: (readonly string[])[] = []
  const releases: (() => void)[] = []
  const batcher = new Batcher<string, string>({
    most: 100,
    run: async (items, lane) => {
      batches.push(items)
      await new Promise<void>((resolve) => (releases[lane] = resolve))
      return items.map((item) => `${item}!`)
    },
    ...options,
  })
  const underWay = (count: number): Promise<void> => expect.poll(() => batches.length).toBe(count)
  return { batcher, batches, underWay, letGo: (lane = 0) => releases[lane]!() }
}

/** Long enough for a batch that may start to have started. */
const aFewTurns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('a caller that submits again right after its answer joins the batch that has gathered meanwhile', async () => {
  const { batcher, batches, underWay, letGo } = gatedBatcher()
  const twice = async (name: string): Promise<string> =>
    batcher.submit((await batcher.submit(`${name}1`)).replace('1!', '2'))
  const [first, second] = [twice('a'), twice('b')]
  await underWay(1)
  const late = batcher.submit('c')
  letGo()
  await underWay(2)
  expect(batches).toEqual([
    ['a1', 'b1'],
    ['c', 'a2', 'b2'],
  ])
  letGo()
  expect(await Promise.all([first, second, late])).toEqual(['a2!', 'b2!', 'c!'])
})

test('a batch that fails fails its own items, and the next is run', async () => {
  let runs = 0
  const batcher = new Batcher<number, number>({
    most: 2,
    run: async (items) => {
      runs += 1
      if (items.includes(1)) throw new Error('no')
      return items
    },
  })
  const outcomes = await Promise.allSettled([0, 1, 2, 3].map((item) => batcher.submit(item)))
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
  expect(runs).toBe(2)
})

test('closing waits for the accepted items, and refuses later ones', async () => {
  const { batcher, underWay, letGo } = gatedBatcher()
  const taken = batcher.submit('a')
  await underWay(1)
  const closing = batcher.close()
  await expect(batcher.submit('b')).rejects.toThrow('shutting down')
  letGo()
  await closing
  expect(await taken).toBe('a!')
})

test('lanes share the waiting items', async () => {
  const { batcher, batches, underWay, letGo } = gatedBatcher({ lanes: 2 })
  const answers = ['a', 'b', 'c', 'd'].map((item) => batcher.submit(item))
  await underWay(2)
  expect(batches.map((batch) => batch.length)).toEqual([2, 2])
  expect(batches.flat().toSorted()).toEqual(['a', 'b', 'c', 'd'])
  letGo(0)
  letGo(1)
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!'])
})

test('items with the same key go in one batch, since no other lane may take them meanwhile', async () => {
  const { batcher, batches, underWay, letGo } = gatedBatcher({ lanes: 2, keyOf: (item) => item[0]! })
  const answers = ['a1', 'a2', 'a3', 'b1'].map((item) => batcher.submit(item))
  await underWay(2)
  expect(batches).toEqual([['a1', 'a2', 'a3'], ['b1']])
  letGo(0)
  letGo(1)
  await Promise.all(answers)
})

test('a batch that one lane can carry is not split over lanes, and new items wait for that lane', async () => {
  const { batcher, batches, underWay, letGo } = gatedBatcher({ lanes: 2, oneLaneUpTo: 3 })
  const first = ['a', 'b'].map((item) => batcher.submit(item))
  await underWay(1)
  const third = batcher.submit('c')
  await aFewTurns()
  expect(batches).toEqual([['a', 'b']])
  const fourth = batcher.submit('d')
  await underWay(2)
  expect(batches[1]).toEqual(['c', 'd'])
  letGo(0)
  letGo(1)
  await Promise.all([...first, third, fourth])
})

test('items of one key run in the order they came, never in two batches at once', async () => {
  const running = new Set<string>()
  const done: Record<string, number[]> = { a: [], b: [], c: [] }
  let most = 0
  const batcher = new Batcher<{ key: string; n: number }, void>({
    most: 3,
    lanes: 3,
    keyOf: ({ key }) => key,
    run: async (items) => {
      const keys = new Set(items.map(({ key }) => key))
      for (const key of keys) expect(running.has(key)).toBe(false)
      for (const key of keys) running.add(key)
      most = Math.max(most, running.size)
      for (const { key, n } of items) done[key]!.push(n)
      await aFewTurns()
      for (const key of keys) running.delete(key)
      return items.map(() => undefined)
    },
  })
  const items = Array.from({ length: 60 }, (_, n) => ({ key: 'aaabbc'[n % 6]!, n }))
  await Promise.all(items.map((item) => batcher.submit(item)))
  expect(most).toBeGreaterThan(1)
  for (const [key, order] of Object.entries(done))
    expect(order).toEqual(items.filter((item) => item.key === key).map(({ n }) => n))
})
