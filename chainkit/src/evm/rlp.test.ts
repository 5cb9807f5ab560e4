import * as fc from 'fast-check'
import { toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../test/setup/cases.ts'
import { decodeRlp, encodeRlp } from './rlp.ts'
import type { RlpItem } from './rlp.ts'

type Tree = Uint8Array | Tree[]

const item: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    fc.uint8Array({ maxLength: 70 }),
    fc.uint8Array({ minLength: 250, maxLength: 300 }),
    fc.array(tie('tree'), { maxLength: 6 }),
  ),
})).tree

test('encodes as viem does, and decodes it again', () => {
  fc.assert(
    fc.property(item, (tree) => {
      const bytes = encodeRlp(tree)
      expect(bytes).toEqual(toRlp(tree, 'bytes'))
      expect(decodeRlp(bytes)).toEqual(tree)
    }),
    { numRuns: cases(500) },
  )
})

test('every value that it decodes has exactly one encoding', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), mutated()), (bytes) => {
      let decoded: RlpItem
      try {
        decoded = decodeRlp(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
        return
      }
      expect(encodeRlp(decoded)).toEqual(bytes)
    }),
    { numRuns: cases(2000) },
  )
})

function mutated(): fc.Arbitrary<Uint8Array> {
  return fc.tuple(item, fc.nat(), fc.nat({ max: 255 })).map(([tree, at, byte]) => {
    const bytes = Uint8Array.from(encodeRlp(tree))
    bytes[at % bytes.length] = byte
    return bytes
  })
}

describe('decodeRlp refuses', () => {
  test.each([
    ['nothing', []],
    ['a small byte with a prefix', [0x81, 0x05]],
    ['a short length written long', [0xb8, 0x01, 0x80]],
    ['a length with leading zeros', [0xb9, 0x00, 0x38, ...new Uint8Array(56)]],
    ['a length past the end', [0x83, 0x01, 0x02]],
    ['a huge length', [0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['bytes left over', [0x01, 0x02]],
    ['an item that ends outside its list', [0xc2, 0x83, 0x01, 0x02, 0x03]],
    ['a hundred nested lists', Array.from({ length: 100 }, () => 0xc1)],
  ])('%s', (_name, bytes) => {
    expect(() => decodeRlp(Uint8Array.from(bytes))).toThrow(RangeError)
  })
})
