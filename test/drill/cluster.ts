/** A PostgreSQL server of Debian's packages, which have the tools of backups; npm's package has none of them. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../../sandbox/postgres/connection.ts'
import { makeFolder } from '../../server/src/app/backup/taking.ts'
import { runProgram, startProgram, type Programs } from '../../server/src/app/backup/programs.ts'

const DEBIAN = '/usr/lib/postgresql'
const UNPRIVILEGED = 65_534
const START_MS = 60_000

/** The newest installed version with the tools of backups; undefined when there is none. */
export const debianPrograms = (): Programs | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : []
  const folder = versions
    .toSorted((a, b) => b - a)
    .map((version) => join(DEBIAN, String(version), 'bin'))
    .find((path) => existsSync(join(path, 'initdb')) && existsSync(join(path, 'pg_basebackup')))
  if (folder === undefined) return undefined
  return { folder, ...(process.geteuid?.() === 0 && { as: { uid: UNPRIVILEGED, gid: UNPRIVILEGED } }) }
}

/** Makes an empty cluster. */
export const initCluster = async (programs: Programs, data: string): Promise<void> => {
  await runProgram(programs, 'initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'])
}

export interface Cluster {
  url: string
  /** As when the machine loses its power: nothing is written any more. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a server on a data directory.
 * @param socket a short folder for its socket
 * @param more settings beside those of a drill
 */
export const startCluster = async (
  programs: Programs,
  data: string,
  socket: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Cluster> => {
  await makeFolder(programs, socket)
  writeFileSync(join(socket, 'hba'), 'local all all trust\nlocal replication all trust\n', { mode: 0o644 })
  const settings = {
    hba_file: join(socket, 'hba'),
    listen_addresses: '',
    unix_socket_directories: socket,
    wal_level: 'replica',
    // The drill kills the server, not the machine: data that the kernel has is not lost.
    fsync: 'off',
    max_connections: '40',
    shared_buffers: '32MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...more,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = startProgram(programs, 'postgres', ['-D', data, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr!.on('data', (part: Buffer) => (log = (log + part.toString('utf8')).slice(-8_000)))
  const url = `postgres:///postgres?host=${encodeURIComponent(socket)}&user=postgres`
  for (const until = performance.now() + START_MS; ;) {
    if (server.exitCode !== null || performance.now() > until) throw new Error(`PostgreSQL does not start:\n${log}`)
    const answers = await withClient(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    )
    if (answers) break
    await sleep(100)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  return { url, kill: () => end('SIGKILL'), stop: () => end('SIGINT') }
}

/** Ends a program that receives the log. */
export const endProgram = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}
