import { open, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const OTHERS_CAN_READ = 0o077
const OTHERS_CAN_WRITE = 0o022

/** Reads a file that nobody but its owner may read. Throws an Error that says how to make it so. */
export async function readSecretFile(path: string): Promise<Buffer> {
  await assertMode(path, OTHERS_CAN_READ, `Others can read ${path}: run chmod 600 on it`)
  return readFile(path)
}

/** Reads a file that nobody but its owner may change. */
export async function readTrustedFile(path: string): Promise<string> {
  await assertMode(path, OTHERS_CAN_WRITE, `Others can change ${path}: run chmod go-w on it`)
  return readFile(path, 'utf8')
}

async function assertMode(path: string, forbidden: number, message: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & forbidden) !== 0) throw new Error(message)
}

/** Creates a file that only its owner can read, and returns when it is on the disk. Never replaces one. */
export async function createSecretFile(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
