/** Prepares the platform's tables, and the roles with which its processes log in to the database. */
import { applyGrants, createRolesSql, migrate, roleName } from '../../server/src/platform/db/index.ts'
import type { DATABASE_ROLES } from '../../server/src/platform/db/index.ts'
import { withClient } from '../postgres/connection.ts'

const PREFIX = 'bursar'

/** The connection string of each role. */
export type DatabaseUrls = (kind: keyof typeof DATABASE_ROLES) => string

/**
 * Migrates the database to this build's schema, and creates its roles with their rights. On the user's own server it
 * creates no roles: every process logs in as the user.
 * @param isOwn whether the sandbox started the server
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
