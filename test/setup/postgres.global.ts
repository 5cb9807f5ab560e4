/** One PostgreSQL for the whole run, thrown away afterwards. BURSAR_TEST_PG names a server to use instead. */
import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../sandbox/postgres/index.ts'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { makeScratch } from './scratch.ts'
import './provided.ts'

/**
 * The machine outlives a test: the cache of the kernel survives any kill, so waiting for the disk proves nothing.
 */
const settings = { fsync: 'off', full_page_writes: 'off', shared_buffers: '128MB', max_wal_size: '256MB' }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runId = randomBytes(4).toString('hex')
  project.provide('runId', runId)
  const outside = process.env['BURSAR_TEST_PG']
  if (outside !== undefined && outside !== '') {
    project.provide('postgresUrl', outside)
    return () => dropDatabasesOf(outside, runId)
  }
  const scratch = await makeScratch('postgres')
  const server = await startPostgres({ dataDir: `${scratch.dir}/data`, settings })
  scratch.owns('postgres', server)
  project.provide('postgresUrl', server.url)
  process.env['BURSAR_TEST_PG'] = server.url
  return async () => {
    delete process.env['BURSAR_TEST_PG']
    await server.stop()
    scratch.remove()
  }
}

async function dropDatabasesOf(url: string, runId: string): Promise<void> {
  await withClient(url, async (client) => {
    const found = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [`bursar_${runId}_`],
    )
    for (const { datname } of found.rows) {
      const name = client.escapeIdentifier(datname)
      await client.query(`alter database ${name} is_template false`)
      await client.query(`drop database ${name} with (force)`)
    }
  })
}
