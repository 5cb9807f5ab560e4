import { codewordsFor } from './codewords.ts'

/** A QR code without its quiet zone: rows of modules, true where dark. */
export type QrMatrix = readonly (readonly boolean[])[]

interface Canvas {
  size: number
  dark: boolean[][]
  /** finders, timing, alignment, format and version: no data, never masked */
  fixed: boolean[][]
}

/** ISO/IEC 18004:2015, Table 10. */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
]

/** The QR code of an alphanumeric text, at error correction level L and with the mask that is easiest to read. */
export const qrOf = (text: string): QrMatrix => {
  const { version, codewords } = codewordsFor(text)
  const canvas = emptyCanvas(version)
  place(canvas, codewords)
  const masked = MASKS.map((_, mask) => withMask(canvas, mask))
  const penalties = masked.map(penaltyOf)
  return masked[penalties.indexOf(Math.min(...penalties))]!
}

const emptyCanvas = (version: number): Canvas => {
  const size = version * 4 + 17
  const grid = (): boolean[][] => Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  const canvas: Canvas = { size, dark: grid(), fixed: grid() }
  for (let at = 0; at < size; at += 1) {
    fix(canvas, 6, at, at % 2 === 0)
    fix(canvas, at, 6, at % 2 === 0)
  }
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]] as const) square(canvas, row, column, 4, (ring) => ring !== 2 && ring !== 4)
  const centres = alignmentCentres(version, size)
  const last = centres.length - 1
  for (const [i, row] of centres.entries()) {
    for (const [j, column] of centres.entries()) {
      const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)
      if (!isFinder) square(canvas, row, column, 2, (ring) => ring !== 1)
    }
  }
  drawFormat(canvas, 0)
  if (version >= 7) drawVersion(canvas, version)
  return canvas
}

const fix = ({ size, dark, fixed }: Canvas, row: number, column: number, isDark: boolean): void => {
  if (row < 0 || column < 0 || row >= size || column >= size) return
  dark[row]![column] = isDark
  fixed[row]![column] = true
}

const square = (canvas: Canvas, row: number, column: number, reach: number, isDark: (ring: number) => boolean): void => {
  for (let r = -reach; r <= reach; r += 1) {
    for (let c = -reach; c <= reach; c += 1) fix(canvas, row + r, column + c, isDark(Math.max(Math.abs(r), Math.abs(c))))
  }
}

/** Annex E. */
const alignmentCentres = (version: number, size: number): number[] => {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - (count - 2 - at) * step)]
}

/** Clause 7.9: level L is 01, then the mask, then a BCH code, twice. */
const drawFormat = (canvas: Canvas, mask: number): void => {
  const { size } = canvas
  const bits = ((0b01000 | mask) << 10) | bch(0b01000 | mask, 10, 0x537)
  const at = (bit: number): boolean => (((bits ^ 0x5412) >>> bit) & 1) === 1
  for (let bit = 0; bit < 15; bit += 1) {
    const [row, column] = bit < 6 ? [bit, 8] : bit === 6 ? [7, 8] : bit === 7 ? [8, 8] : bit === 8 ? [8, 7] : [8, 14 - bit]
    fix(canvas, row, column, at(bit))
    if (bit < 8) fix(canvas, 8, size - 1 - bit, at(bit))
    else fix(canvas, size - 15 + bit, 8, at(bit))
  }
  fix(canvas, size - 8, 8, true)
}

/** Clause 7.10. */
const drawVersion = (canvas: Canvas, version: number): void => {
  const bits = (version << 12) | bch(version, 12, 0x1f25)
  for (let bit = 0; bit < 18; bit += 1) {
    const [far, near] = [canvas.size - 11 + (bit % 3), Math.floor(bit / 3)]
    const isDark = ((bits >>> bit) & 1) === 1
    fix(canvas, near, far, isDark)
    fix(canvas, far, near, isDark)
  }
}

const bch = (data: number, bits: number, generator: number): number => {
  let rest = data
  for (let step = 0; step < bits; step += 1) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator)
  return rest
}

/** Clause 7.7.3: in columns of two from the right, upwards and downwards in turn, around what is fixed. */
const place = ({ size, dark, fixed }: Canvas, codewords: Uint8Array): void => {
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const isUpwards = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step += 1) {
      const row = isUpwards ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        if (fixed[row]![column]) continue
        dark[row]![column] = (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1
        bit += 1
      }
    }
  }
}

const withMask = ({ size, dark, fixed }: Canvas, mask: number): boolean[][] => {
  const turned = dark.map((row, r) => row.map((isDark, c) => isDark !== (!fixed[r]![c] && MASKS[mask]!(r, c))))
  drawFormat({ size, dark: turned, fixed: fixed.map((row) => [...row]) }, mask)
  return turned
}

/** Clause 7.8.3.1: long runs, squares, what looks like a finder, and too much of one colour. */
const penaltyOf = (dark: readonly (readonly boolean[])[]): number => {
  const rows = dark.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
  const columns = dark.map((_, c) => dark.map((row) => (row[c] ? '1' : '0')).join(''))
  let penalty = 0
  for (const line of [...rows, ...columns]) {
    for (const [run] of line.matchAll(/1{5,}|0{5,}/g)) penalty += run.length - 2
    penalty += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length
  }
  for (let r = 1; r < dark.length; r += 1) {
    for (let c = 1; c < dark.length; c += 1) {
      const colour = dark[r]![c]
      if (colour === dark[r - 1]![c] && colour === dark[r]![c - 1] && colour === dark[r - 1]![c - 1]) penalty += 3
    }
  }
  const share = rows.join('').replaceAll('0', '').length / (dark.length * dark.length)
  return penalty + Math.floor(Math.abs(share * 20 - 10)) * 10
}
