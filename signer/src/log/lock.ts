import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

export class LockHeld extends Error {
  override name = 'LockHeld'
}

/**
 * Holds a file for this process alone until it is released or the process ends, however it ends. Node has no file
 * locks of its own; SQLite's are the kernel's (fcntl), so `kill -9` leaves none behind and two can never both hold it.
 * Throws LockHeld when another process has it.
 */
export function holdLock(path: string): { release(): void } {
  createForOwner(path)
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new LockHeld(`Another signer holds ${path}: two must never sign from one log`)
  }
  return { release: () => database.close() }
}

/** Who can read the file could lock it too, and keep the signer from starting. */
function createForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
