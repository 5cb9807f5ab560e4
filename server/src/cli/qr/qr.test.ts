import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { capacityOf } from './codewords.ts'
import { qrAsSvg, qrAsText } from './drawing.ts'
import { qrOf, type QrMatrix } from './matrix.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
const textOf = (version: number, length: number): string => {
  let state = version * 7919 + length
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return ALPHABET[state % 45]!
  }).join('')
}
const digest = (matrix: QrMatrix): string =>
  createHash('sha256').update(matrix.map((row) => row.map((dark) => (dark ? '1' : '0')).join('')).join('\n')).digest('hex').slice(0, 16)

/** Version, characters, and the matrix as the npm package `qr` 0.7.0 makes it, where both choose the same mask. */
test.each([
  [1, 25, 'af5b62f98d75d173'],
  [2, 47, 'fa6b3ee4de07eeb4'],
  [3, 76, '206b8ce163c0568b'],
  [5, 153, '3c2a913939696d83'],
  [6, 195, '32a00cb431091d87'],
  [9, 334, 'aa83fae1b2c4b86b'],
  [10, 395, '55ddd24ad5a88e95'],
  [11, 468, '960eac9dadd36834'],
  [12, 535, '797f7737ceecfa27'],
  [13, 618, 'da621b0ba5ad348e'],
  [14, 666, '499ff924c5fcf3b2'],
  [15, 758, '6ebddd3897df2fc2'],
  [16, 854, 'f8b92c272e9e2556'],
  [17, 937, '3486b97f26125f79'],
  [18, 1046, 'a1fdca02ff9b46f0'],
  [19, 1152, 'fc76c63e5fa1ee0b'],
  [20, 1249, 'e81de12f48ef553a'],
  [21, 1352, '762c7bb9dd3a1cb9'],
  [22, 1460, 'a8c4035b92803e4a'],
  [23, 1587, 'b35a23cb7944a453'],
  [24, 1704, '7c7c9491ea974b2d'],
  [25, 1853, '12db66d40e577b23'],
  [26, 1990, '25c3a03f18e3473f'],
  [27, 2132, '6be2120755be17bd'],
  [28, 2223, '4626735c80f82d7b'],
  [29, 2368, 'e316fda4c889fdb0'],
  [30, 2520, '48130d0be1f81f4d'],
  [31, 2677, 'c91e2305d97d7832'],
  [32, 2840, '28e5d7733fecca8e'],
  [33, 3009, '19c9f0126fa7edc3'],
  [34, 3183, 'b0912f1850089896'],
  [35, 3351, '28d8f139e3b6efd3'],
  [36, 3537, '026ee8b6b2040371'],
  [37, 3729, '547e5984efb71623'],
  [38, 3927, '2f7f7ff8782a7ec1'],
  [39, 4087, 'a842a294acb2b756'],
  [40, 4296, 'abf4c1246c39caac'],
] as const)('version %i with %i characters', (version, length, hash) => {
  const matrix = qrOf(textOf(version, length))
  expect(matrix).toHaveLength(version * 4 + 17)
  expect(digest(matrix)).toBe(hash)
})

test('the smallest version that holds a text is taken, and what none holds is refused', () => {
  expect(capacityOf(40)).toBe(4_296)
  for (const version of [1, 9, 26, 39]) {
    expect(qrOf(textOf(version, capacityOf(version)))).toHaveLength(version * 4 + 17)
    expect(qrOf(textOf(version, capacityOf(version) + 1))).toHaveLength(version * 4 + 21)
  }
  expect(() => qrOf(textOf(40, 4_297))).toThrow(RangeError)
  expect(() => qrOf('lower')).toThrow(RangeError)
})

test('drawings have every module, and a light border of four', () => {
  const matrix = qrOf('A')
  const text = qrAsText(matrix).split('\n').map((line) => line.slice('\u001B[30;107m'.length, -'\u001B[0m'.length))
  expect(text).toHaveLength(15)
  expect(text.slice(0, 2).join('').trim()).toBe('')
  const dark = matrix.flat().filter(Boolean).length
  expect([...text.join('')].reduce((sum, one) => sum + (one === '█' ? 2 : one === ' ' ? 0 : 1), 0)).toBe(dark)
  expect(qrAsSvg(matrix).match(/M\d+ \d+h1v1h-1z/g)).toHaveLength(dark)
  expect(qrAsSvg(matrix)).toContain('M4 4h1')
})
