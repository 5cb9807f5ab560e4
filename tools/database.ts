/**
 * Checks the server's SQL against a migrated database in its own PostgreSQL: no new migration blocks a table in use,
 * every table has its grants, and PostgreSQL accepts every statement, with the columns that the code names.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../sandbox/postgres/index.ts'
import { createPool } from '../server/src/platform/db/index.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { findUngranted } from '../server/src/platform/db/roles.ts'
import { checkStatements } from './sql/check.ts'
import { judgeMigrations } from './sql/migration-rules.ts'
import { openSources } from './sql/project.ts'
import { STAND_INS } from './sql/stand-ins.ts'

const root = join(import.meta.dirname, '..')
/** The server's production code. */
const SERVER = /^server\/src\/(?!.*(\.test\.ts$|\/test-)).*\.ts$/
const dir = await mkdtemp(join(tmpdir(), 'bursar-checks-'))
const problems = await judgeMigrations('server/src/platform/db/migrations')
const postgres = await startPostgres({ dataDir: join(dir, 'pg') })
try {
  await migrate(postgres.url)
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    problems.push(...(await findUngranted(client)), ...(await checkSql(client)))
  } finally {
    await client.end()
  }
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}

async function checkSql(client: pg.Client): Promise<readonly string[]> {
  const { types } = createPool({ url: postgres.url }).options
  const sources = openSources(root, join(root, 'tsconfig.json'), (path) => SERVER.test(path))
  try {
    const report = await checkStatements(sources, client, (typeId) => types!.getTypeParser(typeId), STAND_INS)
    console.log(
      `SQL: ${report.statements} statements, ${report.texts} texts described by PostgreSQL, ${report.rows} rows compared, ${report.standIns} stand-ins`,
    )
    return report.problems
  } finally {
    sources.close()
  }
}
