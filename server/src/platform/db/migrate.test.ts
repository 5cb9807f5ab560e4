import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabase, useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { temporaryFolder } from '../../../../test/setup/temporary.ts'
import { migrate, readMigrations, requireMigrated } from './migrate.ts'

const database = useDatabase()
const folderOf = (...names: string[]): URL => {
  const folder = temporaryFolder('migrations')
  for (const name of names) writeFileSync(join(folder, name), 'select 1')
  return pathToFileURL(`${folder}/`)
}

test('numbers of old releases come before times, and times in their order', async () => {
  const names = [
    '202701020304-b.sql',
    '0193-watched-payments.sql',
    '202611241210-c.sql',
    '0001-a.sql',
    '202611241210-a.sql',
  ]
  expect((await readMigrations(folderOf(...names))).map(({ name }) => name)).toEqual([
    '0001-a.sql',
    '0193-watched-payments.sql',
    '202611241210-a.sql',
    '202611241210-c.sql',
    '202701020304-b.sql',
  ])
})

test.each(['0194-next.sql', '2026-x.sql', '202613241210-x.sql', '202611242510-x.sql', '202611241210.sql', 'x.sql'])(
  '%s is no name of a migration',
  async (name) => {
    await expect(readMigrations(folderOf('0001-a.sql', name))).rejects.toThrow(
      `npm run migration -- what\` does, and not ${name}`,
    )
  },
)

test('roles refuse a database that lacks a migration, whichever, and no build migrates a newer one', async () => {
  await migrate(database.url)
  expect(await requireMigrated(database.url)).toEqual([])
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    const all = await readMigrations()
    const late = all.at(-2)!
    // As if another branch had brought the newest, and the one before it came later.
    await client.query('delete from schema_migrations where name = $1', [late.name])
    await expect(requireMigrated(database.url)).rejects.toThrow(`run \`bursar migrate\` (it lacks ${late.name})`)
    await client.query(
      // Raw: the record of a newer build.
      `insert into schema_migrations(name, checksum) values ('202601010000-of-a-newer-build.sql', 'x')`,
    )
    await expect(migrate(database.url)).rejects.toThrow('the database is newer than this build: it has 202601010000-of')
  } finally {
    await client.end()
  }
})

/** The migrations of this build and one more, which comes last. */
const folderWith = (sql: string): URL => {
  const folder = temporaryFolder('migrations')
  cpSync(new URL('./migrations/', import.meta.url), folder, { recursive: true })
  writeFileSync(join(folder, LAST), sql)
  return pathToFileURL(`${folder}/`)
}
const LAST = '209901010000-last.sql'

const migratedWith = async <T>(work: (client: pg.Client, url: string) => Promise<T>): Promise<T> => {
  const own = await createDatabase({ template: migrated })
  const client = new pg.Client({ connectionString: own.url, application_name: 'clerk' })
  await client.connect()
  try {
    return await work(client, own.url)
  } finally {
    await client.end()
    await own.drop()
  }
}

test('a migration whose table is locked gives up, so that no session waits long behind it, and runs later', async () => {
  await migratedWith(async (client, url) => {
    const folder = folderWith('alter table merchants add column shade text')
    await client.query('begin; lock table merchants in access share mode')
    const said: string[] = []
    const how = { folder, lockWaitMs: 1_000, tries: 2, pauseMs: 1, report: (sentence: string) => said.push(sentence) }
    await expect(migrate(url, how)).rejects.toThrow(
      `${LAST} waited 1000 ms for a lock that ${await nameOf(client)} holds, and did nothing in 2 attempts`,
    )
    expect(said).toEqual([
      `${LAST} waited 1000 ms for a lock that ${await nameOf(client)} holds: attempt 2 of 2 follows`,
    ])
    await client.query('commit')
    await expect(migrate(url, { folder, lockWaitMs: 60_000 })).resolves.toEqual([LAST])
  })
})

test('an index is built outside a transaction, and one that was not built whole is named', async () => {
  await migratedWith(async (client, url) => {
    const folder = folderWith(`-- outside a transaction
-- Two statements, the first of which does nothing.
drop index concurrently if exists codes_once;
create unique index concurrently if not exists codes_code on codes (code);
`)
    await client.query("create table codes as select 'a' as code from generate_series(1, 2)")
    await expect(migrate(url, { folder })).rejects.toThrow('could not create unique index "codes_code"')
    await client.query('delete from codes')
    await expect(migrate(url, { folder })).rejects.toThrow(
      'the index codes_code was not built whole: `drop index concurrently codes_code`, then run `bursar migrate` again',
    )
    await client.query('drop index concurrently codes_code')
    await expect(migrate(url, { folder })).resolves.toEqual([LAST])
  })
})

/** The name of a session in messages. */
const nameOf = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query<{ pid: number; login: string }>(
    'select pg_backend_pid() as pid, current_user::text as login',
  )
  return `session ${rows[0]!.pid} (${rows[0]!.login}, clerk)`
}

test('a migration goes on by itself when the session that blocked it has ended its transaction', async () => {
  await migratedWith(async (client, url) => {
    await client.query('begin; lock table merchants in access share mode')
    const folder = folderWith('alter table merchants add column shade text')
    const report = (): void => void client.query('commit')
    await expect(migrate(url, { folder, lockWaitMs: 1_000, pauseMs: 1, report })).resolves.toEqual([LAST])
  })
})

test('an index that is built beside a long transaction waits for it, and names its session', async () => {
  await migratedWith(async (client, url) => {
    await client.query('begin; lock table merchants in row exclusive mode')
    const folder = folderWith(`-- outside a transaction
create index concurrently if not exists merchants_shade on merchants (name);
`)
    const said: string[] = []
    const report = (sentence: string): void => {
      said.push(sentence)
      void client.query('commit')
    }
    const name = await nameOf(client)
    await expect(migrate(url, { folder, lockWaitMs: 100, report })).resolves.toEqual([LAST])
    expect(said).toEqual([`${LAST} waits for the transaction of ${name}; the tables stay in use meanwhile`])
  })
})

test('a build runs on a schema that a newer one has expanded, and not on one that it has contracted', async () => {
  await migratedWith(async (_, url) => {
    await migrate(url, { folder: folderWith('alter table merchants add column shade text') })
    expect(await requireMigrated(url)).toEqual([LAST])
  })
  await migratedWith(async (_, url) => {
    await migrate(url, {
      folder: folderWith('-- Why.\n-- contract after 0.2.0\nalter table merchants drop column name'),
    })
    await expect(requireMigrated(url)).rejects.toThrow(
      `this build is too old for the database: ${LAST} removed what it uses`,
    )
  })
})

test('a role says that its database lacks a migration, also if an older build has migrated it last', async () => {
  await migratedWith(async (client, url) => {
    const { name } = (await readMigrations()).at(-1)!
    await client.query('alter table schema_migrations drop column contracts')
    await client.query('delete from schema_migrations where name = $1', [name])
    await expect(requireMigrated(url)).rejects.toThrow(`it lacks ${name}`)
  })
})
