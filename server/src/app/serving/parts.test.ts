import { expect, test } from 'vitest'
import { runParts } from './parts.ts'

/** Parts that note what becomes of them. */
const world = () => {
  const seen: string[] = []
  const part = (name: string) => async () => void seen.push(`${name} stops`)
  return { seen, part, onStopping: () => void seen.push('stopping') }
}

test('parts run until they are ended, and stop in the opposite order', async () => {
  const { seen, part, onStopping } = world()
  await runParts(
    async (started) => {
      started(part('database'))
      started(part('api'))
    },
    Promise.resolve(),
    onStopping,
  )
  expect(seen).toEqual(['stopping', 'api stops', 'database stops'])
})

test('audit O-3.5 S-7: when a part does not start, those before it are stopped and the error is thrown', async () => {
  const { seen, part, onStopping } = world()
  const started = runParts(
    async (start) => {
      start(part('database'))
      start(part('worker'))
      throw new Error('listen EADDRINUSE')
    },
    new Promise(() => {}),
    onStopping,
  )
  await expect(started).rejects.toThrow('EADDRINUSE')
  expect(seen).toEqual(['stopping', 'worker stops', 'database stops'])
})

test('a later failure ends all parts too, and a part that can not be stopped does not keep the others', async () => {
  const { seen, part, onStopping } = world()
  const ended = Promise.reject(new Error('the database was exchanged'))
  await expect(
    runParts(
      async (started) => {
        started(part('database'))
        started(async () => Promise.reject(new Error('stuck')))
      },
      ended,
      onStopping,
    ),
  ).rejects.toThrow()
  expect(seen).toEqual(['stopping', 'database stops'])
})
