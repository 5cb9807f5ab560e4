import { expect, test } from 'vitest'
import { directoryOver } from './directory.ts'
import type { Merchant } from './merchant.ts'

const merchant = (id: string, name: string): Merchant => ({
  id,
  name,
  companyName: '',
  companyUrl: '',
  settings: {} as Merchant['settings'],
  disabled: false,
  service: 'active',
  keys: [],
  logo: null,
  additionalKeys: [],
})

/** Readings that end when the test says so, each with what it says then. */
const readings = () => {
  const started: {
    ids: readonly string[] | null
    end(...merchants: Merchant[]): Promise<void>
    fail(): Promise<void>
  }[] = []
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  const directory = directoryOver(
    (ids) =>
      new Promise((resolve, reject) => {
        started.push({
          ids,
          end: (...merchants) => {
            resolve(merchants)
            return settled()
          },
          fail: () => {
            reject(new Error('gone'))
            return settled()
          },
        })
      }),
  )
  return { directory, started }
}
const loaded = async (...merchants: Merchant[]) => {
  const all = readings()
  all.directory.forgetAll()
  await all.started[0]!.end(...merchants)
  return all
}

test('of two readings of a merchant the later counts, whichever ends first', async () => {
  const { directory, started } = await loaded(merchant('a', 'old'))
  directory.forget('a')
  directory.forget('a')
  const waiting = directory.find('a')
  await started[2]!.end(merchant('a', 'newer'))
  await started[1]!.end(merchant('a', 'older'))
  expect(await waiting).toMatchObject({ name: 'newer' })
  expect(directory.find('a')).toMatchObject({ name: 'newer' })
})

test('a merchant that changes while all are read is read again, and the older reading is discarded', async () => {
  const { directory, started } = await loaded(merchant('a', 'old'), merchant('b', 'old'))
  directory.forgetAll()
  directory.forget('a')
  directory.forget('c')
  await started[2]!.end(merchant('a', 'new'))
  await started[3]!.end(merchant('c', 'new'))
  await started[1]!.end(merchant('a', 'old'), merchant('b', 'new'))
  expect(directory.find('a')).toMatchObject({ name: 'new' })
  expect(directory.find('b')).toMatchObject({ name: 'new' })
  expect(directory.find('c')).toMatchObject({ name: 'new' })
})

test('of two readings of all the later counts, whichever ends first', async () => {
  const { directory, started } = await loaded(merchant('a', 'old'))
  directory.forgetAll()
  directory.forgetAll()
  const waiting = directory.find('a')
  await started[1]!.end(merchant('a', 'older'))
  await started[2]!.end(merchant('a', 'newer'))
  expect(await waiting).toMatchObject({ name: 'newer' })
})

test('many callers that wait share one reading and its failure, and the next caller reads again', async () => {
  const { directory, started } = readings()
  const waiting = Array.from({ length: 10 }, () =>
    Promise.resolve(directory.find('a')).catch((error: unknown) => String(error)),
  )
  expect(started).toHaveLength(1)
  await started[0]!.fail()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['Error: gone']))
  const next = directory.find('a')
  expect(started).toHaveLength(2)
  await started[1]!.end(merchant('a', 'here'))
  expect(await next).toMatchObject({ name: 'here' })
})

test('after a merchant could not be read nothing is trusted until all are read', async () => {
  const { directory, started } = await loaded(merchant('a', 'old'), merchant('b', 'old'))
  directory.forget('a')
  await started[1]!.fail()
  const waiting = directory.find('b')
  expect(waiting).toBeInstanceOf(Promise)
  await started[2]!.end(merchant('b', 'new'))
  expect(await waiting).toMatchObject({ name: 'new' })
  expect(directory.find('a')).toBeNull()
})

test('a removed merchant is forgotten, and unknown ids use no memory', async () => {
  const { directory, started } = await loaded(merchant('a', 'old'))
  directory.forget('a')
  await started[1]!.end()
  expect(directory.find('a')).toBeNull()
  for (let i = 0; i < 1_000; i += 1) expect(directory.find(`unknown ${i}`)).toBeNull()
  expect(started).toHaveLength(2)
})
