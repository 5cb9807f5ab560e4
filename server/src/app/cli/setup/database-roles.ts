/** Makes the database and the roles that log in to it. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import pg from 'pg'
import { createRolesSql, DatabaseClient, roleName } from '../../../platform/db/index.ts'
import { databaseName, type Settled } from './answers.ts'

/** The roles with a password. `all` and `readonly` get none: nothing of this installation logs in as them. */
export const LOGINS = ['owner', 'api', 'worker', 'watcher', 'operator'] as const
export type Login = (typeof LOGINS)[number]
/** The login that copies the database: it has no rights on its tables. */
export type AnyLogin = Login | 'backup'

const nameOf = (prefix: string, login: AnyLogin): string =>
  login === 'backup' ? `${prefix}_backup` : roleName(prefix, login)

const ALL = [...LOGINS, 'backup'] as const satisfies readonly AnyLogin[]

/** The connection string of a role. The password has letters and digits only. */
export const urlOf = ({ database }: Settled, login: AnyLogin, password: string): string => {
  const url = new URL(database.roles)
  url.username = nameOf(database.prefix, login)
  url.password = password
  return url.href
}

/**
 * Connects as a superuser. On a Unix socket, root connects as the operating system user of the role's name (`peer`).
 */
const asSuperuser = async <T>(
  url: string,
  database: string | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const place = new URL(url)
  if (database !== undefined) place.pathname = `/${encodeURIComponent(database)}`
  const client = new DatabaseClient({ connectionString: place.href, application_name: 'bursar setup' })
  const user = place.searchParams.get('user') ?? decodeURIComponent(place.username)
  const isSocket = place.hostname === '' && (place.searchParams.get('host') ?? '').startsWith('/')
  await connectedAs(isSocket && process.geteuid!() === 0 && user !== '' ? user : null, () => client.connect())
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** PostgreSQL asks the kernel which user has opened the socket. */
const connectedAs = async (user: string | null, connect: () => Promise<unknown>): Promise<void> => {
  if (user === null) return void (await connect())
  process.seteuid!(user)
  try {
    await connect()
  } finally {
    process.seteuid!(0)
  }
}

export interface DatabaseState {
  exists: boolean
  /** it has the table of migrations */
  isMigrated: boolean
  /** logins whose role has a password */
  withPassword: ReadonlySet<AnyLogin>
}

/** Reads the state of the database and of its roles; changes nothing. @throws Error if the login is no superuser's */
export const readDatabase = async (answers: Settled): Promise<DatabaseState> => {
  const name = databaseName(answers)
  const { superuser, prefix } = answers.database
  const found = await asSuperuser(superuser, undefined, async (client) => {
    const { rows: login } = await client.query<{ user: string; super: string }>(
      "select current_user::text as user, current_setting('is_superuser') as super",
    )
    if (login[0]!.super !== 'on')
      throw new Error(`database.superuser logs in as ${login[0]!.user}, which is no superuser`)
    const { rows } = await client.query('select from pg_database where datname = $1', [name])
    const { rows: roles } = await client.query<{ name: string }>(
      'select rolname as name from pg_authid where rolpassword is not null and rolname = any($1)',
      [ALL.map((one) => nameOf(prefix, one))],
    )
    return { exists: rows.length > 0, names: new Set(roles.map((row) => row.name)) }
  })
  const isMigrated =
    found.exists &&
    (await asSuperuser(superuser, name, async (client) => {
      const { rows } = await client.query<{ found: boolean }>(
        "select to_regclass('public.schema_migrations') is not null as found",
      )
      return rows[0]!.found
    }))
  return {
    exists: found.exists,
    isMigrated,
    withPassword: new Set(ALL.filter((one) => found.names.has(nameOf(prefix, one)))),
  }
}

/** Creates the database, if it is missing, and the roles. Can be repeated. */
export const makeDatabase = async (answers: Settled, { exists }: DatabaseState): Promise<void> => {
  const name = databaseName(answers)
  const { superuser, prefix } = answers.database
  if (!exists)
    await asSuperuser(superuser, undefined, (client) => client.query(`create database ${pg.escapeIdentifier(name)}`))
  await asSuperuser(superuser, name, async (client) => {
    for (const statement of createRolesSql(prefix, name)) await client.query(statement)
  })
}

/** Sets a role's password. The server, and so its log, gets the verifier and not the password. */
export const setPassword = async (answers: Settled, login: AnyLogin, password: string): Promise<void> => {
  const { superuser, prefix } = answers.database
  const verifier = pg.escapeLiteral(scramVerifier(password, randomBytes(16)))
  await asSuperuser(superuser, undefined, (client) =>
    client.query(`alter role ${nameOf(prefix, login)} password ${verifier}`),
  )
}

/** Creates the role that copies the database and receives its log, and sets its password. Can be repeated. */
export const makeBackupRole = async (answers: Settled, password: string): Promise<void> => {
  const { superuser, prefix } = answers.database
  const name = nameOf(prefix, 'backup')
  await asSuperuser(superuser, undefined, async (client) => {
    await client.query(
      `do $$ begin create role ${name} login replication nosuperuser nocreatedb nocreaterole; exception when duplicate_object or unique_violation then null; end $$`,
    )
    await client.query(`alter role ${name} login replication`)
  })
  await setPassword(answers, 'backup', password)
}

const ITERATIONS = 4_096

/** The stored form of a password in PostgreSQL (SCRAM-SHA-256, RFC 5803). */
const scramVerifier = (password: string, salt: Buffer): string => {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`
}

/** Whether a connection string logs in. @param replicates for replication @returns the error's message, or null */
export const loginProblem = async (url: string, replicates = false): Promise<string | null> => {
  // The driver passes `replication` on to the server; its types do not name it.
  const more = replicates ? { replication: 'true' } : {}
  const client = new DatabaseClient({ connectionString: url, application_name: 'bursar setup', ...more })
  try {
    await client.connect()
    await client.end()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
