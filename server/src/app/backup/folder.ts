import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The folder of backups: `base/ID` (a base backup with its manifest and settings), `wal` (the write-ahead log, as
 * pg_receivewal writes it) and `signer-log` (the lines of the signer's log, in files as the signer's own).
 */
export const placesOf = (folder: string) => ({
  base: join(folder, 'base'),
  wal: join(folder, 'wal'),
  signerLog: join(folder, 'signer-log'),
})

export const MANIFEST = 'manifest.json'
/** Below the folder of one backup. */
export const DATA = 'data'
export const SETTINGS = 'settings'

/** One backup, as its `manifest.json` describes it. */
export interface Manifest {
  format: 1
  /** version of the program that made it */
  version: string
  /** real time */
  startedAt: string
  finishedAt: string
  database: { name: string; major: number; systemIdentifier: string; timeline: number }
  /** positions in the write-ahead log between which the base backup was made, and the file of the first */
  wal: { start: string; end: string; startFile: string; segmentBytes: number }
  /** SHA-256 of PostgreSQL's own manifest, which has a hash of each file of the base backup */
  backupManifest: string
  /** the end of the signer's log when it was copied, after the base backup; null: the signer is not configured */
  signerLog: { length: number; head: string } | null
  /** SHA-256 of each file below `settings` */
  settings: Record<string, string>
  /** variables whose files have secrets and were left out, because no certificate was given to encrypt them for */
  leftOut: string[]
}

/** A backup that has ended well. */
export interface Backup {
  id: string
  path: string
  manifest: Manifest
}

/** The backups of a folder, the oldest first. A backup that was interrupted has no manifest and is not one of them. */
export const listBackups = async (folder: string): Promise<Backup[]> => {
  const { base } = placesOf(folder)
  const names = await readdir(base).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const ids = names.filter((name) => /^\d{8}T\d{6}Z$/.test(name)).toSorted()
  const found = await Promise.all(
    ids.map(async (id) => {
      const path = join(base, id)
      const manifest = await readFile(join(path, MANIFEST), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return manifest === undefined ? [] : [{ id, path, manifest: JSON.parse(manifest) as Manifest }]
    }),
  )
  return found.flat()
}

/** `20261128T170000Z`. */
export const idOf = (at: Date): string => at.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')

/**
 * Calls with a new folder below an empty or missing one, and removes only what it made. Throws an Error when the folder
 * is not empty: it may be a database or the backups.
 */
export const withScratch = async <T>(scratch: string, work: (into: string) => Promise<T>): Promise<T> => {
  const made = await mkdir(scratch, { recursive: true, mode: 0o700 })
  if ((await readdir(scratch)).length > 0)
    throw new Error(
      `${scratch} is not empty: a drill needs an empty or missing folder, and does not remove another's files`,
    )
  const into = await mkdtemp(join(scratch, 'drill-'))
  try {
    return await work(into)
  } finally {
    await rm(into, { recursive: true, force: true })
    // Another drill may have begun in the same folder.
    if (made !== undefined) await rmdir(scratch).catch(() => {})
  }
}

/** SHA-256 of a file, hex. */
export const hashOfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part as Buffer)
  return hash.digest('hex')
}

/** Writes a new file that only its owner may read, and synchronises it. */
export const writeSynced = async (path: string, contents: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(contents)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Synchronises a folder: a new or renamed file survives a power failure only when its entry is on the disk. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
