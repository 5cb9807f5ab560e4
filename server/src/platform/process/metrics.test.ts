import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createInnerServer } from './metrics.ts'

let lag = 3
let isHealthy = true
let reasons: string[] = []
const server = createInnerServer(
  [
    {
      name: 'bursar_lag',
      help: 'Lag',
      labels: ['network'],
      read: async () => [{ labels: { network: 'BITCOIN' }, value: lag }],
    },
    {
      name: 'bursar_things_total',
      help: 'Things',
      labels: [],
      kind: 'counter',
      read: async () => [{ labels: {}, value: 7 }],
    },
  ],
  {
    healthy: async () => {
      if (!isHealthy) throw new Error('the database does not answer')
    },
    missing: async () => reasons,
    clockOffset: () => 60_000,
  },
)
let base = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

test('figures are read when they are asked for, and counters do not add up with each look', async () => {
  const look = async (): Promise<string> => (await fetch(`${base}/metrics`)).text()
  await look()
  lag = 5
  const text = await look()
  expect(text).toContain('bursar_lag{network="BITCOIN"} 5')
  expect(text).toMatch(/# TYPE bursar_things_total counter\nbursar_things_total 7/)
  expect(text).toContain('process_resident_memory_bytes')
})

test('health reports the error; other paths are not found', async () => {
  expect((await fetch(`${base}/health`)).status).toBe(200)
  isHealthy = false
  const ill = await fetch(`${base}/health`)
  expect([ill.status, await ill.text()]).toEqual([503, 'Error: the database does not answer'])
  expect((await fetch(`${base}/`)).status).toBe(404)
})

test('a process that is not ready is alive, and says its reasons', async () => {
  const ask = async (path: string) => {
    const answer = await fetch(`${base}${path}`)
    return [answer.status, await answer.json()]
  }
  expect(await ask('/health/ready')).toEqual([200, { status: 'ready' }])
  reasons = ['signer: does not answer']
  expect(await ask('/health/ready')).toEqual([503, { status: 'not ready', reasons }])
  expect(await ask('/health/live')).toEqual([200, { status: 'live' }])
  expect(await ask('/business-clock')).toEqual([200, { offsetMs: 60_000 }])
})
