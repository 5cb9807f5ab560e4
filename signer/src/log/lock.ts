import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

export class LockHeld extends Error {
  override name = 'LockHeld'
}

/**
 * Locks a file for this process until it is released or the process ends, in any way. Node has no file locks of
 * its own; SQLite uses the kernel's (fcntl), so `kill -9` leaves no stale lock and two processes never hold it at the
 * same time. Throws LockHeld when another process holds the lock.
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

/**
 * Creates the lock file for its owner only: a user who can read it could lock it and prevent the signer from starting.
 */
function createForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
