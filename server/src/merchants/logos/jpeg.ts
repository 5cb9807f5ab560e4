import { checkSides, LogoProblem } from './problem.ts'

export const isJpeg = (file: Buffer): boolean => file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff

/** Markers of ITU-T T.81, table B.1. */
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP0 = 0xe0
const APP14 = 0xee
const COM = 0xfe
/** Tables, which are copied: Huffman codes, quantisation, the interval of restarts. */
const [HUFFMAN, QUANTISATION, RESTARTS] = [0xc4, 0xdb, 0xdd]
const TABLES = new Set([HUFFMAN, QUANTISATION, RESTARTS])
/** Frames that every browser and PDF reader decodes: baseline, extended and progressive, with Huffman codes. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2])
/** A progressive picture has about ten. Each further scan makes a browser decode all pixels once more. */
const MOST_SCANS = 32

const broken = (why: string): LogoProblem => new LogoProblem('broken', why)
const unusual = (why: string): LogoProblem => new LogoProblem('variant', why)

export interface Jpeg {
  width: number
  height: number
  bytes: Buffer
}

/**
 * The picture of a JPEG file: its tables, its one frame and its scans. Everything else is omitted: metadata, comments,
 * thumbnails, colour profiles, and bytes behind the end. The pixels are not decoded. Throws a LogoProblem.
 */
export const readJpeg = (file: Buffer): Jpeg => {
  const parts: Buffer[] = [file.subarray(0, 2)]
  let frame: { width: number; height: number } | undefined
  let scans = 0
  for (let at = 2; ;) {
    const start = markerAt(file, at)
    const marker = file[start + 1]!
    if (marker === EOI) {
      parts.push(file.subarray(start, start + 2))
      break
    }
    if (marker === SOI) throw broken('a picture begins in the picture')
    let end = segmentEnd(file, start)
    if (FRAMES.has(marker)) {
      if (frame) throw unusual('there are several frames')
      frame = frameOf(file.subarray(start + 4, end))
      parts.push(file.subarray(start, end))
    } else if (marker === SOS) {
      scans += 1
      if (!frame) throw broken('a scan comes before the frame')
      if (scans > MOST_SCANS) throw unusual(`there are more than ${MOST_SCANS} scans`)
      end = scanEnd(file, end)
      parts.push(file.subarray(start, end))
    } else if (TABLES.has(marker)) {
      checkTables(marker, file.subarray(start + 4, end))
      parts.push(file.subarray(start, end))
    } else if (marker === APP14 && isAdobe(file.subarray(start + 4, end))) {
      parts.push(file.subarray(start, end))
    } else if (marker !== COM && (marker < APP0 || marker > 0xef)) {
      throw unusual(`the marker ${marker.toString(16)} is not usual`)
    }
    at = end
  }
  if (!frame || scans === 0) throw broken('there is no picture')
  return { ...frame, bytes: Buffer.concat(parts) }
}

/** The position of the marker at a position, without bytes that fill. */
const markerAt = (file: Buffer, at: number): number => {
  let next = at
  if (file[next] !== 0xff) throw broken('a marker is missing')
  while (file[next + 1] === 0xff) next += 1
  if (next + 1 >= file.length) throw broken('the file ends before its end')
  return next
}

const segmentEnd = (file: Buffer, start: number): number => {
  if (start + 4 > file.length) throw broken('the file ends in a segment')
  const length = file.readUInt16BE(start + 2)
  const end = start + 2 + length
  if (length < 2 || end > file.length) throw broken('a segment has a wrong length')
  return end
}

/** Throws unless a segment is exactly its tables: the copied bytes can hold no text (T.81, B.2.4.1 to B.2.4.4). */
const checkTables = (marker: number, body: Buffer): void => {
  let at = 0
  if (marker === RESTARTS) at = 2
  while (marker !== RESTARTS && at < body.length) {
    const kind = body[at]! >> 4
    if (kind > 1 || (body[at]! & 15) > 3) throw broken('a table has a wrong number')
    if (marker === QUANTISATION) at += 1 + 64 * (1 + kind)
    else {
      const codes = body.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
      if (codes > 256) throw broken('a table has too many codes')
      at += 17 + codes
    }
  }
  if (at !== body.length || at === 0) throw broken('a table has a wrong length')
}

/** The width and the height of a frame, if its colours are grey or YCbCr or RGB with eight bits (T.81, B.2.2). */
const frameOf = (body: Buffer): { width: number; height: number } => {
  const [precision, components] = [body[0], body[5]]
  if (body.length < 6 || body.length !== 6 + 3 * components!) throw broken('the frame has a wrong length')
  if (precision !== 8 || (components !== 1 && components !== 3)) throw unusual('the colours are not grey or RGB')
  for (let at = 7; at < body.length; at += 3) {
    const [across, down] = [body[at]! >> 4, body[at]! & 15]
    if (across < 1 || across > 4 || down < 1 || down > 4) throw broken('a colour has a wrong sampling')
  }
  const [height, width] = [body.readUInt16BE(1), body.readUInt16BE(3)]
  if (height === 0) throw unusual('the height is not in the frame')
  checkSides(width, height)
  return { width, height }
}

/** The segment that says whether three colours are YCbCr or RGB. */
const isAdobe = (body: Buffer): boolean => body.length === 12 && body.toString('latin1', 0, 5) === 'Adobe'

/** The end of the coded data of a scan: the next marker that is no restart. FF 00 is a byte of data. */
const scanEnd = (file: Buffer, from: number): number => {
  for (let at = file.indexOf(0xff, from); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1]!
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  throw broken('the file ends in a scan')
}
