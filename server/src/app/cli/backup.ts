import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { connectSigner } from '../../adapters/signer/index.ts'
import { missingKeys, requireDataKeys } from '../backup/data-keys.ts'
import { placesOf, readBackups, withScratch, type Backup } from '../backup/folder.ts'
import { auditCopy, markCopy } from '../backup/inspecting.ts'
import { oneAtATime } from '../backup/one-at-a-time.ts'
import { programsOf, type Programs } from '../backup/programs.ts'
import { backupBefore, restoreBackup, restoreInto } from '../backup/restoring.ts'
import { makeFolder, removeOld, takeBackup } from '../backup/taking.ts'
import { verifyBackup, verifyReceived } from '../backup/verifying.ts'
import { receiveLog } from '../backup/receiving.ts'
import { problemsOfUrl } from '../../platform/config/config.ts'
import type { Db } from '../../platform/db/index.ts'
import { createLogMemory } from '../../chain/transactions/index.ts'
import { keyName } from '../../platform/config/secrets.ts'
import { recordBackup } from '../../platform/runtime/backups.ts'
import { VERSION } from '../../platform/process/version.ts'
import { command, flag, neededText, text, textOr, UsageError, type Command } from './command.ts'
import { countSealed, nameIn } from './data-key.ts'
import { loadConfig, loadDatabaseConfig, signerAddress, withInstallation } from '../installation/open.ts'
import { wholeNumberOf } from './typed-amount.ts'

const DAY_MS = 86_400_000

const folderOption = neededText('FOLDER', 'folder of the backups, on an encrypted disk of another machine')
const programsOption = text(
  'FOLDER',
  "folder of the programs of PostgreSQL; without it Debian's folder of the version, else PATH",
)
const urlOption = text(
  'FILE',
  'file with the URL of a database role that has the attribute REPLICATION; without it DATABASE_URL',
)

/** @throws Error for a server on another machine without verified TLS */
const urlOf = async (file: string | undefined, standard: string): Promise<string> => {
  if (file === undefined) return standard
  const url = (await readFile(file, 'utf8')).trim()
  const [problem] = problemsOfUrl(url, file)
  if (problem !== undefined) throw new Error(problem)
  return url
}

const describeServer = async (db: Db) => {
  const { rows } = await sql<{ name: string; major: number; systemIdentifier: string; segmentBytes: string | number }>`
    select current_database()::text as name, current_setting('server_version_num')::integer / 10000 as major,
      system_identifier::text as "systemIdentifier", pg_size_bytes(current_setting('wal_segment_size')) as "segmentBytes"
    from pg_control_system()`.execute(db)
  const row = rows[0]!
  return { ...row, segmentBytes: Number(row.segmentBytes) }
}

/** Names of the data keys that encrypt something in the database, and of the newest one. */
const keysOf = async (db: Db, [newest]: readonly Uint8Array[]): Promise<string[]> => {
  const sealed = await countSealed(db)
  return [...new Set([keyName(newest!), ...[...sealed.keys()].map(nameIn)])]
}

/** The backup with an id, else the newest. */
const chosen = async (folder: string, id: string | undefined): Promise<Backup> => {
  if (id === undefined) return backupBefore(folder, null)
  const { good, damaged } = await readBackups(folder)
  const broken = damaged.find((backup) => backup.id === id)
  if (broken) throw new Error(`backup ${id} is damaged: ${broken.why}`)
  const found = good.find((backup) => backup.id === id)
  if (!found) throw new Error(`${folder} has no backup ${id}: \`bursar backup list\` shows them`)
  return found
}

const timeOf = (typed: string | undefined): Date | null => {
  if (typed === undefined) return null
  const at = new Date(typed)
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(typed) || Number.isNaN(at.getTime()))
    throw new UsageError('--to is a time with its zone, such as 2026-11-28T17:00:00Z')
  return at
}

/** A short folder for a socket: the path of a socket has at most 103 characters. */
const withSocket = async <T>(programs: Programs, work: (socket: string) => Promise<T>): Promise<T> => {
  const parent = await mkdtemp(join(tmpdir(), 'bursar-'))
  try {
    await makeFolder(programs, parent)
    return await work(join(parent, 's'))
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}

const refuseRoot = (): void => {
  if (process.geteuid?.() === 0)
    throw new Error(
      'PostgreSQL does not run as root: run this command as another user, and `restore` as the user of the database, such as postgres',
    )
}

const restoreOptions = {
  folder: folderOption,
  programs: programsOption,
  id: text('BACKUP', 'the backup to start from; without it the newest one that ended before --to'),
  superuser: textOr('postgres', 'NAME', 'the first superuser of the database cluster'),
}

export const backupCommands: readonly Command[] = [
  command({
    name: 'backup',
    summary: "make a base backup, and copy the signer's log and the settings",
    options: {
      folder: folderOption,
      programs: programsOption,
      'url-file': urlOption,
      recipient: text(
        'FILE',
        'certificate (PEM) for which settings with secrets are encrypted; without it they are left out',
      ),
      'without-signer': flag("make the backup without the signer's log if no signer is configured"),
      'keep-days': textOr('35', 'DAYS', 'backups older than this are removed, except for the two newest'),
    },
    more: 'Run it every day on another machine than the database. `bursar backup wal` must receive the write-ahead log into the same folder. See docs/operating/backup.md.',
    run: async ({ options }, env, out) => {
      const days = wholeNumberOf(options['keep-days'], '--keep-days', { least: 1, most: 36_500 })
      const folder = resolve(options.folder)
      await withInstallation(env, async ({ runtime, config }) => {
        const { db, clock } = runtime
        if (config.signer === null && !options['without-signer'])
          throw new Error(
            "without BURSAR_SIGNER the backup lacks the signer's log, the only record of what was signed: set BURSAR_SIGNER, or give --without-signer",
          )
        const database = await describeServer(db)
        const signer = config.signer && connectSigner(signerAddress(config), createLogMemory(db, clock.now))
        try {
          const programs = programsOf(database.major, options.programs)
          const url = await urlOf(options['url-file'], config.databaseUrl)
          const { backup, removed } = await oneAtATime(config.databaseUrl, async () => {
            const taken = await takeBackup({
              folder,
              programs,
              url,
              database,
              signer,
              env,
              recipient: options.recipient,
              dataKeys: await keysOf(db, config.dataKeys),
              version: VERSION,
              now: clock.now,
            })
            const { problems } = await verifyReceived(programs, folder, taken)
            if (problems.length > 0)
              throw new Error([`backup ${taken.id} is good, but its received log is not:`, ...problems].join('\n  '))
            const old = new Date(clock.now() - days * DAY_MS)
            return { backup: taken, removed: await removeOld(folder, old) }
          })
          const { wal, signerLog, leftOut } = backup.manifest
          await recordBackup(
            db,
            { kind: 'backup', name: backup.id, walPosition: wal.end, signerLogLength: signerLog?.length ?? null },
            runtime,
            new Date(clock.now()),
          )
          out.show({ id: backup.id, path: backup.path, manifest: { ...backup.manifest }, removed }, [
            `backup ${backup.id} up to ${wal.end}; signer's log: ${signerLog ? `${signerLog.length} lines` : 'no signer is configured'}`,
            ...leftOut.map(
              (variable) => `left out, because it may have secrets and no --recipient was given: ${variable}`,
            ),
            `removed ${removed.backups.length} old backup(s) and ${removed.files} file(s) of the log`,
          ])
        } finally {
          signer?.close()
        }
      })
    },
  }),
  command({
    name: 'backup wal',
    summary: 'receive the write-ahead log of the database until a signal stops it',
    options: {
      folder: folderOption,
      programs: programsOption,
      'url-file': urlOption,
      'application-name': textOr('bursar_backup', 'NAME', 'its name in synchronous_standby_names'),
    },
    isProcess: true,
    run: async ({ options }, env) => {
      const { databaseUrl } = loadDatabaseConfig(env)
      const programs: Programs = { folder: options.programs ?? null }
      const { wal } = placesOf(resolve(options.folder))
      await makeFolder(programs, wal)
      const url = await urlOf(options['url-file'], databaseUrl)
      const stopping = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
      await receiveLog(
        programs,
        { url, folder: wal, name: options['application-name'] },
        { signal: stopping.signal, note: (text) => process.stderr.write(`${text}\n`) },
      )
    },
  }),
  command({
    name: 'backup list',
    summary: 'list the backups of a folder',
    options: { folder: folderOption },
    run: async ({ options }, _env, out) => {
      const { good, damaged } = await readBackups(resolve(options.folder))
      const backups = good.map(({ id, manifest }) => ({
        id,
        finishedAt: manifest.finishedAt,
        wal: manifest.wal.end,
        signerLog: manifest.signerLog?.length ?? null,
        version: manifest.version,
      }))
      out.list('backups', backups, { none: 'there is no backup' })
      for (const { id, why } of damaged) out.add('damaged', { id, why }, `BAD  ${id}: ${why}`)
      if (damaged.length > 0) process.exitCode = 1
    },
  }),
  command({
    name: 'backup verify',
    summary: 'read every byte of a backup, and check it against its hashes',
    options: {
      folder: folderOption,
      programs: programsOption,
      id: text('BACKUP', 'its id; without it the newest'),
    },
    more: 'Exits with 1 when a file is missing or changed, or the received log has a gap.',
    run: async ({ options }, _env, out) => {
      const folder = resolve(options.folder)
      const backup = await chosen(folder, options.id)
      const programs = programsOf(backup.manifest.database.major, options.programs)
      const { problems, newestAt } = await verifyBackup(programs, folder, backup)
      out.show({ id: backup.id, receivedUntil: newestAt?.toISOString() ?? null, problems }, [
        `${problems.length === 0 ? 'ok  ' : 'BAD '} backup ${backup.id}; the log was last written ${newestAt?.toISOString() ?? 'never'}`,
        ...problems.map((problem) => `  ${problem}`),
      ])
      if (problems.length > 0) process.exitCode = 1
    },
  }),
  command({
    name: 'backup drill',
    summary: 'restore the newest backup into a scratch folder, check its books, and remove it',
    options: {
      ...restoreOptions,
      scratch: neededText('FOLDER', 'an empty or missing folder with enough space for the database'),
    },
    more: 'Run it every month, as any user but root. Exits with 1 when a file, the ledger or an invariant has a fault.',
    run: async ({ options }, env, out) => {
      refuseRoot()
      const folder = resolve(options.folder)
      const backup = await chosen(folder, options.id)
      const programs = programsOf(backup.manifest.database.major, options.programs)
      const lacking = missingKeys(backup, loadConfig(env, 'cli').dataKeys)
      if (lacking.length > 0)
        throw new Error(
          `BURSAR_DATA_KEY_FILE lacks data key ${lacking.join(', ')}, without which the secrets of backup ${backup.id} can't be read`,
        )
      const { problems } = await verifyBackup(programs, folder, backup)
      await withScratch(resolve(options.scratch), async (into) => {
        const { inspected, position, lastCommitAt } = await withSocket(programs, (socket) =>
          restoreBackup({ folder, programs, into, to: null, socket, superuser: options.superuser }, backup, auditCopy),
        )
        problems.push(...inspected)
        out.show({ id: backup.id, position, lastCommitAt, problems }, [
          `${problems.length === 0 ? 'ok  ' : 'BAD '} backup ${backup.id} restored up to ${position}, last commit ${lastCommitAt ?? 'that of the backup'}`,
          ...problems.map((problem) => `  ${problem}`),
        ])
        if (problems.length > 0) {
          process.exitCode = 1
          return
        }
        const { wal, signerLog } = backup.manifest
        await withInstallation(env, ({ runtime }) =>
          recordBackup(
            runtime.db,
            { kind: 'drill', name: backup.id, walPosition: wal.end, signerLogLength: signerLog?.length ?? null },
            runtime,
            new Date(runtime.clock.now()),
          ),
        )
      })
    },
  }),
  command({
    name: 'restore',
    summary: 'restore a backup and the received log into an empty data directory, for `bursar restored`',
    options: {
      ...restoreOptions,
      into: neededText('FOLDER', 'the new data directory: empty or missing'),
      to: text(
        'TIME',
        'restore what was committed before this time, such as 2026-11-28T17:00:00Z; without it everything',
      ),
      'data-key-file': text(
        'FILE',
        'the data keys, which no backup contains; without it BURSAR_DATA_KEY_FILE. Other keys than those of the backup are refused',
      ),
      'without-data-key': flag('restore although the data keys are lost: merchants then need new keys'),
      'skip-verify': flag('do not read the backup before it is restored'),
    },
    more: 'Run it as the user of PostgreSQL on the machine of the new database, while no server uses the directory. Then start the server and continue with docs/operating/recovery.md.',
    run: async ({ options }, env, out) => {
      refuseRoot()
      const folder = resolve(options.folder)
      const to = timeOf(options.to)
      const backup = options.id === undefined ? await backupBefore(folder, to) : await chosen(folder, options.id)
      if (!options['without-data-key']) requireDataKeys(backup, options['data-key-file'] ?? env['BURSAR_DATA_KEY_FILE'])
      const programs = programsOf(backup.manifest.database.major, options.programs)
      if (!options['skip-verify']) {
        const { problems } = await verifyBackup(programs, folder, backup)
        if (problems.length > 0)
          throw new Error([`backup ${backup.id} is not good, and nothing was restored:`, ...problems].join('\n  '))
      }
      const done = await withSocket(programs, (socket) =>
        restoreInto(
          {
            folder,
            programs,
            into: resolve(options.into),
            to,
            socket,
            superuser: options.superuser,
          },
          backup,
          markCopy,
        ),
      )
      const { position, lastCommitAt, timeline } = done
      out.show({ id: backup.id, position, timeline, lastCommitAt }, [
        `restored backup ${backup.id} up to ${position} (timeline ${timeline}), last commit ${lastCommitAt ?? 'that of the backup'}`,
        'start the server on this directory, then run `bursar restored --yes` (docs/operating/recovery.md)',
      ])
    },
  }),
]
