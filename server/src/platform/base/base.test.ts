import { describe, expect, test } from 'vitest'
import { Batcher } from './batcher.ts'
import { isUuid, uuidv7 } from './id.ts'

test('ids of version 7 sort by time and are valid', () => {
  const ids = [0, 1, 1_700_000_000_000, 2 ** 47].map((now) => uuidv7(now, new Uint8Array(10).fill(0xff)))
  expect(ids.toSorted()).toEqual(ids)
  for (const id of ids) {
    expect(isUuid(id)).toBe(true)
    expect(id[14]).toBe('7')
    expect('89ab').toContain(id[19])
  }
  expect(isUuid('0195B0F0-0000-7000-8000-000000000000')).toBe(false)
})

describe('batcher', () => {
  const deferred = () => {
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    return { opened, open }
  }

  test('items that arrive while a batch is in flight go with the next batch, and each caller gets its own answer', async () => {
    const batches: number[][] = []
    const first = deferred()
    const batcher = new Batcher<number, number>({
      most: 3,
      run: async (items) => {
        batches.push([...items])
        if (batches.length === 1) await first.opened
        return items.map((n) => n * 10)
      },
    })
    const one = batcher.submit(1)
    await new Promise((resolve) => setImmediate(resolve))
    const rest = [2, 3, 4, 5].map((n) => batcher.submit(n))
    first.open()
    expect(await Promise.all([one, ...rest])).toEqual([10, 20, 30, 40, 50])
    expect(batches).toEqual([[1], [2, 3, 4], [5]])
  })

  test('an error fails its own batch only', async () => {
    const batcher = new Batcher<number, number>({
      most: 1,
      run: async ([n]) => {
        if (n === 2) throw new Error('two')
        return [n!]
      },
    })
    const settled = await Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)))
    expect(settled.map((s) => s.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('closing answers the accepted items and refuses later ones', async () => {
    const batcher = new Batcher<number, number>({ most: 10, run: async (items) => items })
    const taken = batcher.submit(7)
    await batcher.close()
    expect(await taken).toBe(7)
    await expect(batcher.submit(8)).rejects.toThrow('shutting down')
  })
})
