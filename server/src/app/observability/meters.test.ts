import { Registry } from 'prom-client'
import pino from 'pino'
import { expect, test } from 'vitest'
import type { Signer } from '../../adapters/signer/index.ts'
import { createJobLoop } from '../../platform/jobs/index.ts'
import { createJobMeter, createSignerMeter } from './meters.ts'

const textOf = ({ metrics }: { metrics: readonly Parameters<Registry['registerMetric']>[0][] }): Promise<string> => {
  const registry = new Registry()
  for (const metric of metrics) registry.registerMetric(metric)
  return registry.metrics()
}

test('runs of a job are counted by outcome, with their durations', async () => {
  const meter = createJobMeter()
  const quiet = { now: () => Date.now(), failing: async () => {}, stuck: async () => {}, well: async () => {} }
  let runs = 0
  const run = async (): Promise<boolean> => {
    runs += 1
    if (runs === 2) throw new Error('this run fails')
    return runs < 2
  }
  const loop = createJobLoop([{ name: 'sweeping', everyMs: 60_000, run }], pino({ enabled: false }), {
    ...quiet,
    ran: meter.ran,
  })
  await expect.poll(() => textOf(meter)).toContain('bursar_job_runs_total{job="sweeping",outcome="failed"} 1')
  await loop.stop()
  const text = await textOf(meter)
  expect(text).toContain('bursar_job_runs_total{job="sweeping",outcome="done"} 1')
  expect(text).toContain('bursar_job_seconds_count{job="sweeping"} 2')
})

test('calls of the signer are counted by outcome, and their answers and errors are passed on', async () => {
  const meter = createSignerMeter()
  class Double {
    #asked = 0
    async sign() {
      this.#asked += 1
      return this.#asked === 1 ? { signed: '00', hash: '00' } : { refused: 'limit', message: '' }
    }
    async status() {
      throw new Error('no answer')
    }
    close(): void {}
  }
  const signer = meter.metered(new Double() as unknown as Signer & { close(): void })
  expect(await signer.sign({} as never)).toEqual({ signed: '00', hash: '00' })
  expect(await signer.sign({} as never)).toMatchObject({ refused: 'limit' })
  await expect(signer.status()).rejects.toThrow('no answer')
  signer.close()
  const text = await textOf(meter)
  for (const labels of ['sign",outcome="answered', 'sign",outcome="refused', 'status",outcome="unavailable'])
    expect(text).toContain(`bursar_signer_seconds_count{call="${labels}"} 1`)
  expect(text).not.toContain('close')
})
