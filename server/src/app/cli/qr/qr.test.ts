import jsQr from 'jsqr'
import { expect, test } from 'vitest'
import { qrAsSvg, qrAsText } from './drawing.ts'
import { capacityOf, qrOf, type QrMatrix } from './matrix.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
const textOf = (version: number, length: number): string => {
  let state = version * 7919 + length
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return ALPHABET[state % 45]!
  }).join('')
}

/** The image that a camera reads: each module 4 pixels wide, with the quiet zone. */
const read = (matrix: QrMatrix): string | undefined => {
  const side = (matrix.length + 8) * 4
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (matrix[Math.floor(y / 4) - 4]?.[Math.floor(x / 4) - 4] === true)
        pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3)
    }
  }
  const decode = jsQr as unknown as (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null
  return decode(pixels, side, side)?.data
}

test.each([1, 2, 5, 9, 14, 20, 27, 33, 40])('a code of version %i is read back', (version) => {
  const text = textOf(version, capacityOf(version))
  const matrix = qrOf(text)
  expect(matrix).toHaveLength(version * 4 + 17)
  expect(read(matrix)).toBe(text)
})

test('the smallest version that holds a text is taken, and a text too long for all is refused', () => {
  for (let version = 1; version <= 40; version += 1)
    expect(qrOf(textOf(version, capacityOf(version)))).toHaveLength(version * 4 + 17)
  for (let version = 1; version < 40; version += 1)
    expect(qrOf(textOf(version, capacityOf(version) + 1))).toHaveLength(version * 4 + 21)
  expect(capacityOf(40)).toBe(4_296)
  expect(() => qrOf(textOf(40, 4_297))).toThrow(RangeError)
  expect(() => qrOf('lower')).toThrow(RangeError)
})

test('drawings have every module, and a light border of four', () => {
  const matrix = qrOf('A')
  const text = qrAsText(matrix)
    .split('\n')
    .map((line) => line.slice('\u001B[30;107m'.length, -'\u001B[0m'.length))
  expect(text).toHaveLength(15)
  expect(text.slice(0, 2).join('').trim()).toBe('')
  const dark = matrix.flat().filter(Boolean).length
  expect([...text.join('')].reduce((sum, one) => sum + (one === '█' ? 2 : one === ' ' ? 0 : 1), 0)).toBe(dark)
  expect(qrAsSvg(matrix).match(/M\d+ \d+h1v1h-1z/g)).toHaveLength(dark)
  expect(qrAsSvg(matrix)).toContain('M4 4h1')
})
