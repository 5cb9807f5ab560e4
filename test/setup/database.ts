/** A database of its own for a test file, cloned from a template that is migrated once per run. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, inject } from 'vitest'
import { withClient } from '../../sandbox/postgres/connection.ts'
import './provided.ts'

export interface Template {
  /** Lower-case letters, digits and underscores; the same name means the same migrations. */
  readonly name: string
  /** Brings an empty database to the state to clone. Must close its connections. */
  readonly migrate: (url: string) => Promise<void>
}

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Creates a database: a clone of the template, or an empty one. The caller drops it. */
export async function createDatabase({ template }: { template?: Template } = {}): Promise<TestDatabase> {
  const database = nameDatabase()
  await database.create(template)
  return database
}

/** For the top of a test file: made before its first test, dropped after its last. */
export function useDatabase({ template }: { template?: Template } = {}): { readonly url: string } {
  const { url, create, drop } = nameDatabase()
  beforeAll(() => create(template))
  afterAll(drop)
  return { url }
}

function nameDatabase(): TestDatabase & { create(template?: Template): Promise<void> } {
  const server = inject('postgresUrl')
  const name = `bursar_${inject('runId')}_${randomBytes(5).toString('hex')}`
  return {
    url: withDatabase(server, name),
    create: async (template) => {
      const source = template === undefined ? 'template0' : await ensureTemplate(server, template)
      // Copied as files: through the write-ahead log it takes ten times as long.
      await withClient(server, (client) =>
        client.query(`create database ${name} template ${source} strategy file_copy`),
      )
    },
    drop: () =>
      withClient(server, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`)
      }),
  }
}

/** Test files run in processes of their own: the first one migrates while the others wait at the advisory lock. */
async function ensureTemplate(server: string, template: Template): Promise<string> {
  const name = `bursar_${inject('runId')}_t_${template.name}`
  await withClient(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const found = await client.query<{ datistemplate: boolean }>(
      'select datistemplate from pg_database where datname = $1',
      [name],
    )
    if (found.rows[0]?.datistemplate === true) return
    // Left by a migration that failed: start afresh, so that every file reports the same failure.
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name} template template0`)
    await template.migrate(withDatabase(server, name))
    await client.query(`alter database ${name} with is_template true allow_connections false`)
  })
  return name
}

function withDatabase(server: string, name: string): string {
  return server.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}
