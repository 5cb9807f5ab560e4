import { expect, test, vi } from 'vitest'
import { Turns } from './turns.ts'

test('runs one request at a time, in order, and answers none before the group is on the disk', async () => {
  const steps: string[] = []
  const turns = new Turns(async () => void steps.push('sync'))
  const ask = (name: string): Promise<unknown> =>
    turns
      .take(async () => {
        steps.push(`begin ${name}`)
        await new Promise((resolve) => setImmediate(resolve))
        steps.push(`end ${name}`)
      })
      .then(() => steps.push(`answer ${name}`))
  await Promise.all(['a', 'b', 'c'].map(ask))
  expect(steps).toEqual([
    'begin a',
    'end a',
    'begin b',
    'end b',
    'begin c',
    'end c',
    'sync',
    'answer a',
    'answer b',
    'answer c',
  ])
})

test('a failure waits for the group too, and fails no other request', async () => {
  const steps: string[] = []
  const turns = new Turns(async () => void steps.push('sync'))
  const failing = (): Promise<string> => {
    throw new Error('refused')
  }
  const answers = [async () => 'first', failing, async () => 'third'].map((work) =>
    turns.take(work).then(
      (value) => steps.push(value),
      (error: Error) => steps.push(error.message),
    ),
  )
  await Promise.all(answers)
  expect(steps).toEqual(['sync', 'first', 'refused', 'third'])
})

test('when the disk fails, no request of the group is answered, and later ones ask the disk again', async () => {
  const sync = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('disk'))
  const turns = new Turns(sync)
  const refused = turns.take(() => Promise.reject(new Error('refused')))
  const answered = turns.take(async () => 'read')
  await expect(refused).rejects.toThrow('disk')
  await expect(answered).rejects.toThrow('disk')
  expect(await turns.take(async () => 'later')).toBe('later')
  expect(sync).toHaveBeenCalledTimes(2)
})

test('a group has at most sixteen requests', async () => {
  const sync = vi.fn<() => Promise<void>>().mockResolvedValue()
  const turns = new Turns(sync)
  await Promise.all(Array.from({ length: 40 }, () => turns.take(async () => undefined)))
  expect(sync).toHaveBeenCalledTimes(3)
})

test('is drained when everything that came before is answered', async () => {
  const turns = new Turns(async () => undefined)
  const answered: number[] = []
  for (const number of [1, 2]) void turns.take(async () => number).then((value) => answered.push(value))
  await turns.drained()
  expect(answered).toEqual([1, 2])
  await turns.drained()
})
