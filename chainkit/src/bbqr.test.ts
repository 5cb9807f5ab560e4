import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinBbqr, splitBbqr } from './bbqr.ts'

test('parts put together in any order, with repeats, are the bytes again', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 600 }),
      fc.integer({ min: 16, max: 400 }),
      fc.infiniteStream(fc.nat()),
      (bytes, most, random) => {
        const parts = splitBbqr(bytes, 'P', most)
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(most)
          expect(part).toMatch(/^[0-9A-Z$]+$/)
        }
        const shuffled = [...parts, parts[0]!]
          .map((part) => ({ part, by: random.next().value }))
          .toSorted((a, b) => a.by - b.by)
        expect(joinBbqr(shuffled.map(({ part }) => part))).toEqual({ type: 'P', bytes })
        if (parts.length > 1) expect(joinBbqr(parts.slice(1))).toHaveProperty('refused')
      },
    ),
  )
})

test('the header says type, number of parts and place', () => {
  const parts = splitBbqr(new Uint8Array(1_000), 'J', 48)
  expect(parts).toHaveLength(40)
  expect(parts[39]!.slice(0, 8)).toBe('B$2J1413')
  expect(splitBbqr(new TextEncoder().encode('hello'), 'U', 100)).toEqual(['B$2U0100NBSWY3DP'])
})

test.each([
  ['nothing', []],
  ['another format', ['UR:CRYPTO-PSBT/1-2/AAAA']],
  ['another encoding', ['B$HP0100AABB']],
  ['a part that is none', ['B$2P0102AAAAAAAA']],
  ['two messages', ['B$2P0200AAAAAAAA', 'B$2J0201AAAAAAAA']],
  ['two that differ', ['B$2P0100AAAAAAAA', 'B$2P0100BBBBBBBB']],
  ['base32 that is none', ['B$2P0100AAA']],
])('%s is refused', (_name, texts) => {
  expect(joinBbqr(texts)).toHaveProperty('refused', 'not-parsable')
})
