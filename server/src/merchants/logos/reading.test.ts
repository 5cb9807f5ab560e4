/** Which files become logos, and that nothing but the picture of a file does. */
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitted, type Pixels } from './pixels.ts'
import { readPng } from './png-reading.ts'
import { pngOf } from './png-writing.ts'
import { LogoProblem, MOST_LOGO_BYTES } from './problem.ts'
import { readLogo } from './reading.ts'
import { HIDDEN, jpegFile, plainPicture, pngChunk, pngFile, pngHead, SIGNATURE } from './test-pictures.ts'

const RED = [200, 10, 20, 255]
const troubleOf = async (file: Buffer): Promise<string> => {
  try {
    await readLogo(file)
    return 'none'
  } catch (error) {
    if (error instanceof LogoProblem) return error.trouble
    throw error
  }
}
/** @param data the lines before they are compressed */
const pngWith = (head: Buffer, data: Buffer, more: readonly Buffer[] = []): Buffer =>
  Buffer.concat([SIGNATURE, head, ...more, pngChunk('IDAT', deflateSync(data)), pngChunk('IEND', Buffer.alloc(0))])

const pixels = fc
  .tuple(fc.integer({ min: 32, max: 48 }), fc.integer({ min: 32, max: 48 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
      .map((rgba) => ({ width, height, rgba })),
  )

/** The widths and heights of the seven passes of an interlaced picture with sides of 32 pixels. */
const PASSES = [
  [4, 4],
  [4, 4],
  [8, 4],
  [8, 8],
  [16, 8],
  [16, 16],
  [32, 16],
] as const

describe('a PNG', () => {
  test('of any pixels is the same picture when it is written and read', async () => {
    await fc.assert(
      fc.asyncProperty(pixels, async (picture) => {
        for (const file of [pngFile(picture), await pngOf(picture)]) {
          const read = await readPng(file)
          expect([read.width, read.height]).toEqual([picture.width, picture.height])
          expect(Buffer.from(read.rgba).equals(Buffer.from(picture.rgba))).toBe(true)
        }
      }),
      { numRuns: 20 },
    )
  })

  /** The bits of each sample, the number of samples, and the colour that the first pixel has: the others are black. */
  test.each<[string, number, number, number[], Buffer[], number[]]>([
    ['1 bit of grey', 1, 0, [0x80], [], [255, 255, 255, 255]],
    ['2 bits of grey', 2, 0, [0x40], [], [85, 85, 85, 255]],
    ['4 bits of grey', 4, 0, [0xa0], [], [170, 170, 170, 255]],
    ['8 bits of grey', 8, 0, [7], [], [7, 7, 7, 255]],
    ['16 bits of grey', 16, 0, [9, 200], [], [9, 9, 9, 255]],
    ['grey with a transparent colour', 8, 0, [7], [pngChunk('tRNS', Buffer.from([0, 7]))], [7, 7, 7, 0]],
    ['8 bits of colours', 8, 2, [1, 2, 3], [], [1, 2, 3, 255]],
    [
      'colours with a transparent one',
      8,
      2,
      [1, 2, 3],
      [pngChunk('tRNS', Buffer.from([0, 1, 0, 2, 0, 3]))],
      [1, 2, 3, 0],
    ],
    ['16 bits of colours', 16, 2, [1, 9, 2, 9, 3, 9], [], [1, 2, 3, 255]],
    [
      '4 bits of a palette with opacity',
      4,
      3,
      [0x10],
      [pngChunk('PLTE', Buffer.from([0, 0, 0, 1, 2, 3])), pngChunk('tRNS', Buffer.from([255, 40]))],
      [1, 2, 3, 40],
    ],
    ['8 bits of grey with opacity', 8, 4, [5, 6], [], [5, 5, 5, 6]],
    ['16 bits of grey with opacity', 16, 4, [5, 9, 6, 9], [], [5, 5, 5, 6]],
    ['8 bits of colours with opacity', 8, 6, [1, 2, 3, 4], [], [1, 2, 3, 4]],
    ['16 bits of colours with opacity', 16, 6, [1, 9, 2, 9, 3, 9, 4, 9], [], [1, 2, 3, 4]],
  ])('with %s is read, also interlaced', async (_name, depth, colour, first, chunks, expected) => {
    const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colour]!
    const size = 32
    const lineOf = (width: number): Buffer => Buffer.alloc(1 + Math.ceil((width * samples * depth) / 8))
    const plain = Array.from({ length: size }, () => lineOf(size))
    plain[0]!.set(first, 1)
    const lines = PASSES.flatMap(([width, height]) => Array.from({ length: height }, () => lineOf(width)))
    lines[0]!.set(first, 1)
    for (const [interlace, parts] of [
      [0, plain],
      [1, lines],
    ] as const) {
      const { rgba } = await readPng(
        pngWith(pngHead(size, size, [depth, colour, interlace]), Buffer.concat(parts), chunks),
      )
      expect([...rgba.subarray(0, 4)]).toEqual(expected)
      expect([...rgba.subarray(4, 7)]).toEqual([0, 0, 0])
    }
  })

  test('with the pixels of each pass in their places', async () => {
    // Each pass has its own grey; a pixel shows the pass that has it (PNG 3rd edition, 8.2).
    const lines = PASSES.flatMap(([width, height], pass) =>
      Array.from({ length: height }, () => Buffer.from([0, ...Array.from<number>({ length: width }).fill(pass + 1)])),
    )
    const { rgba } = await readPng(pngWith(pngHead(32, 32, [8, 0, 1]), Buffer.concat(lines)))
    const corner = Array.from({ length: 8 }, (_, y) =>
      Array.from({ length: 8 }, (_, x) => rgba[(y * 32 + x) * 4]).join(''),
    )
    expect(corner).toEqual([
      '16462646',
      '77777777',
      '56565656',
      '77777777',
      '36463646',
      '77777777',
      '56565656',
      '77777777',
    ])
  })

  test('with each filter', async () => {
    const line = (filter: number, first: number): Buffer =>
      Buffer.from([filter, first, ...Array.from<number>({ length: 31 }).fill(1)])
    const rows = [line(1, 10), line(2, 1), line(3, 1), line(4, 1), ...Array.from({ length: 28 }, () => line(0, 9))]
    const { rgba } = await readPng(pngWith(pngHead(32, 32, [8, 0, 0]), Buffer.concat(rows)))
    const grey = (x: number, y: number): number => rgba[(y * 32 + x) * 4]!
    expect([grey(0, 0), grey(1, 0), grey(31, 0)]).toEqual([10, 11, 41])
    expect([grey(0, 1), grey(1, 1)]).toEqual([11, 12])
    // The mean of left and above: (0 + 11) >> 1, then (6 + 12) >> 1.
    expect([grey(0, 2), grey(1, 2)]).toEqual([6, 10])
    // Paeth: above for the first pixel, then the nearest of left 7, above 10, corner 6 to 11.
    expect([grey(0, 3), grey(1, 3)]).toEqual([7, 11])
  })

  test('keeps nothing but its pixels', async () => {
    const text = pngChunk('tEXt', Buffer.from(`Comment\0${HIDDEN}`))
    const file = Buffer.concat([pngFile(plainPicture(40, 40, RED), [text]), Buffer.from(HIDDEN)])
    const { bytes, mediaType, width, height } = await readLogo(file)
    expect([mediaType, width, height, bytes.includes('alert')]).toEqual(['image/png', 40, 40, false])
    expect([...bytes.toString('latin1').matchAll(/IHDR|IDAT|IEND|tEXt/g)].map(String)).toEqual(['IHDR', 'IDAT', 'IEND'])
  })

  test('that is larger than the box becomes smaller by a whole factor, with the same colour', async () => {
    const { width, height, bytes } = await readLogo(pngFile(plainPicture(1_000, 301, [9, 8, 7, 100])))
    expect([width, height]).toEqual([334, 101])
    const { rgba } = await readPng(bytes)
    expect([...rgba.subarray(-4)]).toEqual([9, 8, 7, 100])
  })

  test('weighs the colours of a square by opacity', () => {
    const picture: Pixels = {
      width: 2,
      height: 2,
      rgba: Uint8Array.from([200, 0, 0, 255, 0, 90, 0, 0, 200, 0, 0, 255, 0, 90, 0, 0]),
    }
    expect([...fitted(picture, 1, 1).rgba]).toEqual([200, 0, 0, 128])
  })

  test.each<[string, string, () => Buffer]>([
    ['has no end', 'broken', () => pngFile(plainPicture(40, 40, RED)).subarray(0, -12)],
    [
      'has no pixels',
      'broken',
      () => Buffer.concat([SIGNATURE, pngHead(40, 40, [8, 6, 0]), pngChunk('IEND', Buffer.alloc(0))]),
    ],
    [
      'has a wrong check sum',
      'broken',
      () => {
        const file = pngFile(plainPicture(40, 40, RED))
        // The last byte before the end chunk is of the sum of the pixels.
        file[file.length - 13]! ^= 1
        return file
      },
    ],
    ['has too few pixels', 'broken', () => pngWith(pngHead(40, 40, [8, 6, 0]), Buffer.alloc(40 * 161 - 1))],
    [
      'has more pixels than its header says',
      'broken',
      () => pngWith(pngHead(40, 40, [8, 6, 0]), Buffer.alloc(40 * 161 + 1)),
    ],
    ['is a bomb of compressed zeros', 'broken', () => pngWith(pngHead(40, 40, [8, 6, 0]), Buffer.alloc(40_000_000))],
    [
      'has two headers',
      'broken',
      () => pngWith(pngHead(40, 40, [8, 6, 0]), Buffer.alloc(40 * 161), [pngHead(40, 40, [8, 6, 0])]),
    ],
    ['begins without a header', 'broken', () => pngWith(pngChunk('PLTE', Buffer.alloc(3)), Buffer.alloc(3))],
    [
      'has a critical chunk that is not known',
      'broken',
      () => pngFile(plainPicture(40, 40, RED), [pngChunk('EVIL', Buffer.alloc(3))]),
    ],
    ['has no palette', 'broken', () => pngWith(pngHead(32, 32, [8, 3, 0]), Buffer.alloc(32 * 33))],
    [
      'has a pixel outside its palette',
      'broken',
      () => pngWith(pngHead(32, 32, [8, 3, 0]), Buffer.alloc(32 * 33, 4), [pngChunk('PLTE', Buffer.alloc(6))]),
    ],
    ['has an unknown filter', 'broken', () => pngWith(pngHead(32, 32, [8, 0, 0]), Buffer.alloc(32 * 33, 5))],
    ['has an unknown depth', 'broken', () => pngWith(pngHead(32, 32, [3, 0, 0]), Buffer.alloc(32 * 33))],
    ['has huge sides', 'heavy', () => pngWith(pngHead(2 ** 31, 2 ** 31, [8, 6, 0]), Buffer.alloc(10))],
    ['has no width', 'small', () => pngWith(pngHead(0, 40, [8, 6, 0]), Buffer.alloc(40))],
    ['is too small', 'small', () => pngFile(plainPicture(31, 40, RED))],
    ['is too long', 'shape', () => pngFile(plainPicture(32 * 8 + 1, 32, RED))],
    ['is animated', 'animated', () => pngFile(plainPicture(40, 40, RED), [pngChunk('acTL', Buffer.alloc(8))])],
  ])('that %s is refused', async (_name, trouble, make) => {
    expect(await troubleOf(make())).toBe(trouble)
  })
})

describe('a JPEG', () => {
  test('keeps its picture, and nothing else', async () => {
    const { bytes, ...logo } = await readLogo(jpegFile(160, 40))
    expect(logo).toMatchObject({ mediaType: 'image/jpeg', width: 160, height: 40 })
    expect([bytes.includes('alert'), bytes.includes('JFIF'), bytes.includes('Exif')]).toEqual([false, false, false])
    expect([bytes.subarray(0, 4).toString('hex'), bytes.subarray(-2).toString('hex')]).toEqual(['ffd8ffdb', 'ffd9'])
    expect((await readLogo(bytes)).bytes.equals(bytes)).toBe(true)
  })

  const changed = (from: string, to: string): Buffer => {
    const hex = jpegFile(160, 40).toString('hex')
    expect(hex).toContain(from)
    return Buffer.from(hex.replace(from, to), 'hex')
  }
  const FRAME = 'ffc0000b08002800a001011100'
  /** `script` in hexadecimal */
  const TEXT = '736372697074'

  test.each<[string, string, () => Buffer]>([
    [
      'has no end',
      'broken',
      () => jpegFile(160, 40).subarray(0, jpegFile(160, 40).lastIndexOf(Buffer.from([0xff, 0xd9]))),
    ],
    ['has no frame', 'broken', () => changed(FRAME, '')],
    ['has two frames', 'variant', () => changed(FRAME, FRAME + FRAME)],
    ['has arithmetic codes', 'variant', () => changed('ffc0000b', 'ffc9000b')],
    ['is lossless', 'variant', () => changed('ffc0000b', 'ffc3000b')],
    ['has twelve bits', 'variant', () => changed('ffc0000b08', 'ffc0000b0c')],
    ['has four colours', 'variant', () => changed(FRAME, 'ffc0001408002800a004011100021100031100041100')],
    ['has a frame of another length', 'broken', () => changed('002800a00101', '002800a00301')],
    ['has its height behind its scan', 'variant', () => changed('08002800a0', '08000000a0')],
    ['has huge sides', 'heavy', () => changed('08002800a0', '08ffffffff')],
    ['is too small', 'small', () => changed('08002800a0', '08001f00a0')],
    ['has a segment that ends behind the file', 'broken', () => changed('ffdb0043', 'ffdbffff')],
    ['has a segment without a length', 'broken', () => changed('ffdb0043', 'ffdb0000')],
    ['has text behind its restart interval', 'broken', () => changed(FRAME, `ffdd000a0000${TEXT}${FRAME}`)],
    ['has text behind a quantisation table', 'broken', () => changed(FRAME, `ffdb0008${TEXT}${FRAME}`)],
    ['has text as codes', 'broken', () => changed(FRAME, `ffc40008${TEXT}${FRAME}`)],
    ['has a colour without samples', 'broken', () => changed(FRAME, FRAME.replace('011100', '010100'))],
    ['has a picture in the picture', 'broken', () => changed(FRAME, `${FRAME}ffd8`)],
    [
      'has more scans than a picture needs',
      'variant',
      () => changed('ffda0008010100003f00', `${'ffda0008010100003f0000'.repeat(33)}ffda0008010100003f00`),
    ],
  ])('that %s is refused', async (_name, trouble, make) => {
    expect(await troubleOf(make())).toBe(trouble)
  })
})

describe('any other file', () => {
  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a GIF', 'GIF89a\x01\0\x01\0'],
    ['a WebP', 'RIFF\x10\0\0\0WEBPVP8L'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a PDF', '%PDF-1.7'],
  ])('%s is refused', async (_name, text) => {
    expect(await troubleOf(Buffer.from(text, 'latin1'))).toBe('kind')
  })

  test('that is empty or too large is refused', async () => {
    expect(await troubleOf(Buffer.alloc(0))).toBe('missing')
    expect(await troubleOf(Buffer.concat([jpegFile(160, 40), Buffer.alloc(1_000_000)]))).toBe('heavy')
    const noise = new Uint8Array(400 * 140 * 4)
    for (let at = 0, random = 1; at < noise.length; at += 1) {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
      noise[at] = random >>> 24
    }
    expect(await troubleOf(pngFile({ width: 400, height: 140, rgba: noise }))).toBe('heavy')
  })
})

/** A file with some bytes changed, left out, or repeated. */
const mutated = (file: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.tuple(fc.nat(file.length - 1), fc.constantFrom('set', 'cut', 'end', 'twice'), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    })
    .map((changes) =>
      changes.reduce((bytes, [place, change, value]) => {
        const at = bytes.length === 0 ? 0 : place % bytes.length
        if (change === 'end') return bytes.subarray(0, at)
        if (change === 'cut') return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + (value % 8))])
        if (change === 'twice') return Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)])
        const copy = Buffer.from(bytes)
        copy[at] = value
        return copy
      }, file),
    )

test('a changed file is refused for a reason, or its logo is a valid file of its kind', async () => {
  const files = [pngFile(plainPicture(40, 33, RED)), jpegFile(80, 40)]
  await fc.assert(
    fc.asyncProperty(fc.oneof(...files.map(mutated)), async (file) => {
      try {
        const logo = await readLogo(file)
        expect(logo.bytes.length).toBeLessThanOrEqual(MOST_LOGO_BYTES)
        expect(await readLogo(logo.bytes)).toEqual(logo)
      } catch (error) {
        expect(error).toBeInstanceOf(LogoProblem)
      }
    }),
    { numRuns: 500 },
  )
})
