import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Forbidden mode bits. A group may read: secrets mounted by a container runtime belong to root and a group. */
const UNWANTED = 0o037
const OTHERS_WRITE = 0o022
/** In a directory with this bit only the owner of a file may replace it. */
const STICKY = 0o1000

/**
 * Reads a key file. Throws an Error that says what to do, unless this user or root owns the file and its directory,
 * only they can change or replace it, and others can't read it. The checks use the open descriptor, so that the file
 * can't be replaced after them.
 */
export const readKeyFile = (path: string): string => {
  const real = realpathSync(path)
  for (const folder of new Set([dirname(path), dirname(real)])) judgeFolder(folder)
  const descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { uid, mode } = fstatSync(descriptor)
    judgeOwner(path, uid)
    if ((mode & UNWANTED) !== 0) throw new RangeError(`others can read or change ${path}: run chmod 600 on it`)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

const judgeFolder = (path: string): void => {
  const { uid, mode } = statSync(path)
  judgeOwner(path, uid)
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
    throw new RangeError(`others can replace files in ${path}: run chmod go-w on it`)
}

const judgeOwner = (path: string, owner: number): void => {
  const user = process.geteuid!()
  if (owner !== user && owner !== 0)
    throw new RangeError(`${path} belongs to the user ${owner}: run chown ${user} on it`)
}
