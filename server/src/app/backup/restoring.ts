import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseClient } from '../../platform/db/client.ts'
import { DATA, placesOf, readBackups, stampOf, syncFolder, type Backup } from './folder.ts'
import { runProgram, startProgram, type Programs } from './programs.ts'
import { makeFolder } from './taking.ts'
import { newestComplete, numberOf } from './wal.ts'

export interface Restoring {
  folder: string
  programs: Programs
  /** the new data directory: it must be empty or missing */
  into: string
  /** the last moment whose commits are restored; null: all that was received */
  to: Date | null
  /** short folder for the socket of the server while it recovers; it must be missing */
  socket: string
  /** bootstrap superuser of the cluster */
  superuser: string
}

/** What a restored cluster contains. */
export interface Restored {
  backup: Backup
  /** position of the end of recovery */
  position: string
  /** time of the last commit that was restored, as PostgreSQL logged it; null: none after the base backup */
  lastCommitAt: string | null
  timeline: number
}

/** The server recovers for at most this long without ending: a day. */
const RECOVERY_MS = 86_400_000

/**
 * The newest backup that ended before a time. Throws an Error when there is none, or when a later one is damaged: it
 * may be the one that was meant.
 */
export const backupBefore = async (folder: string, to: Date | null): Promise<Backup> => {
  const { good, damaged } = await readBackups(folder)
  const found = good.filter(({ manifest }) => to === null || Date.parse(manifest.finishedAt) <= to.getTime()).at(-1)
  const newer = damaged.find(({ id }) => id > (found?.id ?? '') && (to === null || id < stampOf(to)))
  if (newer)
    throw new Error(
      `backup ${newer.id} is damaged: ${newer.why}. Name another one by --id: \`bursar backup list\` shows them`,
    )
  if (!found) throw new Error(`${folder} has no backup${to === null ? '' : ` that ended before ${to.toISOString()}`}`)
  return found
}

/**
 * Restores a base backup and the received log into an empty directory, ends the recovery, and marks the database as a
 * copy: no role serves it before `bursar restored` has run. The server that recovers listens on a socket that only its
 * user may open, and is stopped at the end. It needs no configuration of the old server. Throws an Error with the end
 * of the server's log when the recovery fails.
 * @param inspect is called with a URL of the restored database while the server runs
 */
export const restoreBackup = async <T>(
  restoring: Restoring,
  backup: Backup,
  inspect: (url: string) => Promise<T>,
): Promise<Restored & { inspected: T }> => {
  const { programs, into, socket, superuser } = restoring
  const present = await readdir(into).catch(() => [])
  if (present.length > 0) throw new Error(`${into} is not empty: a restore needs an empty directory`)
  await makeFolder(programs, into)
  const system = { ...programs, folder: null }
  await runProgram(system, 'cp', ['-a', `${join(backup.path, DATA)}/.`, into])
  await runProgram(system, 'chmod', ['700', into])
  await runProgram(system, 'touch', [join(into, 'recovery.signal')])
  await makeFolder(programs, socket)
  await writeFile(join(socket, 'hba'), 'local all all trust\n', { mode: 0o644 })
  await writeFile(join(socket, 'empty'), '', { mode: 0o644 })
  const { segmentBytes } = backup.manifest.wal
  const newest = restoring.to === null ? await newestComplete(placesOf(restoring.folder).wal, segmentBytes) : null
  const server = startServer(restoring)
  const log = logOf(server)
  try {
    const { name } = backup.manifest.database
    const url = `postgres:///${encodeURIComponent(name)}?host=${encodeURIComponent(socket)}&user=${encodeURIComponent(superuser)}`
    const { position, timeline } = await recovered(url, server, log)
    if (newest !== null && numberOf(position, segmentBytes) < newest)
      throw new Error(
        `the recovery ended at ${position}, but later files of the log were received: one of them is damaged or can't be read\n${log.text().slice(-4_000)}`,
      )
    const lastCommitAt = /last completed transaction was at log time (.+)$/m.exec(log.text())?.[1] ?? null
    const inspected = await inspect(url)
    return { backup, position, timeline, lastCommitAt, inspected }
  } finally {
    await stop(server)
    await rm(socket, { recursive: true, force: true })
  }
}

/**
 * Restores a backup into `INTO.restoring`, which gets its name only when `finish` has marked the database: a restore
 * that was interrupted leaves no database at that place that a server could start on. Throws as `restoreBackup`.
 */
export const restoreInto = async (
  restoring: Restoring,
  backup: Backup,
  finish: (url: string) => Promise<void>,
): Promise<Restored> => {
  const { into } = restoring
  await rmdir(into).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST')
      throw new Error(`${into} is not empty: a restore needs an empty directory`)
    if (error.code === 'EBUSY') throw new Error(`${into} is a mount point: restore into a directory below it`)
    throw error
  })
  const draft = `${into}.restoring`
  const done = await restoreBackup({ ...restoring, into: draft }, backup, finish)
  await rename(draft, into)
  await syncFolder(dirname(into))
  return done
}

const startServer = ({ programs, into, socket, folder, to }: Restoring): ChildProcess => {
  const { wal } = placesOf(folder)
  const settings: Record<string, string> = {
    config_file: join(socket, 'empty'),
    hba_file: join(socket, 'hba'),
    ident_file: join(socket, 'empty'),
    listen_addresses: '',
    unix_socket_directories: socket,
    ssl: 'off',
    archive_mode: 'off',
    // Without a standby's queries, the limits of the old server on connections need not be known.
    hot_standby: 'off',
    primary_conninfo: '',
    synchronous_standby_names: '',
    logging_collector: 'off',
    log_destination: 'stderr',
    restore_command: restoreCommand(wal),
    recovery_target_timeline: 'latest',
    recovery_target_action: 'promote',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(to && { recovery_target_time: to.toISOString().replace('T', ' ').replace('Z', '+00') }),
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return startProgram(programs, 'postgres', ['-D', into, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/**
 * Exit code 1 says that the log has no such file: the recovery ends there. A file that is there but can't be copied
 * stops the server, by a code above 125. The receiver may rename a file from its incomplete name meanwhile.
 */
const restoreCommand = (wal: string): string => {
  const [whole, partial] = [join(wal, '%f'), join(wal, '%f.partial')].map(quoted)
  return `for f in ${whole} ${partial} ${whole}; do if test -e "$f"; then cp "$f" "%p" && exit 0; test -e "$f" && exit 126; fi; done; exit 1`
}

const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`

/** Collects the end of the server's log. */
const logOf = (server: ChildProcess): { text: () => string } => {
  let text = ''
  server.stderr!.on('data', (part: Buffer) => {
    text = (text + part.toString('utf8')).slice(-64_000)
  })
  return { text: () => text }
}

/** Waits until recovery has ended. */
const recovered = async (
  url: string,
  server: ChildProcess,
  log: { text: () => string },
): Promise<{ position: string; timeline: number }> => {
  const until = performance.now() + RECOVERY_MS
  while (performance.now() < until) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`the recovery ended without success:\n${log.text().slice(-4_000)}`)
    const found = await askServer(url).catch((error: unknown) => {
      // The server refuses connections while it recovers (57P03); a wrong role or database does not mend by itself.
      const { code } = error as { code?: unknown }
      if (typeof code === 'string' && /^(28|3D)/.test(code)) throw error
      return undefined
    })
    if (found) return found
    await sleep(200)
  }
  throw new Error(`the recovery did not end:\n${log.text().slice(-4_000)}`)
}

const askServer = async (url: string): Promise<{ position: string; timeline: number } | undefined> => {
  const client = new DatabaseClient({ connectionString: url, application_name: 'bursar restore' })
  await client.connect()
  try {
    const { rows } = await client.query<{ recovering: boolean; position: string; timeline: number }>(
      'select pg_is_in_recovery() as recovering, pg_current_wal_lsn()::text as position, timeline_id as timeline from pg_control_checkpoint()',
    )
    const [row] = rows
    return row && !row.recovering ? { position: row.position, timeline: row.timeline } : undefined
  } finally {
    await client.end()
  }
}

/** Stops the server fast: open connections are closed, and everything is on the disk. */
const stop = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGINT')
  await ended
}
