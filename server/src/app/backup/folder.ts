import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readManifest, type Manifest } from './manifest.ts'

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

/** A backup that has ended well. */
export interface Backup {
  id: string
  path: string
  manifest: Manifest
}

/** A folder with the name of a backup that must not be used. */
export interface DamagedBackup {
  id: string
  why: string
}

/** The backups of a folder, the oldest first, and those whose manifest is not the one that was written. */
export const readBackups = async (folder: string): Promise<{ good: Backup[]; damaged: DamagedBackup[] }> => {
  const { base } = placesOf(folder)
  const names = await readdir(base).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const [good, damaged]: [Backup[], DamagedBackup[]] = [[], []]
  for (const id of names.filter((name) => /^\d{8}T\d{6}Z(-[0-9a-f]+)?$/.test(name)).toSorted()) {
    const path = join(base, id)
    try {
      good.push({ id, path, manifest: await manifestOf(id, path) })
    } catch (error) {
      damaged.push({ id, why: (error as Error).message })
    }
  }
  return { good, damaged }
}

/** The good backups of a folder, the oldest first. */
export const listBackups = async (folder: string): Promise<Backup[]> => (await readBackups(folder)).good

/** Reads a manifest whose hash is in the name of its folder. Nothing of it is used before the hash is right. */
const manifestOf = async (id: string, path: string): Promise<Manifest> => {
  const bytes = await readFile(join(path, MANIFEST)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `it has no ${MANIFEST}` : error.message, { cause: error })
  })
  if (id.split('-')[1] !== nameHashOf(bytes))
    throw new Error(`${MANIFEST} is not the one that was written: its hash is not in the name of the folder`)
  return readManifest(bytes.toString('utf8'))
}

/** The part of the hash of a manifest that is in the name of its backup: 128 bits. */
const nameHashOf = (manifest: string | Uint8Array): string =>
  createHash('sha256').update(manifest).digest('hex').slice(0, 32)

/** The name of a backup: the time of its start, and a hash of its manifest. */
export const nameOf = (startedAt: Date, manifest: string): string => `${stampOf(startedAt)}-${nameHashOf(manifest)}`

/** `20261128T170000Z`. */
export const stampOf = (at: Date): string => at.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')

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
