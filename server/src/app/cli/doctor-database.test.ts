import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createBackupWatchJob, recordBackup } from '../../platform/runtime/backups.ts'
import { createDb, createPool } from '../../platform/db/index.ts'
import { faultOfReceiver, judgeDurability, judgeStandbys, reportDatabase } from './doctor-database.ts'
import { readStandbyNames } from '../backup/standby-names.ts'

const NOW = Date.UTC(2026, 10, 28)
const database = useDatabase({ template: migrated })
let pool: pg.Pool
beforeAll(() => {
  pool = createPool({ url: database.url, applicationName: 'bursar worker' })
})
afterAll(() => pool.end())

/** With `note` for lines that are no fault. */
const reported = async (sandbox: boolean): Promise<[boolean | 'note', string][]> => {
  const said: [boolean | 'note', string][] = []
  await reportDatabase(
    { config: { sandbox }, runtime: createTestRuntime(createDb(pool), () => NOW) } as unknown as Parameters<
      typeof reportDatabase
    >[0],
    (good, text) => void said.push([good, text]),
    (text) => void said.push(['note', text]),
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

test('D12 a new installation has a day for its first backup; later a missing or old one is an error with an alert', async () => {
  await sql`update schema_migrations set applied_at = ${new Date(NOW - 25 * 3_600_000)}`.execute(createDb(pool))
  expect(
    (await reported(false)).filter(([, text]) => text.includes('has ended well yet')).map(([good]) => good),
  ).toEqual([true, true])
  await sql`update schema_migrations set applied_at = ${new Date(NOW - 36 * 24 * 3_600_000)}`.execute(createDb(pool))
  const runtime = createTestRuntime(createDb(pool), () => NOW)
  const watch = () => createBackupWatchJob(runtime, 1).run(new AbortController().signal)
  const alerts = async () =>
    (
      await sql<{
        subject: string
      }>`select subject from alerts where kind = 'backup-old' and resolved_at is null`.execute(runtime.db)
    ).rows
  const said = async () => (await reported(false)).filter(([, text]) => /newest|has ended well yet/.test(text))
  const record = (kind: 'backup' | 'drill', hours: number) =>
    recordBackup(
      runtime.db,
      { kind, name: '20261128T000000Z', walPosition: '0/1', signerLogLength: null },
      runtime,
      new Date(NOW - hours * 3_600_000),
    )
  expect((await said()).map(([good]) => good)).toEqual([false, false])
  await watch()
  expect(await alerts()).toEqual([{ subject: 'backup' }, { subject: 'drill' }])
  await record('backup', 26)
  await record('drill', 26)
  expect((await said()).map(([good]) => good)).toEqual([false, true])
  await watch()
  expect(await alerts()).toEqual([{ subject: 'backup' }])
  await record('backup', 25)
  await watch()
  expect([(await said()).map(([good]) => good), await alerts()]).toEqual([[true, true], []])
})

test('an installation of one machine is named outside a sandbox', async () => {
  expect(await reported(false)).toContainEqual([
    'note',
    expect.stringContaining('synchronous_standby_names is empty: the loss of this machine loses the last commits'),
  ])
})

test.each<[commit: string, standbys: string, good: boolean | 'note', text: string]>([
  ['off', 'a', false, 'a crash loses commits that were acknowledged'],
  ['on', '', 'note', 'the loss of this machine loses the last commits'],
  ['local', 'a', false, 'the loss of this machine loses the last commits'],
  ['remote_write', 'a', 'note', 'If both machines lose power at once, the last commits are lost'],
  ['on', 'a', true, 'each commit is on two machines before it is acknowledged'],
  ['remote_apply', 'a', true, 'each commit is on two machines before it is acknowledged'],
  ['on', 'FIRST 2 (a, b, c)', true, 'each commit is on 3 machines before it is acknowledged'],
  // Values that set_synchronous_standby_names of patroni/postgresql/sync.py writes with quorum commit.
  ['on', 'ANY 1 (db2,db3)', true, 'each commit is on 2 of 3 machines before it is acknowledged'],
  ['on', 'ANY 1 (db2,db3,db4)', true, 'compare it with 2 of the others'],
  ['on', 'ANY 2 (db2,db3,db4)', true, 'each commit is on 3 of 4 machines before it is acknowledged'],
  ['on', 'ANY 2 (db2,db3)', true, 'each commit is on 3 machines before it is acknowledged'],
  ['on', 'ANY 1 (*)', 'note', 'any program that receives the log counts as a standby'],
  ['on', '*', 'note', 'also a backup'],
  ['off', 'ANY 1 (db2,db3)', false, 'a crash loses commits that were acknowledged'],
  ['remote_write', 'ANY 1 (db2,db3)', 'note', 'If both machines lose power at once, the last commits are lost'],
])('synchronous_commit %s with the standbys "%s" is judged as %s', (commit, standbys, good, text) => {
  expect(judgeDurability(commit, standbys)).toEqual([good, expect.stringContaining(text)])
})

test.each<[required: number, synchronous: number, unseen: number, good: boolean | 'note', text: string]>([
  [1, 1, 0, true, '1 of 3 connected standbys is synchronous'],
  [1, 2, 0, true, '2 of 3 connected standbys are synchronous'],
  [1, 0, 0, false, 'no synchronous standby is connected'],
  [2, 1, 0, false, '1 synchronous standby of 2 is connected: commits wait for the others'],
  [2, 0, 3, 'note', 'may not see which are synchronous'],
])(
  'a commit that waits for %i standbys, with %i synchronous and %i unseen',
  (required, synchronous, unseen, good, text) => {
    expect(judgeStandbys(required, { connected: 3, synchronous, unseen })).toEqual([
      good,
      expect.stringContaining(text),
    ])
  },
)

test.each<[standbys: string, isFault: boolean]>([
  ['', false],
  ['FIRST 1 (Bursar_Backup)', false],
  ['"bursar_backup", db2', false],
  ['db2', true],
  ['*', true],
  ['ANY 1 (*)', true],
  ['ANY 1 (db2,db3)', true],
])('a receiver that tells its position, with the standbys "%s": fault %s', (standbys, isFault) => {
  expect(faultOfReceiver(standbys, 'bursar_backup')).toEqual(
    isFault ? expect.stringContaining('counts as a standby while synchronous_standby_names is *') : undefined,
  )
})

test.each<[text: string, method: 'any' | 'first', count: number, names: string[]]>([
  ['a', 'first', 1, ['a']],
  [' a , "b c" ', 'first', 1, ['a', 'b c']],
  ['2 (a, b)', 'first', 2, ['a', 'b']],
  ['FiRsT 2(a,b)', 'first', 2, ['a', 'b']],
  ['any 4("a",*,b)', 'any', 4, ['a', '*', 'b']],
  ['first', 'first', 1, ['first']],
  ['"ANY 1 (a)"', 'first', 1, ['ANY 1 (a)']],
  ['"a""b",any', 'first', 1, ['a"b', 'any']],
])('synchronous_standby_names %s is read', (text, method, count, names) => {
  expect(readStandbyNames(text)).toEqual({ method, count, names })
})

test('a synchronous_standby_names without a name asks for no standby', () => {
  expect(readStandbyNames('')).toBeUndefined()
  expect(readStandbyNames('  ')).toBeUndefined()
})
