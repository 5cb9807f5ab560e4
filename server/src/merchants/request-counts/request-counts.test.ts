/** Counts of requests: what processes add together, what a failed run keeps for the next, and what is deleted. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { countsOf, createCountPruneJob, createRequestCounts, type SignedRequest } from './index.ts'

const { db } = useDb()
const HOUR_MS = 3_600_000
const NOW = Date.UTC(2026, 5, 15, 12, 30)
const { signal } = new AbortController()
const of = (merchantId: string, more: Partial<SignedRequest> = {}): SignedRequest => ({
  merchantId,
  keyId: '00000000-0000-4000-8000-00000000000a',
  operation: 'getBalances',
  status: 200,
  ms: 4,
  ...more,
})
const countsAt = (merchantId: string, at = NOW) => countsOf(db, merchantId, new Date(at), 50)

test('two processes add to the same rows, by key and operation, and another merchant sees none of it', async () => {
  const [merchantId, other] = [randomUUID(), randomUUID()]
  const processes = [1, 2].map(() => createRequestCounts(db, () => NOW))
  for (const { note } of processes) {
    for (let i = 0; i < 10; i += 1) note(of(merchantId, { ms: i }))
    note(of(merchantId, { status: 400, ms: 90.4 }))
    note(of(merchantId, { operation: 'createCryptoWithdrawal' }))
  }
  await Promise.all(processes.map(({ job }) => job.run(signal)))
  await Promise.all(processes.map(({ job }) => job.run(signal)))
  expect(await countsAt(merchantId)).toEqual([
    expect.objectContaining({ operation: 'getBalances', day: 22, week: 22, refused: 2, slowestMs: 90 }),
    expect.objectContaining({ operation: 'createCryptoWithdrawal', day: 2, week: 2, refused: 0, meanMs: 4 }),
  ])
  expect(await countsAt(other)).toEqual([])
})

test('a run that fails leaves its counts, and those of before and after it are added', async () => {
  const merchantId = randomUUID()
  let isDown = true
  const failing = new Proxy(db, {
    get: (target, name) => {
      if (isDown) throw new Error('the database does not answer')
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  const { note, job } = createRequestCounts(failing, () => NOW)
  note(of(merchantId))
  await expect(job.run(signal)).rejects.toThrow()
  note(of(merchantId))
  isDown = false
  await job.run(signal)
  expect(await countsAt(merchantId)).toMatchObject([{ week: 2 }])
})

test('hours leave the sum of a day and of a week, and rows are deleted after eight days', async () => {
  const merchantId = randomUUID()
  for (const hours of [0, 23, 25, 160, 170, 200]) {
    const { note, job } = createRequestCounts(db, () => NOW - hours * HOUR_MS)
    note(of(merchantId))
    await job.run(signal)
  }
  expect(await countsAt(merchantId)).toMatchObject([{ day: 2, week: 4 }])
  await createCountPruneJob(createTestRuntime(db, () => NOW)).run(signal)
  const { rows } = await sql`select from request_counts where merchant_id = ${merchantId}`.execute(db)
  expect(rows).toHaveLength(5)
})
