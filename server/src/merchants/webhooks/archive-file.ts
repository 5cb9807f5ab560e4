import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** Writes lines as a compressed file that is on the disk, whole, when this returns: until then it has another name. */
export const writeLines = async (path: string, lines: AsyncIterable<string>): Promise<void> => {
  // Its own, should two be at it.
  const part = `${path}.${process.pid}.part`
  try {
    await pack(part, lines)
    await sync(part)
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
  await sync(dirname(path))
}

const pack = async (path: string, lines: AsyncIterable<string>): Promise<void> => {
  const packed = createGzip()
  const written = pipeline(packed, createWriteStream(path, { mode: 0o600 }))
  // A failure is thrown by the last await, and must not be unhandled before.
  written.catch(() => {})
  try {
    for await (const line of lines) {
      if (packed.destroyed) break
      if (!packed.write(`${line}\n`)) await Promise.race([once(packed, 'drain'), written])
    }
    packed.end()
    await written
  } finally {
    packed.destroy()
  }
}

/** The lines of such a file, one by one. Throws when it is cut off or damaged. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const unpacked = createGunzip()
  const read = pipeline(createReadStream(path), unpacked)
  read.catch(() => {})
  yield* createInterface({ input: unpacked, crlfDelay: Infinity })
  await read
}

/** The file's checksum, which is left beside it in the form that `sha256sum -c` reads. */
export const writeChecksum = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const sum = hash.digest('hex')
  await writeFile(`${path}.sha256`, `${sum}  ${basename(path)}\n`, { mode: 0o600 })
  await sync(`${path}.sha256`)
  return sum
}

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
