import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../../test/setup/database.ts'
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
  await requireMigrated(database.url)
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    const all = await readMigrations()
    const late = all.at(-2)!
    // As if another branch had brought the newest, and the one before it came later.
    await client.query('delete from schema_migrations where name = $1', [late.name])
    await expect(requireMigrated(database.url)).rejects.toThrow('run `bursar migrate`')
    await client.query(
      `insert into schema_migrations(name, checksum) values ('202601010000-of-a-newer-build.sql', 'x')`,
    )
    await expect(migrate(database.url)).rejects.toThrow('the database is newer than this build: it has 202601010000-of')
  } finally {
    await client.end()
  }
})
