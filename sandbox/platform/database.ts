/** The platform's tables, and the roles as which its processes log in to the database. */
import { applyGrants, createRolesSql, migrate, roleName } from '../../server/src/platform/db/index.ts'
import type { DATABASE_ROLES } from '../../server/src/platform/db/index.ts'
import { withClient } from '../postgres/connection.ts'

const PREFIX = 'bursar'

/** The connection string of each role. */
export type DatabaseUrls = (kind: keyof typeof DATABASE_ROLES) => string

/**
 * Brings the database to this build's schema, and makes its roles with their rights. On a server of the user's own no
 * role is made: everything logs in as the user.
 * @param isOwn the sandbox started the server, and may do as it likes there
 */
export async function prepareDatabase(databaseUrl: string, isOwn: boolean): Promise<DatabaseUrls> {
  await migrate(databaseUrl)
  if (!isOwn) return () => databaseUrl
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    for (const statement of createRolesSql(PREFIX, rows[0]!.name)) await client.query(statement)
  })
  const missing = await applyGrants(databaseUrl, PREFIX)
  if (missing.length > 0) throw new Error(`the database has no role ${missing.join(', ')}`)
  return (kind) => databaseUrl.replace(/([?&]user=)[^&]*/, `$1${roleName(PREFIX, kind)}`)
}
