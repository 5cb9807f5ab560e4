import type { Network } from '@bursar/chainkit'
import { readAcquirersConfig } from '../adapters/acquirers/index.ts'
import { readChainSettings } from '../adapters/chains/index.ts'
import { createCatalogue, type AssetSettings, type Catalogue } from '../assets/index.ts'
import { createDb, createPool, requireMigrated, type PoolSettings } from '../db/index.ts'
import type { WalletKeys } from '../outgoing/index.ts'
import { readClockOffset } from '../platform/business-clock.ts'
import { createClock, type OffsetClock } from '../platform/clock.ts'
import { readConfig, type Role } from '../platform/config.ts'
import { createIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import type { Runtime } from '../platform/runtime.ts'
import { readExchangeFile } from '../app/exchange-file.ts'
import { readScreeningFile } from '../app/screening-file.ts'
import { readPolicies, STANDARD_POLICIES, type Policies } from '../app/policy.ts'

/** The wallet file is what `bursar-signer xpubs` prints. */
const readWallet = (json: unknown): WalletKeys => {
  const wallet = json as Partial<WalletKeys> | null
  const { bitcoin, evm, tron } = wallet ?? {}
  const isWhole = [bitcoin, evm, tron].every((keys) => keys?.hot && keys.deposit)
  if (!wallet?.masterFingerprint || !wallet.bitcoinChain || !isWhole) {
    throw new Error('it is not what `bursar-signer xpubs` prints')
  }
  return wallet as WalletKeys
}

const files = {
  networks: readChainSettings,
  assets: (json: unknown): Catalogue => createCatalogue(json as AssetSettings),
  xpubs: readWallet,
  policy: readPolicies,
  acquirers: readAcquirersConfig,
  exchange: readExchangeFile,
  screening: readScreeningFile,
}

export type Environment = Readonly<Record<string, string | undefined>>
export type ServerConfig = ReturnType<typeof loadConfig>

/** The settings of this process. Throws a ConfigError that lists every problem. */
export const loadConfig = (env: Environment, role: Role) => readConfig(env, role, files)

/** A connection to an installation, for a role or for one command. */
export interface Opened {
  config: ServerConfig
  runtime: Runtime & { clock: OffsetClock }
  pool: PoolSettings
  policies: Policies
  close(): Promise<void>
}

export const newId = createIds()

/** Reads the settings and connects to the database, refusing one whose schema is not this build's. */
export const openInstallation = async (env: Environment, role: Role): Promise<Opened> => {
  const config = loadConfig(env, role)
  await requireMigrated(config.databaseUrl)
  const pool: PoolSettings = { url: config.databaseUrl, applicationName: `bursar ${role}`, max: config.databaseConnections }
  const connections = createPool(pool)
  const db = createDb(connections)
  const clock = createClock()
  clock.setOffset(await readClockOffset(db))
  return {
    config,
    runtime: { db, clock, newId, log: createLog(config.logLevel, role) },
    pool,
    policies: config.policy ?? STANDARD_POLICIES,
    close: () => connections.end(),
  }
}

/** What a command needs that its role does not insist on. */
export const required = <Value>(value: Value | null, name: string): Value => {
  if (value === null) throw new Error(`this command needs ${name}: set it as for the server`)
  return value
}

/** Token contracts of each network, which are all that a chain adapter looks at. */
export const tokensOf = (catalogue: Catalogue): Map<Network, string[]> =>
  new Map(
    [...catalogue.networks].map((network) => [
      network,
      catalogue.crypto.flatMap((asset) => asset.networks.get(network)?.contract ?? []),
    ]),
  )
