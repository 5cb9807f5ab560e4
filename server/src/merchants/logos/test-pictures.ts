/** Pictures for tests: PNG files of every kind, written independently of the code that reads them, and small JPEGs. */
import { crc32, deflateSync } from 'node:zlib'
import type { Pixels } from './pixels.ts'

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export const pngChunk = (type: string, body: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

export const pngHead = (
  width: number,
  height: number,
  [depth, colour, interlace]: [number, number, number],
): Buffer => {
  const body = Buffer.alloc(13)
  body.writeUInt32BE(width, 0)
  body.writeUInt32BE(height, 4)
  body.set([depth, colour, 0, 0, interlace], 8)
  return pngChunk('IHDR', body)
}

/** A PNG file with eight bits of red, green, blue and opacity. @param chunks between the header and the pixels */
export const pngFile = ({ width, height, rgba }: Pixels, chunks: readonly Buffer[] = []): Buffer => {
  const lines = Array.from({ length: height }, (_, y) => [
    Buffer.from([0]),
    rgba.subarray(y * width * 4, (y + 1) * width * 4),
  ]).flat()
  return Buffer.concat([
    SIGNATURE,
    pngHead(width, height, [8, 6, 0]),
    ...chunks,
    pngChunk('IDAT', deflateSync(Buffer.concat(lines))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A picture of one colour, such as `[200, 0, 0, 255]`. */
export const plainPicture = (width: number, height: number, colour: readonly number[]): Pixels => ({
  width,
  height,
  rgba: Uint8Array.from({ length: width * height * 4 }, (_, at) => colour[at % 4]!),
})

const segment = (marker: number, body: readonly number[]): Buffer =>
  Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body])
const textSegment = (marker: number, text: string): Buffer => segment(marker, [...Buffer.from(text, 'latin1')])

/** A text that no logo may have: the metadata of the file and the bytes behind its end have it. */
export const HIDDEN = 'hidden <script>alert(1)</script>'

/** A grey JPEG: every block has the same brightness, so that its coded data are zeros with one bit for each block. */
export const jpegFile = (width: number, height: number): Buffer => {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8)
  // Each block: the code 0 of a difference of zero, and the code 0 of the end of the block.
  const bits = '00'.repeat(blocks)
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  const data = padded.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2))
  const codes = (kind: number): Buffer => segment(0xc4, [kind, 1, ...Array.from<number>({ length: 15 }).fill(0), 0])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    textSegment(0xe1, `Exif\0\0${HIDDEN}`),
    textSegment(0xfe, HIDDEN),
    segment(0xdb, [0, ...Array.from<number>({ length: 64 }).fill(1)]),
    segment(0xc0, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]),
    codes(0x00),
    codes(0x10),
    segment(0xda, [1, 1, 0, 0, 63, 0]),
    Buffer.from(data),
    Buffer.from([0xff, 0xd9]),
    Buffer.from(HIDDEN),
  ])
}
