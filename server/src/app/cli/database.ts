import { applyGrants, createRolesSql, DATABASE_ROLES, migrate, roleName } from '../../platform/db/index.ts'
import { command, print, type Command } from './command.ts'
import { loadConfig } from '../installation/open.ts'
import { recordDone } from './recording.ts'

export const databaseCommands: readonly Command[] = [
  command({
    name: 'migrate',
    summary:
      "bring the database to this build's schema, and the rights of its roles to this build's; run it as the owner",
    run: async (_given, env) => {
      const { databaseUrl, databaseRoles } = loadConfig(env, 'cli')
      const ran = await migrate(databaseUrl)
      print(ran.length === 0 ? 'the database is up to date' : `ran ${ran.join(', ')}`)
      const missing = await applyGrants(databaseUrl, databaseRoles)
      await recordDone('migrate', env)
      if (missing.length === 0) return print(`the rights of the roles ${databaseRoles}_... are those of this build`)
      print(
        `no rights were granted: there is no role ${missing.join(', ')}. \`bursar database roles\` prints the statements that make them; run migrate again afterwards`,
      )
    },
  }),
  command({
    name: 'database roles',
    summary: 'print the SQL that makes the roles as which processes and people log in to the database; changes nothing',
    run: async (_given, env) => {
      const { databaseUrl, databaseRoles } = loadConfig(env, 'cli')
      for (const [kind, about] of Object.entries(DATABASE_ROLES))
        print(`-- ${roleName(databaseRoles, kind as keyof typeof DATABASE_ROLES)}: ${about}`)
      for (const statement of createRolesSql(databaseRoles, databaseName(databaseUrl))) print(`${statement};`)
    },
  }),
]

/** The database that a connection string names; the user's own when it names none, as PostgreSQL has it. */
const databaseName = (url: string): string => {
  const { pathname, username, searchParams } = new URL(url)
  return decodeURIComponent(pathname.slice(1)) || (searchParams.get('user') ?? username)
}
