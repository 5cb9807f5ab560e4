import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createDb,
  createPool,
  inTransaction,
  PreparedConnection,
  type Db,
  type Tx,
} from '../../server/src/platform/db/index.ts'
import { useDb } from '../world/database.ts'
import { explore } from './exploring.ts'
import { following, runSchedule, textOf, type Choose, type Ran } from './schedule.ts'
import { startSide, type Side } from './stepping.ts'

const database = useDb()
let sides: [Side, Side]
let pools: pg.Pool[]
let dbs: [Db, Db]
let probe: pg.Client

beforeAll(async () => {
  sides = [await startSide(database.url), await startSide(database.url)]
  pools = sides.map(({ url }) => createPool({ url, statementMs: 0, connectMs: 0 }))
  dbs = [createDb(pools[0]!), createDb(pools[1]!)]
  probe = new pg.Client({ connectionString: database.url })
  await probe.connect()
  await sql`create table counters (name text primary key, count integer not null)`.execute(database.db)
})

afterAll(async () => {
  await sql`drop table counters`.execute(database.db)
  await probe.end()
  for (const pool of pools) await pool.end()
  for (const side of sides) await side.close()
})

beforeEach(async () => {
  await sql`delete from counters`.execute(database.db)
  await sql`insert into counters(name, count) values ('a', 0), ('b', 0)`.execute(database.db)
})

const countOf = async (): Promise<number> =>
  (await sql<{ count: number }>`select count from counters where name = 'a'`.execute(database.db)).rows[0]!.count

const adding =
  (locked: boolean) =>
  async (tx: Tx): Promise<void> => {
    const { rows } = await sql<{ count: number }>`select count from counters where name = 'a' ${sql.raw(
      locked ? 'for update' : '',
    )}`.execute(tx)
    await sql`update counters set count = ${rows[0]!.count + 1} where name = 'a'`.execute(tx)
  }

const runTwo = (works: readonly [(tx: Tx) => Promise<void>, (tx: Tx) => Promise<void>], choose: Choose): Promise<Ran> =>
  runSchedule(probe, sides, [() => inTransaction(dbs[0], works[0]), () => inTransaction(dbs[1], works[1])], choose)

/** The counts that all orders of two additions leave. */
const countsOfAll = async (locked: boolean): Promise<{ counts: Set<number>; waits: number }> => {
  const counts = new Set<number>()
  let waits = 0
  await explore({ most: 100, seed: 's' }, async (choose) => {
    await sql`update counters set count = 0`.execute(database.db)
    const ran = await runTwo([adding(locked), adding(locked)], choose)
    waits += ran.waits
    counts.add(await countOf())
    return ran.points
  })
  return { counts, waits }
}

test('some order loses an update of a row that was read without a lock', async () => {
  expect((await countsOfAll(false)).counts).toEqual(new Set([1, 2]))
})

test('no order loses one that was read with a lock, and the second waits for it', async () => {
  const { counts, waits } = await countsOfAll(true)
  expect(counts).toEqual(new Set([2]))
  expect(waits).toBeGreaterThan(0)
})

test('a schedule is followed, and the other goes on where one waits', async () => {
  const ran = await runTwo([adding(true), adding(true)], following('0101010'))
  // Its second statement waits for the first one's COMMIT.
  expect(textOf(ran.points)).toBe('010011')
  expect(ran.waits).toBe(1)
  expect(await countOf()).toBe(2)
  expect(ran.results).toEqual([undefined, undefined])
})

test('a deadlock is counted, and the repeated operation ends well', async () => {
  const touch = (first: string, second: string) => async (tx: Tx) => {
    for (const name of [first, second])
      await sql`update counters set count = count + 1 where name = ${name}`.execute(tx)
  }
  const ran = await runTwo([touch('a', 'b'), touch('b', 'a')], following('0101'))
  expect(ran.deadlocks).toBe(1)
  expect(ran.results).toEqual([undefined, undefined])
  expect(await countOf()).toBe(2)
})

test('a pipelined connection takes a step for each statement', async () => {
  const connection = new PreparedConnection({ url: sides[0].url, statementMs: 0, lockWaitMs: 0, connectMs: 0 })
  const pipelined = async (): Promise<void> => {
    const { query, oneTrip } = await connection.session()
    await oneTrip(() =>
      Promise.all([
        query('b', 'begin', []),
        query('u', "update counters set count = count + 1 where name = 'a'", []),
        query('c', 'commit', []),
      ]),
    )
  }
  const other = () => inTransaction(dbs[1], adding(true))
  const ran = await runSchedule(probe, sides, [pipelined, other], following('0111'))
  await connection.close()
  expect(ran.steps.filter(({ turn }) => turn === 0).map(({ text }) => text.split(' ')[0])).toEqual(['update', 'commit'])
  expect(ran.waits).toBe(1)
  expect(await countOf()).toBe(2)
})

test('an error is the result of its operation', async () => {
  const fails = async (tx: Tx): Promise<void> => void (await sql`select 1 / 0`.execute(tx))
  const ran = await runTwo([fails, adding(true)], following('01'))
  expect(ran.results).toEqual([expect.objectContaining({ code: '22012' }), undefined])
})
