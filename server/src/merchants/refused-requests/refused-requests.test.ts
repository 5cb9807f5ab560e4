import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { createRefusalLog, createRefusalPruneJob, listRefused, type RefusedRequest } from './index.ts'

const { db } = useDb()
const NOW = Date.UTC(2026, 10, 28, 12)
const DAY = 86_400_000
const KEY = randomUUID()
let merchantId = ''
let count = 0
beforeEach(async () => {
  merchantId = (await makeMerchant(db, NOW)).id
})

const refused = (given: Partial<RefusedRequest> = {}): RefusedRequest => ({
  merchantId,
  keyId: KEY,
  at: NOW,
  requestId: `r-${(count += 1).toString(36).padStart(6, '0')}`,
  method: 'POST',
  path: '/withdrawals/crypto',
  operation: 'createWithdrawal',
  status: 400,
  code: 7,
  reason: 'more than the limit of a day',
  from: '192.0.2.7',
  ...given,
})
const store = async (all: readonly RefusedRequest[]): Promise<void> => {
  const log = createRefusalLog(db)
  for (const one of all) log.note(one)
  await log.job.run(new AbortController().signal)
}
const pages = async (limit: number): Promise<string[]> => {
  const ids: string[] = []
  let after: string | undefined
  do {
    const { rows, next } = await listRefused(db, merchantId, after, limit)
    ids.push(...rows.map(({ requestId }) => requestId))
    after = next ?? undefined
  } while (after !== undefined)
  return ids
}

describe('the log of refused requests', () => {
  test('keeps those that the merchant has signed, however many a stranger sends', async () => {
    await store(Array.from({ length: 50 }, () => refused()))
    for (let run = 1; run <= 40; run += 1)
      await store(Array.from({ length: 10 }, () => refused({ keyId: null, at: NOW + run })))
    await runUntilIdle([createRefusalPruneJob(createTestRuntime(db, () => NOW + 1_000))])
    const { rows } = await listRefused(db, merchantId, undefined, 2_000)
    expect([rows.filter(({ keyId }) => keyId !== null).length, rows.length]).toEqual([50, 250])
  })

  test('has each once, the newest first, on pages of any size', async () => {
    const all = [3, 1, 2, 2, 5, 4].map((ms) => refused({ at: NOW + ms }))
    await store(all)
    await store(all)
    const newestFirst = all
      .toSorted((a, b) => b.at - a.at || (a.requestId < b.requestId ? 1 : -1))
      .map(({ requestId }) => requestId)
    for (const limit of [1, 2, 3, 6, 7]) expect(await pages(limit)).toEqual(newestFirst)
    const { rows } = await listRefused(db, merchantId, 'no key of a page', 6)
    expect(rows[0]).toEqual(all[4])
  })

  test('has at most 50 of a merchant from each run, of which 10 have no valid signature', async () => {
    const other = (await makeMerchant(db, NOW)).id
    const own = Array.from({ length: 80 }, () => refused())
    const unsigned = Array.from({ length: 80 }, () => refused({ keyId: null }))
    await store([...unsigned, ...own, refused({ merchantId: other })])
    const { rows } = await listRefused(db, merchantId, undefined, 100)
    expect([rows.filter(({ keyId }) => keyId === KEY).length, rows.length]).toEqual([50, 60])
    expect((await listRefused(db, other, undefined, 100)).rows).toHaveLength(1)
    await store([refused()])
    expect((await listRefused(db, merchantId, undefined, 100)).rows).toHaveLength(61)
  })

  test('loses those behind the newest 1,000 of a merchant, and those of more than 30 days ago', async () => {
    const other = (await makeMerchant(db, NOW)).id
    // Raw: a run of the log stores at most 50 of a merchant.
    await sql`insert into refused_requests
        (merchant_id, at, request_id, key_id, method, path, operation, status, code, reason, sent_from)
      select m, ${new Date(NOW)}::timestamptz - make_interval(secs => i), 'i-' || i, ${KEY}, 'GET', '/', 'o', 400, 1, '', ''
      from unnest(${[merchantId, other]}::uuid[]) m, generate_series(1, 1200) i
      where m = ${merchantId} or i <= 900`.execute(db)
    await store([
      refused({ merchantId: other, at: NOW - 30 * DAY - 1 }),
      refused({ merchantId: other, at: NOW - 30 * DAY }),
    ])
    await runUntilIdle([createRefusalPruneJob(createTestRuntime(db, () => NOW))])
    const ids = await pages(500)
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 'i-1', 'i-1000'])
    expect((await listRefused(db, other, undefined, 2_000)).rows).toHaveLength(901)
  })
})
