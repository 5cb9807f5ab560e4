/** Runs a real Bitcoin node in regtest: the rules and the RPC of the main network, with blocks on demand. */
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../process/child.ts'
import type { StartedChild } from '../process/child.ts'
import { endProcess, waitUntilGone } from '../process/end.ts'
import { isRunning, processesWorkingIn } from '../process/identity.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import { freePort, requireFreePort } from '../process/port.ts'
import { forgetProcess, recordedProcess, recordProcess } from '../process/record.ts'
import { rpcClient, RpcError } from '../rpc.ts'
import type { Rpc } from '../rpc.ts'
import type { BitcoindProgram } from './program.ts'
import { newPassword, readSettings, rpcUser, writeSettings } from './settings.ts'
import type { NodeSettings } from './settings.ts'

export { findBitcoind } from './find.ts'

export interface BitcoindOptions {
  readonly program: BitcoindProgram
  /** Made when absent. It stays when the node stops. */
  readonly dataDir: string
  /** Default: any free port, the same again for the same directory while it is free. */
  readonly rpcPort?: number
  /** The setting for another port, named in the message when the port is in use. */
  readonly rpcPortSetting?: string
  /** Where other nodes may connect (`addnode`), 0 for any free port. Absent: the node takes no connections. */
  readonly peerPort?: number
  /** Default: `dataDir` with `.log` appended. */
  readonly logFile?: string
  /** For messages. */
  readonly name?: string
  /** Further arguments, for example `-mocktime=SECONDS`. */
  readonly more?: readonly string[]
}

export interface Bitcoind extends ProcessIdentity {
  /** Without the credentials, which stand beside it. */
  readonly url: string
  readonly user: string
  readonly password: string
  readonly peerPort?: number
  /** Numbers come as text: amounts are JSON numbers in bitcoins, and floats lose satoshis. */
  readonly rpc: Rpc
  /** The same for one wallet's methods. */
  walletRpc(wallet: string): Rpc
  readonly adopted: boolean
  stop(): Promise<void>
}

/** A reindex of a long chain is still a start. */
const readyWaitMs = 120_000
/** RPC_IN_WARMUP: the node is loading. */
const inWarmup = -28

/** Throws PortInUse, or an Error with the end of the node's log. */
export async function startBitcoind(options: BitcoindOptions): Promise<Bitcoind> {
  const dataDir = resolve(options.dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const before = readSettings(dataDir)
  const left = recordedProcess(recordOf(dataDir)) ?? processesWorkingIn(dataDir)[0]
  if (left !== undefined) {
    if (before !== undefined && (await becomesReady(clientOf(before), left))) return handle(dataDir, before, left, true)
    await end(left)
  }
  const settings = await chooseSettings(options, before)
  writeSettings(dataDir, settings, options.program.isKnots)
  if (endedUncleanly(dataDir)) await recoverBlocks(options, dataDir)
  const child = await startNode(options, dataDir)
  if (await becomesReady(clientOf(settings), child)) return handle(dataDir, settings, child, false)
  await end(child)
  throw new Error(`${options.name ?? 'bitcoind'} did not start:\n${child.tail()}`)
}

async function chooseSettings(options: BitcoindOptions, before: NodeSettings | undefined): Promise<NodeSettings> {
  const name = options.name ?? 'bitcoind'
  if (options.rpcPort !== undefined) await requireFreePort(options.rpcPort, name, options.rpcPortSetting)
  const rpcPort =
    options.rpcPort ?? (before !== undefined && (await isFree(before.rpcPort)) ? before.rpcPort : await freePort())
  const rpcPassword = before?.rpcPassword ?? newPassword()
  if (options.peerPort === undefined) return { rpcPort, rpcPassword }
  if (options.peerPort !== 0) await requireFreePort(options.peerPort, `${name} for its peers`)
  return { rpcPort, rpcPassword, peerPort: options.peerPort === 0 ? await freePort() : options.peerPort }
}

async function startNode(
  { program, logFile, more = [] }: BitcoindOptions,
  dataDir: string,
  extra: string[] = [],
): Promise<StartedChild> {
  const child = await startChild({
    file: program.file,
    args: [...program.leadingArguments, `-datadir=${dataDir}`, ...more, ...extra],
    logFile: logFile ?? `${dataDir}.log`,
    cwd: dataDir,
  })
  recordProcess(recordOf(dataDir), child)
  return child
}

/**
 * Blocks are written to the block files at once, but their index only hourly, so that a killed node would restart with
 * a shorter chain. The RPC is off, because it would answer before all blocks are restored.
 */
async function recoverBlocks(options: BitcoindOptions, dataDir: string): Promise<void> {
  const child = await startNode(options, dataDir, ['-reindex=1', '-stopafterblockimport=1', '-server=0'])
  if (await waitUntilGone(child, readyWaitMs)) return
  await end(child)
  throw new Error(`${options.name ?? 'bitcoind'} did not recover its blocks after a crash:\n${child.tail()}`)
}

/** The node removes its pid file as the last thing of an orderly end. */
function endedUncleanly(dataDir: string): boolean {
  return existsSync(join(dataDir, 'regtest', 'bitcoind.pid'))
}

async function becomesReady(rpc: Rpc, node: ProcessIdentity): Promise<boolean> {
  const deadline = performance.now() + readyWaitMs
  while (performance.now() < deadline && isRunning(node)) {
    try {
      await rpc('getblockchaininfo')
      return true
    } catch (error) {
      if (error instanceof RpcError && error.code !== inWarmup) return false
    }
    await sleep(20)
  }
  return false
}

function handle(dataDir: string, settings: NodeSettings, node: ProcessIdentity, adopted: boolean): Bitcoind {
  return {
    pid: node.pid,
    startedAt: node.startedAt,
    adopted,
    url: urlOf(settings),
    user: rpcUser,
    password: settings.rpcPassword,
    ...(settings.peerPort === undefined ? {} : { peerPort: settings.peerPort }),
    rpc: clientOf(settings),
    walletRpc: (wallet) => clientOf(settings, `/wallet/${encodeURIComponent(wallet)}`),
    stop: async () => {
      await end(node)
      forgetProcess(recordOf(dataDir))
    },
  }
}

function clientOf(settings: NodeSettings, path = '/'): Rpc {
  const credentials = Buffer.from(`${rpcUser}:${settings.rpcPassword}`).toString('base64')
  return rpcClient(`${urlOf(settings)}${path}`, { authorization: `Basic ${credentials}`, numbers: 'text' })
}

function urlOf(settings: NodeSettings): string {
  return `http://127.0.0.1:${settings.rpcPort}`
}

function recordOf(dataDir: string): string {
  return join(dataDir, 'process.json')
}

function end(node: ProcessIdentity): Promise<void> {
  return endProcess(node, [
    { signal: 'SIGTERM', waitMs: 20_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ])
}

async function isFree(port: number): Promise<boolean> {
  return requireFreePort(port, '').then(
    () => true,
    () => false,
  )
}
