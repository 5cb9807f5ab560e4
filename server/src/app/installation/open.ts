import type { Network } from '@bursar/chainkit'
import type { Catalogue } from '../../market/assets/index.ts'
import { createDb, createPool, requireMigrated, whoAmI, type PoolSettings } from '../../platform/db/index.ts'
import { openClock } from '../../platform/runtime/business-clock.ts'
import type { OffsetClock } from '../../platform/runtime/clock.ts'
import { readConfig, readDatabaseConfig } from '../../platform/config/config.ts'
import type { Role } from '../../platform/config/settings.ts'
import { createIds } from '../../platform/runtime/ids.ts'
import { createLog } from '../../platform/process/log.ts'
import { VERSION } from '../../platform/process/version.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { STANDARD_POLICIES, type Policies } from '../composition/policy.ts'
import { FILE_READERS } from '../composition/settings-files.ts'

export type Environment = Readonly<Record<string, string | undefined>>
export type ServerConfig = ReturnType<typeof loadConfig>

/** Reads the settings of this process. Throws a ConfigError that lists every problem. */
export const loadConfig = (env: Environment, role: Role) => readConfig(env, role, FILE_READERS)

/** Reads the connection to the database alone; the other settings may be absent. Throws a ConfigError. */
export const loadDatabaseConfig = (env: Environment) => readDatabaseConfig(env, FILE_READERS)

/** Long, because an operator waits for a command and can end it. */
const CLI_STATEMENT_MS = 3_600_000

/** A process's connection to the installation, for a role or for one command. */
export interface Opened {
  config: ServerConfig
  runtime: Runtime & { clock: OffsetClock }
  pool: PoolSettings
  policies: Policies
  /** the connections of the pool for ordinary queries */
  connections(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export const newId = createIds()

/** Reads the settings and connects to the database. Refuses a database whose schema this build can't use. */
export const openInstallation = async (env: Environment, role: Role): Promise<Opened> => {
  const config = loadConfig(env, role)
  const further = await requireMigrated(config.databaseUrl)
  const pool: PoolSettings = {
    url: config.databaseUrl,
    applicationName: `bursar ${role}`,
    max: config.databaseConnections,
    statementMs: role === 'cli' ? CLI_STATEMENT_MS : config.statementSeconds * 1_000,
  }
  const connections = createPool(pool)
  const db = createDb(connections)
  const serves = role !== 'cli'
  const opening = async (): Promise<OffsetClock> => {
    if (serves && !config.sandbox) await requireOwnRole(connections)
    return openClock(db, { sandbox: config.sandbox, serves })
  }
  const clock = await opening().catch(async (error: unknown) => {
    await connections.end()
    throw error
  })
  const log = createLog(config.logLevel, role)
  if (serves && further.length > 0)
    log.warn({ version: VERSION, migrations: further }, 'a newer build has migrated the database: upgrade this process')
  return {
    config,
    runtime: { db, clock, newId: createIds(), log },
    pool,
    policies: config.policy ?? STANDARD_POLICIES,
    connections: () => ({
      total: connections.totalCount,
      idle: connections.idleCount,
      waiting: connections.waitingCount,
    }),
    close: () => connections.end(),
  }
}

/** Connects while one command runs. */
export const withInstallation = async <T>(env: Environment, work: (opened: Opened) => Promise<T>): Promise<T> => {
  const opened = await openInstallation(env, 'cli')
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

/**
 * Refuses to serve with the database login that owns the tables: a serving process may have only the rights of its
 * role.
 */
const requireOwnRole = async (connections: Parameters<typeof whoAmI>[0]): Promise<void> => {
  const { user, ownsTables } = await whoAmI(connections)
  if (ownsTables)
    throw new Error(
      `DATABASE_URL logs in as ${user}, which owns the tables and could rewrite the books: use the role of this process, such as bursar_api. \`bursar database roles\` prints the statements that make them`,
    )
}

/** Requires a setting that a command needs although its role does not. */
export const required = <Value>(value: Value | null, name: string): Value => {
  if (value === null) throw new Error(`this command needs ${name}: set it as for the server`)
  return value
}

/** The signer's address in the settings. */
export const signerAddress = ({ signer, signerCa, signerCert, signerKey }: Opened['config']) => {
  const place = required(signer, 'BURSAR_SIGNER')
  if ('socketPath' in place) return place
  return { ...place, tls: { ca: signerCa!, cert: signerCert!, key: signerKey! } }
}

/** The token contracts of each network; a chain adapter reads only these. */
export const tokensOf = (catalogue: Catalogue): Map<Network, string[]> =>
  new Map(
    [...catalogue.networks].map((network) => [
      network,
      catalogue.crypto.flatMap((asset) => asset.networks.get(network)?.contract ?? []),
    ]),
  )
