import { promisify } from 'node:util'
import { crc32, inflate } from 'node:zlib'
import type { Pixels } from './pixels.ts'
import { checkSides, LogoProblem } from './problem.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export const isPng = (file: Buffer): boolean => file.subarray(0, SIGNATURE.length).equals(SIGNATURE)

/** Samples of a pixel and the allowed bits of a sample, by colour type (PNG 3rd edition, 11.2.1). */
const COLOUR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}
const GREY = 0
const RGB = 2
const PALETTE = 3
const GREY_WITH_OPACITY = 4

interface Head {
  width: number
  height: number
  depth: number
  colour: number
  samples: number
  isInterlaced: boolean
}

interface Chunks {
  head: Head
  palette: Buffer | undefined
  transparency: Buffer | undefined
  data: Buffer
}

const inflated = promisify(inflate)
const broken = (why: string): LogoProblem => new LogoProblem('broken', why)

/**
 * The pixels of a PNG file, and nothing else that is in it. At most as many bytes are decompressed as its size in
 * pixels needs. Throws a LogoProblem.
 */
export const readPng = async (file: Buffer): Promise<Pixels> => {
  const { head, palette, transparency, data } = chunksOf(file)
  const passes = passesOf(head)
  const needed = passes.reduce((sum, { width, height }) => sum + height * (1 + lineBytes(head, width)), 0)
  const lines = await inflated(data, { maxOutputLength: needed }).catch((error: unknown) => {
    throw broken(error instanceof Error ? error.message : String(error))
  })
  if (lines.length !== needed) throw broken(`the pixels have ${lines.length} of ${needed} bytes`)
  const rgba = new Uint8Array(head.width * head.height * 4)
  const put = pixelWriter(head, palette, transparency)
  let at = 0
  for (const pass of passes) {
    const length = lineBytes(head, pass.width)
    unfilter(lines.subarray(at, at + pass.height * (1 + length)), length, Math.max(1, (head.samples * head.depth) >> 3))
    for (let row = 0; row < pass.height; row += 1) {
      const line = lines.subarray(at + 1, at + 1 + length)
      const first = (pass.y + row * pass.stepY) * head.width + pass.x
      for (let column = 0; column < pass.width; column += 1) put(line, column, rgba, (first + column * pass.stepX) * 4)
      at += 1 + length
    }
  }
  return { width: head.width, height: head.height, rgba }
}

const chunksOf = (file: Buffer): Chunks => {
  let head: Head | undefined
  let palette: Buffer | undefined
  let transparency: Buffer | undefined
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; ;) {
    if (at + 12 > file.length) throw broken('the file ends before its end chunk')
    const length = file.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > file.length) throw broken('a chunk is longer than the file')
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw broken('a chunk has a wrong check sum')
    const [type, body] = [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, end)]
    if ((head === undefined) !== (type === 'IHDR')) throw broken('the header is not the first chunk')
    if (type === 'IHDR') head = headOf(body)
    else if (type === 'acTL') throw new LogoProblem('animated', 'the picture is animated')
    else if (type === 'PLTE') palette ??= body
    else if (type === 'tRNS') transparency ??= body
    else if (type === 'IDAT') data.push(body)
    else if (type === 'IEND') break
    // Readers may ignore all other chunks but those whose name begins with a capital letter.
    else if (/^[A-Z]/.test(type)) throw broken('a chunk is unknown')
    at = end + 4
  }
  // Bytes behind the end are of no use to a picture, and are omitted.
  return { head: head!, palette, transparency, data: Buffer.concat(data) }
}

const headOf = (body: Buffer): Head => {
  if (body.length !== 13) throw broken('the header has a wrong length')
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
  const [depth, colour, compression, filter, interlace] = body.subarray(8) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ]
  const type = COLOUR_TYPES[colour]
  if (!type?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw broken('the header has unknown values')
  checkSides(width, height)
  return { width, height, depth, colour, samples: type.samples, isInterlaced: interlace === 1 }
}

interface Pass {
  x: number
  y: number
  stepX: number
  stepY: number
  width: number
  height: number
}

/** First column and row, and distances, of the passes of an interlaced picture (PNG 3rd edition, 8.2, Adam7). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

const passesOf = ({ width, height, isInterlaced }: Head): Pass[] =>
  (isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const))
    .map(([x, y, stepX, stepY]) => ({
      x,
      y,
      stepX,
      stepY,
      width: Math.ceil((width - x) / stepX),
      height: Math.ceil((height - y) / stepY),
    }))
    .filter((pass) => pass.width > 0 && pass.height > 0)

const lineBytes = ({ samples, depth }: Head, width: number): number => Math.ceil((width * samples * depth) / 8)

/** Undoes the filter of each line, in place (PNG 3rd edition, 9.2). @param distance bytes to the pixel on the left */
const unfilter = (lines: Buffer, length: number, distance: number): void => {
  for (let start = 1; start < lines.length; start += length + 1) {
    const filter = lines[start - 1]!
    if (filter > 4) throw broken('a line has an unknown filter')
    if (filter === 0) continue
    const isFirst = start === 1
    for (let i = 0; i < length; i += 1) {
      const at = start + i
      const left = i < distance ? 0 : lines[at - distance]!
      const above = isFirst ? 0 : lines[at - length - 1]!
      const corner = isFirst || i < distance ? 0 : lines[at - length - 1 - distance]!
      lines[at] = lines[at]! + predicted(filter, left, above, corner)
    }
  }
}

const predicted = (filter: number, left: number, above: number, corner: number): number => {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const estimate = left + above - corner
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - corner)]
  return a <= b && a <= c ? left : b <= c ? above : corner
}

type PixelWriter = (line: Buffer, column: number, rgba: Uint8Array, at: number) => void

/** Returns a function that copies one pixel of a line, with eight bits of each sample. */
const pixelWriter = (head: Head, palette: Buffer | undefined, transparency: Buffer | undefined): PixelWriter => {
  const { depth, colour, samples } = head
  if (colour === PALETTE) return paletteWriter(head, palette, transparency)
  const read = sampleReader(depth)
  const most = 2 ** depth - 1
  const shown = depth === 16 ? (value: number) => value >> 8 : (value: number) => Math.round((value * 255) / most)
  const clear = clearOf(colour, transparency)
  const hasColour = colour !== GREY && colour !== GREY_WITH_OPACITY
  const hasOpacity = samples === 2 || samples === 4
  return (line, column, rgba, at) => {
    const first = column * samples
    const red = read(line, first)
    const green = hasColour ? read(line, first + 1) : red
    const blue = hasColour ? read(line, first + 2) : red
    rgba[at] = shown(red)
    rgba[at + 1] = shown(green)
    rgba[at + 2] = shown(blue)
    if (hasOpacity) rgba[at + 3] = shown(read(line, first + samples - 1))
    else rgba[at + 3] = clear !== undefined && red === clear[0] && green === clear[1] && blue === clear[2] ? 0 : 255
  }
}

const sampleReader = (depth: number): ((line: Buffer, index: number) => number) => {
  if (depth === 8) return (line, index) => line[index]!
  if (depth === 16) return (line, index) => (line[2 * index]! << 8) | line[2 * index + 1]!
  const mask = 2 ** depth - 1
  return (line, index) => {
    const bit = index * depth
    return (line[bit >> 3]! >> (8 - depth - (bit & 7))) & mask
  }
}

/** The one colour that is transparent, in a picture without opacity of its own. */
const clearOf = (colour: number, transparency: Buffer | undefined): [number, number, number] | undefined => {
  if (transparency === undefined || (colour !== GREY && colour !== RGB)) return undefined
  if (transparency.length !== (colour === GREY ? 2 : 6)) throw broken('the transparent colour has a wrong length')
  const read = (index: number): number => transparency.readUInt16BE(colour === GREY ? 0 : 2 * index)
  return [read(0), read(1), read(2)]
}

const paletteWriter = ({ depth }: Head, palette: Buffer | undefined, transparency: Buffer | undefined): PixelWriter => {
  if (palette === undefined || palette.length === 0 || palette.length % 3 !== 0 || palette.length > 768)
    throw broken('the palette has a wrong length')
  const read = sampleReader(depth)
  return (line, column, rgba, at) => {
    const index = read(line, column)
    if (3 * index >= palette.length) throw broken('a pixel has no colour')
    rgba[at] = palette[3 * index]!
    rgba[at + 1] = palette[3 * index + 1]!
    rgba[at + 2] = palette[3 * index + 2]!
    rgba[at + 3] = transparency?.[index] ?? 255
  }
}
