import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Pixels } from './pixels.ts'

const deflated = promisify(deflate)

/** The pixels as a PNG file that has nothing but them: eight bits of each sample, and opacity only if it is used. */
export const pngOf = async ({ width, height, rgba }: Pixels): Promise<Buffer> => {
  const isOpaque = rgba.every((value, at) => at % 4 !== 3 || value === 255)
  const samples = isOpaque ? 3 : 4
  const pixels = isOpaque ? Buffer.from(rgba.filter((_, at) => at % 4 !== 3)) : Buffer.from(rgba)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, isOpaque ? 2 : 6, 0, 0, 0], 8)
  // Areas of one colour are smaller without a filter, gradients with one.
  const [plain, filtered] = await Promise.all(
    [false, true].map((isFiltered) => deflated(linesOf(pixels, width * samples, isFiltered), { level: 9 })),
  )
  const data = filtered!.length < plain!.length ? filtered! : plain!
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The lines with the number of their filter: none (0), or the difference to the pixel above (2). */
const linesOf = (pixels: Buffer, length: number, isFiltered: boolean): Buffer => {
  const height = pixels.length / length
  const lines = Buffer.alloc(height * (length + 1))
  for (let row = 0; row < height; row += 1) {
    const [from, to] = [row * length, row * (length + 1)]
    lines[to] = isFiltered ? 2 : 0
    for (let i = 0; i < length; i += 1)
      lines[to + 1 + i] = pixels[from + i]! - (isFiltered && row > 0 ? pixels[from + i - length]! : 0)
  }
  return lines
}

const chunk = (type: string, body: Buffer): Buffer => {
  const whole = Buffer.alloc(12 + body.length)
  whole.writeUInt32BE(body.length, 0)
  whole.write(type, 4, 'latin1')
  body.copy(whole, 8)
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + body.length)), 8 + body.length)
  return whole
}
