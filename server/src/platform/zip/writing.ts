import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { centralHeader, descriptor, endOf, localHeader, MOST_BYTES, type ZipEntry } from './records.ts'

/** A file to be written. Its text is read once, before the next file is asked for. */
export interface FileToZip {
  /** with folders, separated by `/` */
  name: string
  content: AsyncIterable<string> | Iterable<string>
}

type Sums = Pick<ZipEntry, 'crc' | 'packed' | 'size'>

/**
 * A ZIP file, in pieces, of any length and any number of files; it uses ZIP64 for values that the plain
 * format can't state. The memory that it takes does not depend on the length of the files, each of which may have up to
 * 4 GiB.
 * @param at the time of every file
 */
export async function* zipOf(files: AsyncIterable<FileToZip>, at: Date): AsyncGenerator<Buffer> {
  const entries: ZipEntry[] = []
  let offset = 0
  for await (const { name, content } of files) {
    const sums: Sums = { crc: 0, packed: 0, size: 0 }
    const header = localHeader(name, at)
    yield header
    yield* packed(content, sums)
    if (sums.size >= MOST_BYTES || sums.packed >= MOST_BYTES) throw new Error(`${name} has more than 4 GiB`)
    const end = descriptor(sums)
    yield end
    entries.push({ name, ...sums, offset })
    offset += header.length + sums.packed + end.length
  }
  let bytes = 0
  for (const entry of entries) {
    const header = centralHeader(entry, at)
    bytes += header.length
    yield header
  }
  yield endOf({ entries: entries.length, bytes, offset })
}

/** The compressed bytes of a text. Adds them up in `sums`. */
async function* packed(content: FileToZip['content'], sums: Sums): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw()
  const fed = pipeline(measured(content, sums), deflate)
  // The last await throws a failure; until then it must not count as unhandled.
  fed.catch(() => {})
  try {
    for await (const chunk of deflate as AsyncIterable<Buffer>) {
      sums.packed += chunk.length
      yield chunk
    }
    await fed
  } finally {
    deflate.destroy()
  }
}

async function* measured(content: FileToZip['content'], sums: Sums): AsyncGenerator<Buffer> {
  for await (const text of content) {
    const bytes = Buffer.from(text)
    sums.crc = crc32(bytes, sums.crc)
    sums.size += bytes.length
    yield bytes
  }
}
