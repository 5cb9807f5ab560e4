import { expect, inject, test } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { createDatabase, useDatabase } from './database.ts'
import type { Template } from './database.ts'

let migrations = 0

const template: Template = {
  name: 'fruit',
  migrate: async (url) => {
    migrations++
    await withClient(url, (client) => client.query("create table fruit as select 'pear' as name"))
  },
}

const ours = useDatabase({ template })

function names(url: string): Promise<string[]> {
  return withClient(url, async (client) =>
    (await client.query<{ name: string }>('select name from fruit')).rows.map((row) => row.name),
  )
}

test('each database starts as the template was left and does not see another', async () => {
  const other = await createDatabase({ template })
  await withClient(ours.url, (client) => client.query("insert into fruit values ('plum')"))
  expect(await names(ours.url)).toEqual(['pear', 'plum'])
  expect(await names(other.url)).toEqual(['pear'])
  expect(migrations).toBeLessThanOrEqual(1)
  await other.drop()
  await expect(names(other.url)).rejects.toThrow('does not exist')
})

test('clones made at once migrate the template once', async () => {
  let count = 0
  const slow: Template = {
    name: 'slow',
    migrate: async (url) => {
      count++
      await withClient(url, (client) => client.query('create table slow as select pg_sleep(0.1)::text'))
    },
  }
  const made = await Promise.all([1, 2, 3].map(() => createDatabase({ template: slow })))
  expect(count).toBe(1)
  await Promise.all(made.map((database) => database.drop()))
})

test('a migration that fails is run again for the next caller', async () => {
  let broken = true
  const flaky: Template = {
    name: 'flaky',
    migrate: async (url) => {
      if (broken) throw new Error('the migration is broken')
      await withClient(url, (client) => client.query("create table fruit as select 'fig' as name"))
    },
  }
  await expect(createDatabase({ template: flaky })).rejects.toThrow('the migration is broken')
  broken = false
  const database = await createDatabase({ template: flaky })
  expect(await names(database.url)).toEqual(['fig'])
  await database.drop()
})

test('the server keeps the settings that ledger tests rely on', async () => {
  const shown = await withClient(inject('postgresUrl'), (client) =>
    client.query<{ synchronous_commit: string }>('show synchronous_commit'),
  )
  expect(shown.rows[0]?.synchronous_commit).toBe('on')
})
