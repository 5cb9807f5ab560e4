/** The whole sandbox in a folder and on ports of its own; its processes can be killed. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPlatform } from '../../sandbox/platform/index.ts'
import { isRunning, type ProcessIdentity } from '../../sandbox/process/identity.ts'
import { readSettings } from '../../sandbox/settings.ts'
import type { Running } from '../../sandbox/running.ts'
import type { Supervisor } from '../../sandbox/supervise.ts'
import { startWorld } from '../../sandbox/world.ts'
import { reservePorts } from '../setup/ports.ts'
import { makeOwnedFolder } from '../setup/scratch.ts'
import { connectSandbox, ownLog, type ConnectedSandbox, type Place, type Role } from './connected.ts'

export type { Mail, Merchant, Network } from './connected.ts'

export interface Sandbox extends ConnectedSandbox {
  place: Place
  /** The process of a role as it runs now. */
  pid(role: Role): number
  /** Asks the node itself. */
  rpcCall(blockchain: 'ETHEREUM' | 'BINANCE_SMART_CHAIN', method: string, params: unknown[]): Promise<unknown>
  /** Asks bitcoind's faucet wallet. */
  bitcoinRpc<T>(method: string, ...params: unknown[]): Promise<T>
  /** the worker's page `/metrics` */
  metrics(): Promise<string>
  /**
   * Statements that a database role was denied so far. Every process logs in as its own role: a denied statement is a
   * row that is missing in server/src/platform/db/grants.ts.
   */
  denied(): string[]
  /** Ends everything. Throws when a database role was denied something meanwhile. */
  stop(): Promise<void>
}

const root = new URL('../../', import.meta.url).pathname

const PORTS = [
  'API',
  'CONTROL',
  'INBOX',
  'MAIL',
  'BITCOIN',
  'ETHEREUM',
  'BSC',
  'TRON',
  'BANK',
  'INNER_API',
  'INNER_WORKER',
  'INNER_WATCHER',
  'MARKET',
  'VENUE',
  'SCREENING',
] as const

/** Holds the started components by name; unlike the sandbox's own supervisor it does not mind a component that dies. */
const createKeeper = (): Supervisor & { running: Map<string, Running> } => {
  const running = new Map<string, Running>()
  const keep: Supervisor['keep'] = async (name, start) => {
    const component = await start(new AbortController().signal)
    running.set(name, component)
    return component
  }
  return {
    running,
    start: keep,
    keep,
    stop: async () => {
      for (const component of [...running.values()].toReversed()) await component.stop().catch(() => {})
    },
    ending: new Promise(() => {}),
  }
}

/**
 * Starts everything. `env` is that of `npm start`: block pace, log level and so on; screening and hedging are off
 * unless it says BURSAR_SCREENING=on, BURSAR_HEDGING=on.
 */
export const startSandbox = async (env: Record<string, string> = {}): Promise<Sandbox> => {
  const dir = makeOwnedFolder('system')
  mkdirSync(join(dir, 'logs'))
  const ports = await reservePorts(PORTS.length)
  const given = Object.fromEntries(PORTS.map((name, i) => [`BURSAR_PORT_${name}`, String(ports[i])]))
  const settings = readSettings(
    {
      ...given,
      BURSAR_DIR: dir,
      BURSAR_BLOCK_SECONDS_TRON: '0.5',
      BURSAR_SCREENING: 'off',
      BURSAR_HEDGING: 'off',
      ...env,
    },
    root,
  )
  const keeper = createKeeper()
  const log = (line: string): void => appendFileSync(ownLog(dir), `${line}\n`)
  const program = (role: Role): ProcessIdentity => keeper.running.get(role) as ProcessIdentity
  try {
    const world = await startWorld(keeper, settings, log)
    const platform = await startPlatform(keeper, settings, world, log)
    const { api, control, environment, merchants } = platform
    const place: Place = {
      dir,
      api,
      control,
      inbox: world.inbox.url,
      environment,
      database: world.databaseUrl,
      hasBitcoin: world.bitcoin !== undefined,
      merchants,
    }
    const serverLog = join(dir, 'logs', 'postgres.log')
    // A database that the test brings has its log elsewhere.
    const denied = (): string[] => (existsSync(serverLog) ? deniedIn(readFileSync(serverLog, 'utf8')) : [])
    return {
      ...connectSandbox(place, {
        kill: async (role) => {
          const killed = program(role)
          if (isRunning(killed)) process.kill(killed.pid, 'SIGKILL')
          while (isRunning(killed)) await sleep(10)
        },
        start: (role, more) => (role === 'signer' ? platform.startSigner() : platform.startRole(role, more)),
      }),
      place,
      pid: (role) => program(role).pid,
      rpcCall: (blockchain, method, params) =>
        (blockchain === 'ETHEREUM' ? world.ethereum : world.bsc).node.rpc(method, ...params),
      bitcoinRpc: <T>(method: string, ...params: unknown[]) =>
        world.bitcoin!.node.walletRpc('faucet')<T>(method, ...params),
      metrics: async () => (await fetch(`http://127.0.0.1:${settings.ports.innerWorker}/metrics`)).text(),
      denied,
      stop: async () => {
        await keeper.stop()
        const found = denied()
        rmSync(dir, { recursive: true, force: true })
        if (found.length > 0) throw new Error(`a database role was denied what its process does:\n${found.join('\n')}`)
      },
    }
  } catch (error) {
    await keeper.stop()
    throw error
  }
}

/** @param log of PostgreSQL @returns at most twenty errors, each with its statement */
const deniedIn = (log: string): string[] => {
  const lines = log.split('\n')
  const found = lines.flatMap((line, at) =>
    /permission denied|row-level security/.test(line) ? [`${line}\n  ${lines.slice(at + 1, at + 4).join('\n  ')}`] : [],
  )
  return [...new Set(found.map((text) => text.replaceAll(/^.*?(?=ERROR|FATAL|STATEMENT)/gm, '')))].slice(0, 20)
}
