import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { reportDatabase } from './doctor-database.ts'

const database = useDatabase({ template: migrated })
let pool: pg.Pool
beforeAll(() => {
  pool = createPool({ url: database.url, applicationName: 'bursar worker' })
})
afterAll(() => pool.end())

const reported = async (sandbox: boolean): Promise<[boolean, string][]> => {
  const said: [boolean, string][] = []
  await reportDatabase(
    { config: { sandbox }, runtime: { db: createDb(pool) } } as unknown as Parameters<typeof reportDatabase>[0],
    (good, text) => void said.push([good, text]),
  )
  return said
}

test('audit S-4: doctor reports that the clock was moved, as an error outside a sandbox', async () => {
  expect((await reported(false))[0]).toEqual([true, 'database: schema of this build, business clock 0 ms ahead'])
  await sql`update business_clock set offset_ms = 5`.execute(createDb(pool))
  expect((await reported(false))[0]).toEqual([
    false,
    "database: schema of this build, business clock 5 ms ahead of the real one, which only a sandbox's may be",
  ])
  expect((await reported(true))[0]).toEqual([true, 'database: schema of this build, business clock 5 ms ahead'])
})

test('audit S-3: doctor reports a process that is logged in as the owner of the tables', async () => {
  expect(await reported(false)).toContainEqual([
    false,
    expect.stringContaining('database: bursar worker is logged in as postgres, which owns the tables'),
  ])
  expect((await reported(true)).every(([good]) => good)).toBe(true)
})
