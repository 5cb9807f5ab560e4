import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { uuidv7 } from '../base/id.ts'
import { idsOfPage, MOST_EXAMINED, pageOf, type Examined, type ListPage } from './page.ts'

interface Row extends Examined {
  key: number
}

/** The rows that the statement of a list returns: newest first, from a table whose row `n` has the key `n`. */
const statement = (table: readonly boolean[], after: number, limit: number): Row[] =>
  table
    .flatMap((fits, key) => (key < after ? [{ key, fits }] : []))
    .toReversed()
    .slice(0, MOST_EXAMINED)
    .map((row, at) => ({ ...row, examined: at + 1 }))
    .filter(({ fits, examined }) => fits || examined === MOST_EXAMINED)
    .slice(0, limit + 1)

const walk = (table: readonly boolean[], limit: number): { keys: number[]; pages: number } => {
  const keys: number[] = []
  let [after, pages] = [table.length, 0]
  for (;;) {
    const page = pageOf(statement(table, after, limit), limit, ({ key }) => String(key))
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    pages += 1
    keys.push(...page.rows.map(({ key }) => key))
    if (page.next === null) return { keys, pages }
    expect(Number(page.next)).toBeLessThan(after)
    after = Number(page.next)
  }
}

const tableOf = (length: number, fitting: readonly number[]): boolean[] => {
  const table = Array.from({ length }, () => false)
  for (const key of fitting) if (key < length) table[key] = true
  return table
}

test('the pages of a list have every row that fits, once, however few there are among many', () => {
  const lengths = fc.constantFrom(0, 1, 5, MOST_EXAMINED - 1, MOST_EXAMINED, MOST_EXAMINED + 1, 2 * MOST_EXAMINED + 7)
  const keys = fc.array(fc.nat(2 * MOST_EXAMINED + 7), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, keys, fc.integer({ min: 1, max: 9 }), (length, fitting, limit) => {
      const table = tableOf(length, fitting)
      const expected = table.flatMap((fits, key) => (fits ? [key] : [])).toReversed()
      expect(walk(table, limit).keys).toEqual(expected)
    }),
    { numRuns: cases(200) },
  )
})

test('a page that fills up where the examined rows end has the next one', () => {
  const length = MOST_EXAMINED + 2
  expect(walk(tableOf(length, [0, 2, 5]), 2)).toEqual({ keys: [5, 2, 0], pages: 2 })
  expect(walk(tableOf(length, [1]), 1)).toEqual({ keys: [1], pages: 2 })
})

describe('the ids of a range of times', () => {
  const page = (more: Partial<ListPage>): ListPage => ({
    limit: 1,
    after: null,
    timeFrom: null,
    timeTo: null,
    aheadMs: 0,
    ...more,
  })
  const at = Date.UTC(2026, 5, 1)
  const idAt = (ms: number): string => uuidv7(ms, new Uint8Array(10).fill(0x80))

  test('hold those that were made some minutes before or after the time of their row', () => {
    const { least, before } = idsOfPage(page({ timeFrom: new Date(at), timeTo: new Date(at + 1) }))
    expect(least <= idAt(at - 4 * 60_000) && idAt(at + 4 * 60_000) < before).toBe(true)
    expect(idAt(at - 6 * 60_000) < least && before < idAt(at + 6 * 60_000)).toBe(true)
  })

  test('hold those of a business clock that is ahead', () => {
    const day = 86_400_000
    const { least, before } = idsOfPage(page({ timeFrom: new Date(at), timeTo: new Date(at + 1), aheadMs: day }))
    expect(least <= idAt(at - day) && idAt(at) < before).toBe(true)
  })

  test('end at the last row of the page before, and without a range hold every id', () => {
    expect(idsOfPage(page({ after: idAt(at) })).before).toBe(idAt(at))
    expect(idsOfPage(page({ after: idAt(at), timeTo: new Date(at + 1) })).before).toBe(idAt(at))
    const later = idAt(at + 3_600_000)
    expect(idsOfPage(page({ after: later, timeTo: new Date(at) })).before < later).toBe(true)
    const { least, before } = idsOfPage(page({}))
    expect([least <= idAt(0), idAt(2 ** 48 - 1) < before]).toEqual([true, true])
  })
})
