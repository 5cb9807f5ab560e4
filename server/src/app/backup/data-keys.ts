/** The data keys that a backup needs and does not contain. */
import { readKeyFile } from '../../platform/config/key-file.ts'
import { keyName, readDataKeys } from '../../platform/config/secrets.ts'
import type { Backup } from './folder.ts'

/** Reads a file of data keys. @throws Error that names it */
const readKeysOf = (path: string): Uint8Array[] => {
  try {
    return readDataKeys(readKeyFile(path).trim())
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Names of the keys that a backup needs and that are not among the given ones. An old backup names none. */
export const missingKeys = ({ manifest }: Backup, keys: readonly Uint8Array[]): string[] => {
  const names = keys.map(keyName)
  return (manifest.dataKeys ?? []).filter((name) => !names.includes(name))
}

/**
 * Requires the data keys of a backup before it is restored: without them, merchants' keys in it can't be read.
 * @param path of the file of keys; undefined: the person gave none
 * @throws Error that names the missing keys
 */
export const requireDataKeys = (backup: Backup, path: string | undefined): void => {
  const needed = backup.manifest.dataKeys ?? []
  if (needed.length === 0) return
  if (path === undefined)
    throw new Error(
      `the secrets in backup ${backup.id} are encrypted with data key ${needed.join(', ')}, which no backup contains: give its file by --data-key-file, or restore without it by --without-data-key`,
    )
  const missing = missingKeys(backup, readKeysOf(path))
  if (missing.length > 0)
    throw new Error(
      `${path} is not the file of keys of backup ${backup.id}: it lacks data key ${missing.join(', ')}. Nothing was restored`,
    )
}
