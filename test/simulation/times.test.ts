import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { processorTimes, timed, type Times } from './times.ts'

test('each run of a part is counted, one that fails too', async () => {
  const times: Times = new Map()
  await timed(times, 'mine', async () => {})
  await expect(timed(times, 'mine', () => Promise.reject(new Error('no node')))).rejects.toThrow('no node')
  expect(times.get('mine')).toEqual({ runs: 2, ms: expect.any(Number) })
})

test.skipIf(!existsSync('/proc/self/stat'))(
  'a program that this process has started is shown by its name',
  async () => {
    const child = spawn('sleep', ['60'])
    await once(child, 'spawn')
    try {
      expect(processorTimes().get('sleep')).toBeGreaterThanOrEqual(0)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
    expect(processorTimes().has('sleep')).toBe(false)
  },
)
