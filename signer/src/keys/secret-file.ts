import { constants } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../log/segments.ts'

const OTHERS_CAN_READ = 0o077
const OTHERS_CAN_WRITE = 0o022
/** In such a directory only the owner of a file may replace it. */
const STICKY = 0o1000

/** Owner and mode of a file or directory. */
export interface Ownership {
  uid: number
  mode: number
}

/**
 * Reads a file. Throws unless only this user or root may read or replace it; the message names the command that fixes
 * it.
 */
export async function readSecretFile(path: string): Promise<Buffer> {
  return readGuarded(path, OTHERS_CAN_READ, `Others can read ${path}: run chmod 600 on it`)
}

/** Reads a file. Throws unless only this user or root may change or replace it. */
export async function readTrustedFile(path: string): Promise<string> {
  const content = await readGuarded(path, OTHERS_CAN_WRITE, `Others can change ${path}: run chmod go-w on it`)
  return content.toString('utf8')
}

/** Checks and reads the same open file, so that it can't be exchanged between the check and the read. */
async function readGuarded(path: string, forbidden: number, advice: string): Promise<Buffer> {
  const real = await realpath(path)
  for (const folder of new Set([dirname(path), dirname(real)])) await judgeFolder(folder)
  const file: FileHandle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new Error(`${path} is not a file`)
    judgeOwner(path, found, process.geteuid!())
    if ((found.mode & forbidden) !== 0) throw new Error(advice)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Throws if another user could replace files in the directory. */
async function judgeFolder(path: string): Promise<void> {
  const found = await stat(path)
  judgeOwner(path, found, process.geteuid!())
  if (canReplace(found)) throw new Error(`Others can replace files in ${path}: run chmod go-w on it`)
}

export function canReplace({ mode }: Ownership): boolean {
  return (mode & OTHERS_CAN_WRITE) !== 0 && (mode & STICKY) === 0
}

/** Throws unless this user or root owns the file or directory. */
export function judgeOwner(path: string, { uid }: Ownership, user: number): void {
  if (uid !== user && uid !== 0) throw new Error(`${path} belongs to the user ${uid}: run chown ${user} on it`)
}

/** Creates a file that only its owner can read, and returns once it is on the disk. Throws when the file exists. */
export async function createSecretFile(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncDirectory(dirname(path))
}

/**
 * Replaces a file that only its owner can read, and returns once it is on the disk. A crash leaves the old content or
 * the new one. `check` gets the new content as it was read back, and throws to keep the old one.
 */
export async function replaceSecretFile(
  path: string,
  content: string,
  check: (stored: string) => Promise<void>,
): Promise<void> {
  const real = await realpath(path)
  const next = `${real}.next`
  // A crash before the rename leaves this file.
  await rm(next, { force: true })
  await createSecretFile(next, content)
  await check((await readSecretFile(next)).toString('utf8'))
  await rename(next, real)
  await syncDirectory(dirname(real))
}
