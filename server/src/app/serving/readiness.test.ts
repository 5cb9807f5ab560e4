import { expect, test } from 'vitest'
import { createReadiness } from './readiness.ts'

test('a process is ready from the start of all parts until it is asked to stop', async () => {
  const readiness = createReadiness()
  readiness.add('database', async () => {})
  expect(await readiness.missing()).toEqual(['process: it starts'])
  readiness.began()
  expect(await readiness.missing()).toEqual([])
  readiness.stops()
  readiness.began()
  expect([readiness.isStopping(), await readiness.missing()]).toEqual([true, ['process: it stops']])
})

test('each check that fails is named with its reason, also one that never answers', async () => {
  const readiness = createReadiness()
  readiness.add('database', async () => {})
  readiness.add('signer', () => Promise.reject(new Error('does not answer')))
  readiness.add('BITCOIN', () => new Promise(() => {}))
  readiness.began()
  expect(await readiness.missing()).toEqual(['signer: does not answer', 'BITCOIN: no answer within 3000 ms'])
})

test('probes at the same time share one look', async () => {
  let looks = 0
  const readiness = createReadiness()
  readiness.add('database', async () => {
    looks += 1
  })
  readiness.began()
  await Promise.all(Array.from({ length: 50 }, () => readiness.missing()))
  expect(looks).toBe(1)
})
