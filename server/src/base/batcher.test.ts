import { expect, test } from 'vitest'
import { Batcher } from './batcher.ts'

/** Batches run one after the other, each when it is let go. */
const gatedBatcher = (most = 100) => {
  const batches: (readonly string[])[] = []
  let letGo = (): void => {}
  const batcher = new Batcher<string, string>({
    most,
    run: async (items) => {
      batches.push(items)
      await new Promise<void>((resolve) => (letGo = resolve))
      return items.map((item) => `${item}!`)
    },
  })
  const underWay = (count: number): Promise<void> => expect.poll(() => batches.length).toBe(count)
  return { batcher, batches, underWay, letGo: () => letGo() }
}

test('whoever was just answered and comes again joins what gathered meanwhile', async () => {
  const { batcher, batches, underWay, letGo } = gatedBatcher()
  const twice = async (name: string): Promise<string> => batcher.submit((await batcher.submit(`${name}1`)).replace('1!', '2'))
  const [first, second] = [twice('a'), twice('b')]
  await underWay(1)
  const late = batcher.submit('c')
  letGo()
  await underWay(2)
  expect(batches).toEqual([['a1', 'b1'], ['c', 'a2', 'b2']])
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

test('closing waits for what was taken, and refuses the rest', async () => {
  const { batcher, underWay, letGo } = gatedBatcher()
  const taken = batcher.submit('a')
  await underWay(1)
  const closing = batcher.close()
  await expect(batcher.submit('b')).rejects.toThrow('shutting down')
  letGo()
  await closing
  expect(await taken).toBe('a!')
})
