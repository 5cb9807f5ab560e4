/** Reads the sandbox's settings from the environment. All problems are reported at once. */
import { resolve } from 'node:path'
import type { Pace } from './miner.ts'
import { emulatedKinds } from './platform/emulators.ts'
import type { EmulatedKind } from './platform/emulators.ts'

export interface SandboxSettings {
  /** Emulators of real acquirers that run in addition to the bank. */
  readonly emulators: readonly EmulatedKind[]
  /** The folder with all data of the sandbox. */
  readonly dir: string
  /** The user's own database server; if absent, the sandbox starts one. */
  readonly databaseUrl?: string
  readonly ports: Readonly<Record<keyof typeof portVariables, number>>
  readonly pace: { readonly bitcoin: Pace; readonly ethereum: Pace; readonly bsc: Pace; readonly tron: Pace }
  /**
   * Number of blocks after which a TRON block is solid and its deposits are Done. The real network's usual 19 would
   * take a minute.
   */
  readonly tronSolidLag: number
  /** Whether deposits and withdrawals are screened. */
  readonly screening: boolean
  /** Whether exchanges are hedged on the venue. */
  readonly hedging: boolean
  /** Number of addresses from which EVM withdrawals are paid in parallel. */
  readonly hotAddresses: number
}

/** The variable that sets each port, also used in messages. */
export const portVariables = {
  api: 'BURSAR_PORT_API',
  control: 'BURSAR_PORT_CONTROL',
  inbox: 'BURSAR_PORT_INBOX',
  mail: 'BURSAR_PORT_MAIL',
  bitcoin: 'BURSAR_PORT_BITCOIN',
  ethereum: 'BURSAR_PORT_ETHEREUM',
  bsc: 'BURSAR_PORT_BSC',
  tron: 'BURSAR_PORT_TRON',
  bank: 'BURSAR_PORT_BANK',
  innerApi: 'BURSAR_PORT_INNER_API',
  innerWorker: 'BURSAR_PORT_INNER_WORKER',
  innerWatcher: 'BURSAR_PORT_INNER_WATCHER',
  market: 'BURSAR_PORT_MARKET',
  venue: 'BURSAR_PORT_VENUE',
  screening: 'BURSAR_PORT_SCREENING',
} as const

const idleSeconds = 30
/** The sandbox's signer uses the same limit. */
export const MOST_HOT_ADDRESSES = 16

/** Reads the settings. Throws an Error that lists every invalid variable. */
export function readSettings(env: NodeJS.ProcessEnv, root: string): SandboxSettings {
  const problems: string[] = []
  const number = (name: string, usual: number, most: number, whole: boolean): number => {
    const text = env[name]
    if (text === undefined || text === '') return usual
    const value = Number(text)
    const fits = /^\d+(\.\d+)?$/.test(text) && value <= most && (!whole || Number.isInteger(value))
    if (!fits) problems.push(`${name}=${text}: set a ${whole ? 'whole ' : ''}number from 0 to ${most}`)
    return value
  }
  const port = (name: keyof typeof portVariables, usual: number): number =>
    number(portVariables[name], usual, 65_535, true)
  const pace = (name: string, usual: number): Pace => ({ busySeconds: number(name, usual, 3_600, false), idleSeconds })
  const emulators = (env['BURSAR_EMULATORS'] ?? '').split(',').filter((name) => name !== '')
  const strangers = emulators.filter((name) => !emulatedKinds.some((kind) => kind === name))
  if (strangers.length > 0)
    problems.push(`BURSAR_EMULATORS=${emulators.join(',')}: set some of ${emulatedKinds.join(',')}`)
  const isOn = (name: string): boolean => {
    if (!['', 'on', 'off'].includes(env[name] ?? '')) problems.push(`${name}=${env[name]}: set on or off`)
    return env[name] !== 'off'
  }
  const settings: SandboxSettings = {
    emulators: emulatedKinds.filter((kind) => emulators.includes(kind)),
    screening: isOn('BURSAR_SCREENING'),
    hedging: isOn('BURSAR_HEDGING'),
    dir: resolve(root, env['BURSAR_DIR'] || '.bursar'),
    ...(env['DATABASE_URL'] ? { databaseUrl: env['DATABASE_URL'] } : {}),
    ports: {
      api: port('api', 8080),
      control: port('control', 8090),
      inbox: port('inbox', 8091),
      mail: port('mail', 8096),
      bitcoin: port('bitcoin', 18_543),
      ethereum: port('ethereum', 18_545),
      bsc: port('bsc', 18_546),
      tron: port('tron', 18_547),
      bank: port('bank', 8095),
      innerApi: port('innerApi', 8092),
      innerWorker: port('innerWorker', 8093),
      innerWatcher: port('innerWatcher', 8094),
      market: port('market', 8099),
      venue: port('venue', 8097),
      screening: port('screening', 8098),
    },
    pace: {
      bitcoin: pace('BURSAR_BLOCK_SECONDS_BITCOIN', 3),
      ethereum: pace('BURSAR_BLOCK_SECONDS_ETHEREUM', 1),
      bsc: pace('BURSAR_BLOCK_SECONDS_BSC', 0.5),
      tron: pace('BURSAR_BLOCK_SECONDS_TRON', 3),
    },
    tronSolidLag: number('BURSAR_TRON_SOLID_LAG', 10, 100, true),
    hotAddresses: Math.max(1, number('BURSAR_HOT_ADDRESSES', 2, MOST_HOT_ADDRESSES, true)),
  }
  if (problems.length > 0) throw new Error(`the sandbox cannot start:\n  ${problems.join('\n  ')}`)
  return settings
}
