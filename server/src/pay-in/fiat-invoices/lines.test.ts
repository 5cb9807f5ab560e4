import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { openFiatInvoices, type FiatWorld } from '../../../../test/world/fiat-invoices.ts'
import { createPaymentJobs, createRoutingTable } from '../../cards/acquiring/index.ts'

const database = useDb()

/** Each job as a process has it: again and again, never twice at once. */
const runAll = async (world: FiatWorld, work: () => Promise<void>): Promise<void> => {
  const acquirers = new Map([world.first, world.second].map((one) => [one.name, one]))
  const table = createRoutingTable([world.first, world.second])
  const jobs = createPaymentJobs(
    {
      runtime: world.runtime,
      acquirers,
      table,
      subscriber: world.subscriber,
      publicUrl: 'https://pay.example',
      pause: async () => {},
    },
    1,
  )
  const stop = new AbortController()
  const ended = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve())
  })
  const loops = jobs.map(async (job) => {
    while (!stop.signal.aborted) if (!(await Promise.race([job.run(stop.signal), ended]))) await sleep(5)
  })
  try {
    await work()
  } finally {
    stop.abort()
    await Promise.all(loops)
  }
}

test('an acquirer that hangs on a question delays no page of another acquirer, nor its own', async () => {
  const world = await openFiatInvoices(database)
  const { UAH, KZT } = world.first.capabilities.payIn
  Object.assign(world.first, { capabilities: { ...world.first.capabilities, payIn: { UAH } } })
  Object.assign(world.second, { capabilities: { ...world.second.capabilities, payIn: { KZT } } })
  for (let i = 0; i < 12; i += 1) await world.atTheBank()
  const hung: (() => void)[] = []
  world.first.paymentState = () =>
    new Promise((resolve) => {
      hung.push(() => resolve({ kind: 'waiting' }))
    })
  world.now += 60_000
  await runAll(world, async () => {
    await vi.waitFor(() => expect(hung).toHaveLength(10), { timeout: 60_000 })
    const other = await world.create({ amount: { value: '15000', ticker: 'KZT' } })
    const own = await world.create()
    for (const id of [other, own]) {
      await world.proceed(id)
      await vi.waitFor(async () => expect((await world.forPayer(id)).status.at).toBe('leaving'), {
        timeout: 60_000,
      })
    }
    for (const end of hung) end()
  })
})
