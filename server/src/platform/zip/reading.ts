import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { dataOffset, END_BYTES, LOCAL_BYTES, readDirectory, readEnd, ZipDamaged, type ZipEntry } from './records.ts'

/** An open ZIP file that Bursar wrote. */
export interface OpenZip {
  entries: readonly ZipEntry[]
  /** The bytes of a file, in pieces. Throws ZipDamaged if they are not those that the directory promises. */
  read(entry: ZipEntry): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** Opens a ZIP file. Throws ZipDamaged. */
export const openZip = async (path: string): Promise<OpenZip> => {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const end = readEnd(await bytesOf(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES)))
    if (end.offset + end.bytes > size) throw new ZipDamaged('the ZIP file is shorter than its directory says')
    const entries = readDirectory(await bytesOf(file, end.offset, end.bytes))
    if (entries.length !== end.entries) throw new ZipDamaged('the directory of the ZIP file lacks files')
    return { entries, read: (entry) => unpacked(file, entry), close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

const bytesOf = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead < length) throw new ZipDamaged('the ZIP file is shorter than its directory says')
  return buffer
}

const AT_ONCE = 65_536

async function* packedBytes(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += AT_ONCE) yield await bytesOf(file, at, Math.min(AT_ONCE, to - at))
}

async function* unpacked(file: FileHandle, { name, crc, packed, size, offset }: ZipEntry): AsyncGenerator<Buffer> {
  const start = offset + dataOffset(await bytesOf(file, offset, LOCAL_BYTES))
  const inflate = createInflateRaw()
  const fed = pipeline(packedBytes(file, start, start + packed), inflate)
  // The loop throws a failure.
  fed.catch(() => {})
  let [sum, length] = [0, 0]
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      length += chunk.length
      yield chunk
    }
    await fed
  } catch (error) {
    throw new ZipDamaged(`${name} can't be unpacked`, { cause: error })
  } finally {
    inflate.destroy()
  }
  if (sum !== crc || length !== size) throw new ZipDamaged(`${name} differs from its checksum`)
}
