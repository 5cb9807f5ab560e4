import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { changeSettings, type ChangedSettings } from '../cli/test-settings.ts'

const { url } = useDb()
let changed: ChangedSettings
let role: ChildProcess
beforeAll(async () => {
  changed = await changeSettings(url)
  // Long, so that a busy machine asks within this time: the test does not wait for its end.
  const env = { ...changed.env, BURSAR_DRAIN_SECONDS: '30', BURSAR_LOG_LEVEL: 'silent' }
  role = fork(new URL('../../main.ts', import.meta.url), ['serve', '--role', 'all'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await Promise.race([
    once(role, 'message'),
    once(role, 'exit').then(() => Promise.reject(new Error('it ended while it started'))),
  ])
})
afterAll(async () => {
  const ended = once(role, 'exit')
  role.kill('SIGKILL')
  await ended
  await changed.close()
})

const asks = async (port: number, path: string): Promise<[number, string]> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return [answer.status, await answer.text()]
}

test('a worker without its signer is alive and not ready; the api beside it is ready, and stops being so when it is asked to stop, while it still serves', async () => {
  const { api, inner } = changed.ports
  // The double of the signer answers no status.
  expect(await asks(inner, '/health/ready')).toMatchObject([503, expect.stringContaining('"signer: ')])
  expect(await asks(inner, '/health/live')).toEqual([200, '{"status":"live"}'])
  expect((await asks(api, '/health/ready'))[0]).toBe(200)

  role.kill('SIGTERM')
  await expect.poll(async () => (await asks(inner, '/health/ready'))[1]).toContain('process: it stops')
  await expect.poll(async () => (await asks(api, '/health/ready'))[0]).toBe(503)
  expect((await asks(api, '/openapi.json'))[0]).toBe(200)
  expect((await asks(inner, '/health/live'))[0]).toBe(200)
})
