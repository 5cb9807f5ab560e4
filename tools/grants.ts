/**
 * Fails when a table that the migrations make has no row in `server/src/platform/db/grants.ts`, by which the database
 * roles get their rights.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../sandbox/postgres/index.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { findUngranted } from '../server/src/platform/db/roles.ts'

const dir = await mkdtemp(join(tmpdir(), 'bursar-grants-'))
const postgres = await startPostgres({ dataDir: join(dir, 'pg') })
try {
  await migrate(postgres.url)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const ungranted = await findUngranted(client)
  await client.end()
  if (ungranted.length > 0) throw new Error(ungranted.join('\n'))
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
