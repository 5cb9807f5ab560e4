import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SignerLog } from '../../adapters/signer/index.ts'
import {
  DATA,
  hashOfFile,
  listBackups,
  MANIFEST,
  nameOf,
  placesOf,
  SETTINGS,
  stampOf,
  syncFolder,
  writeSynced,
  type Backup,
} from './folder.ts'
import type { Manifest } from './manifest.ts'
import { connectionOf, runProgram, type Programs } from './programs.ts'
import { copySettings } from './settings.ts'
import { copySignerLog } from './signer-copy.ts'
import { verifyOwn } from './verifying.ts'
import { removeBefore } from './wal.ts'

export interface Taking {
  folder: string
  programs: Programs
  /** login with the attribute REPLICATION */
  url: string
  database: { name: string; major: number; systemIdentifier: string; segmentBytes: number }
  /** null: the signer is not configured */
  signer: SignerLog | null
  env: Readonly<Record<string, string | undefined>>
  recipient: string | undefined
  /** names of the data keys that encrypt the secrets of the database */
  dataKeys: readonly string[]
  version: string
  now: () => number
}

/**
 * Makes a base backup with the log that it needs, then copies the signer's log, which so has every line that the
 * database of the backup knows, and the settings. The backup gets its name only when all of it is on the disk, and
 * every byte was read again and is good. Throws ProgramFailed, LogCopyBroken, or an Error that lists what is not good.
 */
export const takeBackup = async (taking: Taking): Promise<Backup> => {
  const { folder, programs, database, now } = taking
  const places = placesOf(folder)
  const startedAt = new Date(now())
  const stamp = stampOf(startedAt)
  const draft = join(places.base, `${stamp}.partial`)
  await makeFolder(programs, places.base)
  await makeFolder(programs, draft)
  const { text: target, env } = connectionOf(taking.url)
  const data = join(draft, DATA)
  await runProgram(
    programs,
    'pg_basebackup',
    [
      '-d',
      target,
      '--no-password',
      '-D',
      data,
      '-X',
      'stream',
      '-c',
      'fast',
      '--manifest-checksums=SHA256',
      '-l',
      `bursar ${stamp}`,
    ],
    { env },
  )
  const signerLog = taking.signer && (await copySignerLog(taking.signer, places.signerLog))
  const copied = await copySettings(programs, taking.env, join(draft, SETTINGS), taking.recipient)
  const { start, end, startFile, timeline } = await positionsOf(data)
  const manifest: Manifest = {
    format: 1,
    version: taking.version,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date(now()).toISOString(),
    database: { name: database.name, major: database.major, systemIdentifier: database.systemIdentifier, timeline },
    wal: { start, end, startFile, segmentBytes: database.segmentBytes },
    backupManifest: await hashOfFile(join(data, 'backup_manifest')),
    signerLog,
    dataKeys: [...taking.dataKeys],
    ...copied,
  }
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  const id = nameOf(startedAt, text)
  await writeSynced(join(draft, MANIFEST), text)
  await syncFolder(draft)
  const problems = await verifyOwn(programs, folder, { id, path: draft, manifest })
  if (problems.length > 0) throw new Error([`${draft} is no good backup:`, ...problems].join('\n  '))
  const path = join(places.base, id)
  await rename(draft, path)
  await syncFolder(places.base)
  return { id, path, manifest }
}

/** Makes a folder as the user of the programs, for that user alone, unless it exists. */
export const makeFolder = async (programs: Programs, path: string): Promise<void> => {
  if (programs.as === undefined) await mkdir(path, { recursive: true, mode: 0o700 })
  else await runProgram({ ...programs, folder: null }, 'mkdir', ['-p', '-m', '700', path])
}

/** The positions of a base backup: its start by the label, its end by PostgreSQL's manifest. */
const positionsOf = async (
  data: string,
): Promise<{ start: string; end: string; startFile: string; timeline: number }> => {
  const label = await readFile(join(data, 'backup_label'), 'utf8')
  const startFile = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/m.exec(label)?.[1]
  const written = JSON.parse(await readFile(join(data, 'backup_manifest'), 'utf8')) as {
    'WAL-Ranges': { Timeline: number; 'Start-LSN': string; 'End-LSN': string }[]
  }
  const range = written['WAL-Ranges'].at(-1)
  if (startFile === undefined || range === undefined) throw new Error('pg_basebackup wrote no positions')
  return { start: range['Start-LSN'], end: range['End-LSN'], startFile, timeline: range.Timeline }
}

/**
 * Removes backups that ended before a time, but never the two newest; interrupted backups that are older than the
 * newest; then the log that no backup needs.
 * @returns the ids of the removed backups, and how many files of the log were removed
 */
export const removeOld = async (folder: string, before: Date): Promise<{ backups: string[]; files: number }> => {
  const all = await listBackups(folder)
  const old = all.slice(0, -2).filter(({ manifest }) => Date.parse(manifest.finishedAt) < before.getTime())
  // A removal that is interrupted leaves an interrupted backup, which the next run removes.
  for (const { path } of old) {
    await rename(path, `${path}.partial`)
    await rm(`${path}.partial`, { recursive: true })
  }
  const { base } = placesOf(folder)
  const newest = all.at(-1)?.id ?? ''
  for (const name of await readdir(base))
    if (name.endsWith('.partial') && name < newest) await rm(join(base, name), { recursive: true })
  const [oldest] = all.filter((backup) => !old.includes(backup))
  const files = oldest
    ? await removeBefore(placesOf(folder).wal, {
        file: oldest.manifest.wal.startFile,
        segmentBytes: oldest.manifest.wal.segmentBytes,
      })
    : 0
  return { backups: old.map(({ id }) => id), files }
}
