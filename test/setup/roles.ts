/** The database roles of an installation on the test server, under a prefix of their own. */
import { inject } from 'vitest'
import { applyGrants, createRolesSql, roleName } from '../../server/src/platform/db/index.ts'
import type { DATABASE_ROLES } from '../../server/src/platform/db/index.ts'
import { withClient } from '../../sandbox/postgres/connection.ts'

type Kind = keyof typeof DATABASE_ROLES

export interface TestRoles {
  /** The prefix of the names of the roles. */
  readonly prefix: string
  name(kind: Kind): string
  /** How a role logs in to the database. */
  url(kind: Kind): string
  /** Makes the grants of the table of grants. */
  grant(): Promise<void>
  /** After the databases are dropped that they have rights in. */
  drop(): Promise<void>
}

/** Makes the roles, which only connect to this database. Their rights are granted by `grant`, or a migration. */
export async function makeRoles(databaseUrl: string, purpose: string): Promise<TestRoles> {
  const prefix = `t${inject('runId')}_${purpose}`
  const name = (kind: Kind): string => roleName(prefix, kind)
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    for (const statement of createRolesSql(prefix, rows[0]!.name)) await client.query(statement)
  })
  const as = (kind: Kind): string => databaseUrl.replace(/([?&]user=)[^&]*/, `$1${name(kind)}`)
  return {
    prefix,
    name,
    // A server that BURSAR_TEST_PG names may be written with its user before the host.
    url: (kind) => (as(kind) === databaseUrl ? databaseUrl.replace(/\/\/([^@/]*@)?/, `//${name(kind)}@`) : as(kind)),
    grant: async () => {
      const missing = await applyGrants(databaseUrl, prefix)
      if (missing.length > 0) throw new Error(`no role ${missing.join(', ')}`)
    },
    drop: () =>
      withClient(inject('postgresUrl'), async (client) => {
        for (const kind of ['all', 'operator', 'api', 'worker', 'watcher', 'readonly', 'owner'] as const)
          await client.query(`drop role if exists ${name(kind)}`)
      }),
  }
}
