/** The records of a ZIP file (PKWARE, APPNOTE.TXT 6.3.10, section 4.3), little endian, with the extensions of ZIP64. */

/** A file in a ZIP file. Sizes and the offset are in bytes. */
export interface ZipEntry {
  name: string
  crc: number
  packed: number
  size: number
  /** of its local header */
  offset: number
}

const SIGNATURE = { local: 0x04034b50, descriptor: 0x08074b50, central: 0x02014b50, end: 0x06054b50 } as const
const SIGNATURE_64 = { end: 0x06064b50, locator: 0x07064b50 } as const
/** The name is UTF-8, and the sizes are in a record behind the data. */
const FLAGS = 0x0808
const DEFLATE = 8
/** The version of the format that a reader needs: 2.0, and 4.5 for ZIP64. */
const [PLAIN, ZIP64] = [20, 45]
/** Made on Unix, where the upper half of the attributes is the mode: a regular file that only its owner reads. */
const MADE_BY = (3 << 8) | ZIP64
const ATTRIBUTES = (0o100_600 << 16) >>> 0

/** The plain records can't state these values and larger ones: ZIP64 is used. */
export const MOST_BYTES = 0xffff_ffff
const MOST_ENTRIES = 0xffff

type Field = readonly [value: number, bytes: 2 | 4 | 8]

const recordOf = (fields: readonly Field[], text: Buffer = Buffer.alloc(0)): Buffer => {
  const record = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0))
  let at = 0
  for (const [value, bytes] of fields) {
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at)
    else record.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return Buffer.concat([record, text])
}

/** Time and date of MS-DOS, in UTC; the format has whole pairs of seconds from 1980 to 2107. */
const dosTime = (at: Date): readonly [Field, Field] => {
  const year = Math.min(Math.max(at.getUTCFullYear() - 1980, 0), 127)
  return [
    [(at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1), 2],
    [(year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(), 2],
  ]
}

/** The record before the data of a file. */
export const localHeader = (name: string, at: Date): Buffer => {
  const text = Buffer.from(name)
  return recordOf(
    [
      [SIGNATURE.local, 4],
      [PLAIN, 2],
      [FLAGS, 2],
      [DEFLATE, 2],
      ...dosTime(at),
      [0, 4],
      [0, 4],
      [0, 4],
      [text.length, 2],
      [0, 2],
    ],
    text,
  )
}

/** The record behind the data of a file. */
export const descriptor = ({ crc, packed, size }: Omit<ZipEntry, 'name' | 'offset'>): Buffer =>
  recordOf([
    [SIGNATURE.descriptor, 4],
    [crc, 4],
    [packed, 4],
    [size, 4],
  ])

/** The record of a file in the directory at the end. */
export const centralHeader = ({ name, crc, packed, size, offset }: ZipEntry, at: Date): Buffer => {
  const text = Buffer.from(name)
  const isFar = offset >= MOST_BYTES
  const extra = isFar
    ? recordOf([
        [1, 2],
        [8, 2],
        [offset, 8],
      ])
    : Buffer.alloc(0)
  const fixed = recordOf(
    [
      [SIGNATURE.central, 4],
      [MADE_BY, 2],
      [isFar ? ZIP64 : PLAIN, 2],
      [FLAGS, 2],
      [DEFLATE, 2],
      ...dosTime(at),
      [crc, 4],
      [packed, 4],
      [size, 4],
      [text.length, 2],
      [extra.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [ATTRIBUTES, 4],
      [isFar ? MOST_BYTES : offset, 4],
    ],
    text,
  )
  return Buffer.concat([fixed, extra])
}

/** Where the directory is. */
export interface Directory {
  entries: number
  bytes: number
  offset: number
}

/** The last records of a ZIP file. */
export const endOf = ({ entries, bytes, offset }: Directory): Buffer => {
  const isLarge = entries >= MOST_ENTRIES || bytes >= MOST_BYTES || offset >= MOST_BYTES
  const large = isLarge
    ? recordOf([
        [SIGNATURE_64.end, 4],
        [44, 8],
        [MADE_BY, 2],
        [ZIP64, 2],
        [0, 4],
        [0, 4],
        [entries, 8],
        [entries, 8],
        [bytes, 8],
        [offset, 8],
        [SIGNATURE_64.locator, 4],
        [0, 4],
        [offset + bytes, 8],
        [1, 4],
      ])
    : Buffer.alloc(0)
  const end = recordOf([
    [SIGNATURE.end, 4],
    [0, 2],
    [0, 2],
    [Math.min(entries, MOST_ENTRIES), 2],
    [Math.min(entries, MOST_ENTRIES), 2],
    [Math.min(bytes, MOST_BYTES), 4],
    [Math.min(offset, MOST_BYTES), 4],
    [0, 2],
  ])
  return Buffer.concat([large, end])
}

/** Bytes at the end of a file within which its last records are: Bursar writes no comment. */
export const END_BYTES = 22 + 20 + 56

/** The file is no ZIP file that Bursar wrote, or is damaged. */
export class ZipDamaged extends Error {
  override name = 'ZipDamaged'
}

/** Reads the last records. @param tail the last END_BYTES of the file, or all of a shorter one. Throws ZipDamaged */
export const readEnd = (tail: Buffer): Directory => {
  const at = tail.length - 22
  if (at < 0 || tail.readUInt32LE(at) !== SIGNATURE.end) throw new ZipDamaged('the file has no end of a ZIP file')
  const plain = {
    entries: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const isLarge = plain.entries === MOST_ENTRIES || plain.bytes === MOST_BYTES || plain.offset === MOST_BYTES
  if (!isLarge) return plain
  const large = at - 20 - 56
  if (large < 0 || tail.readUInt32LE(large) !== SIGNATURE_64.end)
    throw new ZipDamaged('the file has no end of a ZIP64 file')
  const number = (from: number): number => Number(tail.readBigUInt64LE(large + from))
  return { entries: number(32), bytes: number(40), offset: number(48) }
}

/** Reads the directory of files. Throws ZipDamaged. */
export const readDirectory = (directory: Buffer): ZipEntry[] => {
  const entries: ZipEntry[] = []
  for (let at = 0; at < directory.length;) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== SIGNATURE.central)
      throw new ZipDamaged('the directory of the ZIP file is damaged')
    const [nameBytes, extraBytes] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30)]
    const offset = directory.readUInt32LE(at + 42)
    const extra = at + 46 + nameBytes
    entries.push({
      name: directory.toString('utf8', at + 46, extra),
      crc: directory.readUInt32LE(at + 16),
      packed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      offset: offset === MOST_BYTES ? Number(directory.readBigUInt64LE(extra + 4)) : offset,
    })
    at = extra + extraBytes + directory.readUInt16LE(at + 32)
  }
  return entries
}

/** Bytes of a local header before its name. */
export const LOCAL_BYTES = 30

/** The number of bytes from the beginning of a local header to the data. Throws ZipDamaged. */
export const dataOffset = (header: Buffer): number => {
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== SIGNATURE.local)
    throw new ZipDamaged('the header of a file in the ZIP file is damaged')
  return LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
}
