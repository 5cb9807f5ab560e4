import { createHash } from 'node:crypto'
import pg from 'pg'
import { DatabaseClient } from './client.ts'
import { API_TRANSFERS, GRANTS, SEQUENCES, type Grant } from './grants.ts'

/** The kinds of processes and people that log in to the database. Each has its own role. */
export const DATABASE_ROLES = {
  owner: 'owns the tables: `bursar migrate`, `bursar database`, dumps. No process that serves logs in as it',
  api: '`serve --role api`',
  worker: '`serve --role worker`',
  watcher: '`serve --role watcher`',
  all: '`serve --role all`: the rights of api, worker and watcher',
  operator:
    'the other commands of `bursar`: the rights of api, worker and watcher; merchants, keys, limits and decisions',
  readonly: 'reports: reads everything except secrets',
} as const
type RoleKind = keyof typeof DATABASE_ROLES
/** Roles that have rights in the table of grants. */
const GRANTED = ['api', 'worker', 'watcher', 'operator', 'readonly'] as const satisfies readonly RoleKind[]
type Granted = (typeof GRANTED)[number]
/** Roles whose rights `all` and `operator` also have. */
const SERVING = ['api', 'worker', 'watcher'] as const

const PREFIX = /^[a-z][a-z0-9_]{0,40}$/
/**
 * The name of a role in PostgreSQL. Installations that share a server need different prefixes.
 * @throws RangeError
 */
export const roleName = (prefix: string, kind: RoleKind): string => {
  if (!PREFIX.test(prefix))
    throw new RangeError(
      `the prefix of database roles is lower-case letters, digits and underscores, not ${JSON.stringify(prefix)}`,
    )
  return `${prefix}_${kind}`
}

/**
 * Statements that create the roles of an installation and let only them connect to its database. They can be repeated.
 * A superuser must run them, or a role that may create roles and owns the database.
 */
export const createRolesSql = (prefix: string, database: string): string[] => {
  const name = (kind: RoleKind): string => roleName(prefix, kind)
  const db = pg.escapeIdentifier(database)
  const kinds = Object.keys(DATABASE_ROLES) as RoleKind[]
  const members = SERVING.map(name).join(', ')
  return [
    ...kinds.map(
      (kind) =>
        `do $$ begin create role ${name(kind)} login nosuperuser nocreatedb nocreaterole; exception when duplicate_object or unique_violation then null; end $$`,
    ),
    `grant ${members} to ${name('all')}, ${name('operator')}`,
    `revoke all on database ${db} from public`,
    `grant connect on database ${db} to ${kinds.map(name).join(', ')}`,
    `grant create on database ${db} to ${name('owner')}`,
    `grant all on schema public to ${name('owner')}`,
    'revoke create on schema public from public',
  ]
}

/** Key of the advisory lock that serialises concurrent grants. Any number, the same in every process. */
const LOCK = 7_262_635_001_000

/**
 * Sets the rights of an installation's roles to those of `grants.ts`, in one transaction, and revokes all other rights
 * of these roles on its tables. The owner of the tables must run it after the migrations.
 * @returns names of missing roles; if there are any, nothing was done
 */
export const applyGrants = async (url: string, prefix: string): Promise<string[]> => {
  const client = new DatabaseClient({ connectionString: url, application_name: 'bursar migrate' })
  await client.connect()
  try {
    const wanted = [...GRANTED, 'all' as const].map((kind) => roleName(prefix, kind))
    const { rows } = await client.query<{ name: string }>(
      'select rolname as name from pg_roles where rolname = any($1)',
      [wanted],
    )
    const missing = wanted.filter((name) => !rows.some((row) => row.name === name))
    if (missing.length > 0) return missing
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const columns = await columnsOf(client)
    for (const statement of [...grantStatements(prefix, columns), ...(await policyStatements(client, prefix))])
      await client.query(statement)
    await client.query('commit')
    return []
  } finally {
    await client.end()
  }
}

const columnsOf = async (client: pg.Client): Promise<Map<string, string[]>> => {
  const { rows } = await client.query<{
    table: string
    columns: string[]
  }>(`select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1`)
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

const grantStatements = (prefix: string, columns: ReadonlyMap<string, readonly string[]>): string[] =>
  GRANTED.flatMap((kind) => {
    const role = roleName(prefix, kind)
    const onTables = Object.entries(GRANTS).map(
      ([table, grant]) => [table, privilegesOf(textOf(kind, grant), grant, columns.get(table) ?? [])] as const,
    )
    const onSequences = Object.entries(SEQUENCES).map(
      ([sequence, grant]) => [sequence, privilegesOf(textOf(kind, grant), grant, [])] as const,
    )
    return [
      `revoke all on all tables in schema public from ${role}`,
      `revoke all on all sequences in schema public from ${role}`,
      `revoke all on schema public from ${role}`,
      `grant usage on schema public to ${role}`,
      ...onTables.flatMap(([table, list]) => (list === '' ? [] : [`grant ${list} on ${table} to ${role}`])),
      ...onSequences.flatMap(([sequence, list]) =>
        list === '' ? [] : [`grant ${list} on sequence ${sequence} to ${role}`],
      ),
    ]
  })

const textOf = (kind: Granted, grant: Grant): string => (kind === 'readonly' ? 'p' : (grant[kind] ?? ''))

const LETTERS: Readonly<Record<string, string>> = {
  r: 'select',
  p: 'select',
  a: 'insert',
  w: 'update',
  d: 'delete',
  U: 'usage',
}

/** Converts the letters of a row to the privileges of a GRANT. Throws a RangeError for an unknown letter. */
export const privilegesOf = (
  text: string,
  { secret = [] }: Pick<Grant, 'secret'>,
  columns: readonly string[],
): string => {
  const parts = [...text.matchAll(/([a-zA-Z])(?:\(([a-z0-9_, ]+)\))?|(.)/g)]
  return parts
    .flatMap(([whole, letter, list]) => {
      const privilege = LETTERS[letter ?? '']
      if (privilege === undefined)
        throw new RangeError(`${JSON.stringify(whole)} in ${JSON.stringify(text)} is no privilege`)
      if (list !== undefined) return [`${privilege} (${list})`]
      if (letter !== 'p' || secret.length === 0) return letter === 'p' && columns.length === 0 ? [] : [privilege]
      return [`${privilege} (${columns.filter((column) => !secret.includes(column)).join(', ')})`]
    })
    .join(', ')
}

/** The merchant id of the platform's own accounts. */
const NO_MERCHANT = '00000000-0000-0000-0000-000000000000'

/**
 * Row security of `ledger_transfers`: the api may insert only its own kinds of transfers, can't end a hold, and can't
 * touch the platform's accounts. The name of a policy contains a hash of its text, so that an existing one stays
 * without a lock of the table.
 */
const policyStatements = async (client: pg.Client, prefix: string): Promise<string[]> => {
  const pairs = API_TRANSFERS.map((pair) => `(${pair.map((text) => pg.escapeLiteral(text)).join(', ')})`).join(', ')
  const others = [...(['worker', 'watcher', 'operator', 'readonly'] as const)]
    .map((kind) => roleName(prefix, kind))
    .join(', ')
  const api = roleName(prefix, 'api')
  const bodies = [
    `for select to ${api} using (true)`,
    `for insert to ${api} with check ((kind, cause_kind) in (${pairs}) and closes is null and merchant_id <> '${NO_MERCHANT}')`,
    `for select to ${others} using (true)`,
    `for insert to ${others} with check (true)`,
  ]
  const policies = new Map(
    bodies.map((body) => [`${prefix}_${createHash('sha256').update(body).digest('hex').slice(0, 12)}`, body]),
  )
  const { rows } = await client.query<{ name: string }>(
    "select polname as name from pg_policy where polrelid = 'ledger_transfers'::regclass",
  )
  const mine = rows.map(({ name }) => name).filter((name) => name.startsWith(`${prefix}_`))
  const { rows: security } = await client.query<{ on: boolean }>(
    "select relrowsecurity as on from pg_class where oid = 'ledger_transfers'::regclass",
  )
  return [
    ...(security[0]!.on ? [] : ['alter table ledger_transfers enable row level security']),
    ...mine.filter((name) => !policies.has(name)).map((name) => `drop policy ${name} on ledger_transfers`),
    ...[...policies]
      .filter(([name]) => !mine.includes(name))
      .map(([name, body]) => `create policy ${name} on ledger_transfers ${body}`),
  ]
}

/** Finds tables and sequences without a row in `grants.ts`, and rows without a table or sequence. */
export const findUngranted = async (client: Pick<pg.Client, 'query'>): Promise<string[]> => {
  const { rows } = await client.query<{
    name: string
    kind: string
  }>(`select relname as name, relkind as kind from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and not relispartition
      and not exists (select from pg_depend d where relkind = 'S' and d.objid = pg_class.oid and d.classid = 'pg_class'::regclass and d.deptype = 'i')
    order by relname`)
  const lacks = (names: readonly string[], of: Readonly<Record<string, Grant>>, what: string): string[] => [
    ...names
      .filter((name) => !(name in of))
      .map(
        (name) =>
          `${what} ${name} has no row in server/src/platform/db/grants.ts: write there what api, worker, watcher and operator may do with it`,
      ),
    ...Object.keys(of)
      .filter((name) => !names.includes(name))
      .map(
        (name) =>
          `server/src/platform/db/grants.ts has a row for ${name}, which is no ${what} of this schema: remove it`,
      ),
  ]
  const named = (isSequence: boolean): string[] =>
    rows.filter(({ kind }) => (kind === 'S') === isSequence).map(({ name }) => name)
  return [...lacks(named(false), GRANTS, 'table'), ...lacks(named(true), SEQUENCES, 'sequence')]
}

/** The user of a connection, and whether it owns the tables or is a superuser. */
export const whoAmI = async (
  client: Pick<pg.Client | pg.Pool, 'query'>,
): Promise<{ user: string; ownsTables: boolean }> => {
  const { rows } = await client.query<{
    user: string
    owns: boolean
  }>(`select current_user::text as user, coalesce((select rolsuper from pg_roles where rolname = current_user), false)
    or coalesce((select pg_has_role(current_user, relowner, 'member') from pg_class where oid = to_regclass('ledger_accounts')), false) as owns`)
  return { user: rows[0]!.user, ownsTables: rows[0]!.owns }
}
