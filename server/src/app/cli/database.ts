import {
  applyGrants,
  createRolesSql,
  DATABASE_ROLES,
  migrate,
  roleName,
  splitDatabaseUrl,
} from '../../platform/db/index.ts'
import { command, type Command } from './command.ts'
import { loadDatabaseConfig, type Environment } from '../installation/open.ts'
import type { Output } from './output.ts'
import { recordDone } from './recording.ts'

/** Migrates the database, grants the rights of its roles, and records both. */
export const migrateDatabase = async (env: Environment, out: Output): Promise<void> => {
  const { databaseUrl, databaseRoles } = loadDatabaseConfig(env)
  const ran = await migrate(databaseUrl, { report: (sentence) => out.say(sentence) })
  out.say(ran.length === 0 ? 'the database is up to date' : `ran ${ran.join(', ')}`)
  const missing = await applyGrants(databaseUrl, databaseRoles)
  await recordDone('migrate', env)
  if (missing.length === 0) return out.say(`the rights of the roles ${databaseRoles}_... are those of this build`)
  out.say(
    `no rights were granted: there is no role ${missing.join(', ')}. \`bursar database roles\` prints the statements that make them; run migrate again afterwards`,
  )
}

export const databaseCommands: readonly Command[] = [
  command({
    name: 'migrate',
    summary:
      "migrate the database to this build's schema, and grant its roles their rights; run it as the owner of the database",
    run: (_given, env, out) => migrateDatabase(env, out),
  }),
  command({
    name: 'database roles',
    summary: 'print the SQL that creates the database roles of processes and operators; changes nothing',
    run: async (_given, env, out) => {
      const { databaseUrl, databaseRoles } = loadDatabaseConfig(env)
      const about = Object.entries(DATABASE_ROLES).map(
        ([kind, text]) => `-- ${roleName(databaseRoles, kind as keyof typeof DATABASE_ROLES)}: ${text}`,
      )
      const statements = createRolesSql(databaseRoles, databaseName(databaseUrl)).map((statement) => `${statement};`)
      out.text('sql', [...about, ...statements].join('\n'))
    },
  }),
]

/** The database named by a connection string; without a name, the user's own, as in PostgreSQL. */
const databaseName = (url: string): string => {
  const { pathname, username, searchParams } = new URL(splitDatabaseUrl(url).urls[0]!)
  return decodeURIComponent(pathname.slice(1)) || (searchParams.get('user') ?? username)
}
