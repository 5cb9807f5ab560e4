import { createHash } from 'node:crypto'
import { isJpeg, readJpeg } from './jpeg.ts'
import { fitted } from './pixels.ts'
import { isPng, readPng } from './png-reading.ts'
import { pngOf } from './png-writing.ts'
import { LogoProblem, MOST_FILE_BYTES, MOST_LOGO_BYTES } from './problem.ts'

export type MediaType = 'image/png' | 'image/jpeg'

/** A picture that pages and documents may show. */
export interface Logo {
  mediaType: MediaType
  /** pixels */
  width: number
  height: number
  bytes: Buffer
  /** SHA-256 of the bytes, hexadecimal */
  hash: string
}

/** Pixels of a stored PNG: three for each pixel of a page, on a screen with three times the usual pixels. */
const BOX = { width: 480, height: 144 }

/**
 * Makes a logo of an uploaded file. A PNG is decoded and written anew, smaller if it is larger than the box. Of a JPEG,
 * the segments of the picture are copied. Throws a LogoProblem.
 */
export const readLogo = (file: Buffer): Promise<Logo> => {
  const read = turn.then(() => logoOf(file))
  turn = read.catch(() => {})
  return read
}

/** Ends when the file before has been read: one at a time, so that many uploads need the memory of one. */
let turn: Promise<unknown> = Promise.resolve()

const logoOf = async (file: Buffer): Promise<Logo> => {
  if (file.length === 0) throw new LogoProblem('missing', 'there is no file')
  if (file.length > MOST_FILE_BYTES) throw new LogoProblem('heavy', `${file.length} bytes are too many`)
  const logo = isPng(file) ? await pngLogo(file) : isJpeg(file) ? jpegLogo(file) : undefined
  if (!logo) throw new LogoProblem('kind', 'the file is neither a PNG nor a JPEG')
  if (logo.bytes.length > MOST_LOGO_BYTES) throw new LogoProblem('heavy', `the logo has ${logo.bytes.length} bytes`)
  return { ...logo, hash: createHash('sha256').update(logo.bytes).digest('hex') }
}

const pngLogo = async (file: Buffer): Promise<Omit<Logo, 'hash'>> => {
  const picture = fitted(await readPng(file), BOX.width, BOX.height)
  const { width, height } = picture
  return { mediaType: 'image/png', width, height, bytes: await pngOf(picture) }
}

const jpegLogo = (file: Buffer): Omit<Logo, 'hash'> => ({ mediaType: 'image/jpeg', ...readJpeg(file) })
