/**
 * Runs a real PostgreSQL from npm's binaries: no installation, no Docker, no password, accessible to its owner only.
 */
import { dirname, join, resolve } from 'node:path'
import { mkdirSync } from 'node:fs'
import { findBinaries } from './binaries.ts'
import { createCluster, hasCluster } from './cluster.ts'
import { answers, ensureDatabase } from './connection.ts'
import { adoptOrClear, readLockFile } from './leftover.ts'
import { actualDataDir, giveTo, placeServer } from './placement.ts'
import type { Placement } from './placement.ts'
import { serverEnvironment } from './run-as.ts'
import { settingArguments } from './settings.ts'
import { clearStaleSocket, prepareSocketDir, removeSocketDir, socketUrl } from './socket.ts'
import { PostgresUnavailable } from './unavailable.ts'
import { startChild } from '../process/child.ts'
import type { Exit, StartedChild } from '../process/child.ts'
import { endProcess, waitUntilGone } from '../process/end.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import { withFileLock } from '../process/lock.ts'

export interface PostgresOptions {
  /** Made when absent; its parent too. It stays when the server stops. */
  readonly dataDir: string
  /** Default: beside the data. A path too long for a socket is replaced by a short private one. */
  readonly socketDir?: string
  /** Server settings over those of `settings.ts`. */
  readonly settings?: Readonly<Record<string, string>>
  /** The server's own output. Default: `dataDir` with `.log` appended. */
  readonly logFile?: string
  /**
   * Folders for copies that root must make when other users can't access the project. Default: /var/lib and similar
   * folders.
   */
  readonly copyBases?: readonly string[]
  /** Called with a line for each step that takes time. */
  readonly log?: (line: string) => void
}

export interface Postgres extends ProcessIdentity {
  /** `postgres:///bursar?host=<socket directory>&user=postgres`, as `pg` and kysely read it. */
  readonly url: string
  /** True when the server was already running, left by a process that was killed. */
  readonly adopted: boolean
  readonly logFile: string
  /** Absent when the server was adopted. */
  readonly exited?: Promise<Exit>
  /** Ends sessions, writes a checkpoint, stops. */
  stop(): Promise<void>
}

/** A long recovery after a crash under load is still a start. */
const readyWaitMs = 120_000

/**
 * Starts the server, or adopts the one that already runs on this data directory, and ensures that the database `bursar`
 * exists. Concurrent callers get the same server. Throws PostgresUnavailable when this machine can't run it.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataDir = resolve(options.dataDir)
  mkdirSync(dirname(dataDir), { recursive: true })
  return withFileLock(`${dataDir}.lock`, readyWaitMs, async () => {
    const live = await adoptOrClear(actualDataDir(dataDir))
    const { server, socketDir }: Launched =
      live === undefined ? await launch(dataDir, options) : { server: live, socketDir: live.socketDir }
    await ensureDatabase(socketDir, 'bursar')
    return {
      pid: server.pid,
      startedAt: server.startedAt,
      url: socketUrl(socketDir, 'bursar'),
      adopted: live !== undefined,
      logFile: logFileOf(dataDir, options),
      ...('exited' in server && { exited: server.exited }),
      stop: async () => {
        await stop(server)
        removeSocketDir(socketDir)
      },
    }
  })
}

interface Launched {
  readonly server: StartedChild | ProcessIdentity
  readonly socketDir: string
}

async function launch(dataDir: string, options: PostgresOptions): Promise<Launched & { server: StartedChild }> {
  const binaries = findBinaries()
  const placement = placeServer(binaries, dataDir, options.copyBases)
  if (!hasCluster(placement.dataDir, binaries.version)) {
    options.log?.(`creating a PostgreSQL ${binaries.version.split('.')[0]} cluster as ${placement.runAs.name}`)
    createCluster(placement)
  }
  giveTo(placement.runAs, placement.dataDir)
  const wished = resolve(options.socketDir ?? `${placement.dataDir}.socket`)
  const socketDir = prepareSocketDir(wished, placement.runAs)
  clearStaleSocket(socketDir)
  const server = await startServer(placement, socketDir, logFileOf(dataDir, options), options.settings)
  await untilReady(placement.dataDir, socketDir, server)
  return { server, socketDir }
}

function startServer(
  { runAs, native, dataDir }: Placement,
  socketDir: string,
  logFile: string,
  settings: PostgresOptions['settings'],
): Promise<StartedChild> {
  const command = runAs.command(join(native, 'bin', 'postgres'), [
    '-D',
    dataDir,
    '-k',
    socketDir,
    ...settingArguments(settings),
  ])
  return startChild({ ...command, ...runAs.spawnIds, cwd: '/', env: serverEnvironment(), logFile })
}

async function untilReady(dataDir: string, socketDir: string, server: StartedChild): Promise<void> {
  const deadline = performance.now() + readyWaitMs
  while (performance.now() < deadline) {
    if (readLockFile(dataDir)?.status === 'ready' && (await answers(socketDir))) return
    if (await waitUntilGone(server, 10))
      throw new PostgresUnavailable(`the server ended while starting:\n${server.tail()}`)
  }
  await stop(server)
  throw new PostgresUnavailable(`the server was not ready within ${readyWaitMs / 1000} s:\n${server.tail()}`)
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one (the next start recovers). */
function stop(server: ProcessIdentity): Promise<void> {
  return endProcess(server, [
    { signal: 'SIGINT', waitMs: 30_000 },
    { signal: 'SIGQUIT', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ])
}

function logFileOf(dataDir: string, options: PostgresOptions): string {
  return options.logFile ?? `${dataDir}.log`
}
