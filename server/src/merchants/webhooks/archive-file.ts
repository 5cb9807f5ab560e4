import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** Writes lines to a compressed file. It gets its name only when it is complete and synced to disk. */
export const writeLines = async (path: string, lines: AsyncIterable<string>): Promise<void> => {
  // Named after the process, in case two write the same file.
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
  // The last await throws a failure; until then it must not count as unhandled.
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

/** Yields the lines of such a file. Throws when the file is truncated or damaged. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const unpacked = createGunzip()
  const read = pipeline(createReadStream(path), unpacked)
  read.catch(() => {})
  yield* createInterface({ input: unpacked, crlfDelay: Infinity })
  await read
}

/** Writes the file's SHA-256 to `PATH.sha256`, in the format of `sha256sum -c`, and returns it. */
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
