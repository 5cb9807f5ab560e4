import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { mergePage, type MergedRow, type Source } from './merging.ts'

/** A list whose pages may end before their limit, as those of rare conditions do. */
const listOf = (name: string, times: readonly number[], endsAt: number): Source<MergedRow> =>
  paged(
    name,
    times
      .toSorted((a, b) => b - a)
      .map((ms, i) => ({ kind: name, id: `${name}${i}`, key: keyOf(i), createdAt: new Date(ms) })),
    endsAt,
  )

const paged = (name: string, rows: readonly MergedRow[], endsAt: number): Source<MergedRow> => ({
  name,
  isKey: (text) => /^k\d+$/.test(text),
  read: async (after, limit) => {
    const from = after === null ? 0 : rows.findIndex(({ key }) => key === after) + 1
    const found = rows.slice(from, from + limit)
    // Every so many rows, a page has none of the rows behind it.
    const cut = endsAt > 0 ? found.findIndex((_, i) => i > 0 && (from + i) % endsAt === 0) : -1
    const shown = cut < 0 ? found : found.slice(0, cut)
    const last = shown.at(-1)
    return { rows: shown, next: from + shown.length < rows.length && last ? last.key : null }
  },
})

/** The later the row, the lesser its key. */
const keyOf = (position: number): string => `k${String(1_000 - position).padStart(4, '0')}`

/** Every row, by pages, and the number of rows of the longest page. */
const walk = async (sources: readonly Source<MergedRow>[], limit: number) => {
  const found: MergedRow[] = []
  let [after, longest]: [string | undefined, number] = [undefined, 0]
  for (;;) {
    const page: Awaited<ReturnType<typeof mergePage<MergedRow>>> = await mergePage(sources, after, limit)
    found.push(...page.rows)
    longest = Math.max(longest, page.rows.length)
    if (page.next === null) return { found, longest }
    after = page.next
  }
}

const times = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 30 })

describe('a page of several lists', () => {
  test('has every row of each list once, newest first, at most as many as its limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(times, times, times),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 5 }),
        async (lists, limit, endsAt) => {
          const sources = lists.map((list, i) => listOf('abc'[i]!, list, endsAt))
          const { found, longest } = await walk(sources, limit)
          expect(longest).toBeLessThanOrEqual(limit)
          expect(found.map(({ createdAt }) => createdAt.getTime())).toEqual(lists.flat().toSorted((a, b) => b - a))
          expect(new Set(found.map(({ id }) => id)).size).toBe(lists.flat().length)
        },
      ),
      { numRuns: cases(200) },
    )
  })

  test('shows a row that is in two lists once', async () => {
    const [one, other] = [listOf('a', [1, 2, 3], 0), listOf('a', [1, 2, 3], 0)]
    const { rows } = await mergePage([one, { ...other, name: 'b' }], undefined, 10)
    expect(rows.map(({ id }) => id)).toEqual(['a0', 'a1', 'a2'])
  })

  test('shows a row that is in two lists once, also where a page ends between them, and times are out of order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.integer({ min: 0, max: 9 }), isIn: fc.tuple(fc.boolean(), fc.boolean()) })),
        times,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 3 }),
        async (shared, list, limit, endsAt) => {
          // The lists of one kind have the same order, in which a later time may come behind an earlier one.
          const all = shared.map(({ ms, isIn }, i) => ({
            isIn,
            row: { kind: 'row', id: `r${i}`, key: keyOf(i), createdAt: new Date(1_000 - i * 3 + ms) },
          }))
          const ofKind = [0, 1].map((n) =>
            paged(
              `kind${n}`,
              all.filter(({ isIn }) => isIn[n]).map(({ row }) => row),
              endsAt,
            ),
          )
          const { found } = await walk([...ofKind, listOf('other', list, endsAt)], limit)
          const expected = all.filter(({ isIn }) => isIn[0] || isIn[1]).map(({ row }) => row.id)
          expect(found.filter(({ kind }) => kind === 'row').map(({ id }) => id)).toEqual(expected)
          expect(found).toHaveLength(expected.length + list.length)
        },
      ),
      { numRuns: cases(300) },
    )
  })

  test.each(['x', 'YQ', Buffer.from('a=other').toString('base64url'), Buffer.from('z=k1000').toString('base64url')])(
    'begins with the newest row for a text that is no cursor of its: %s',
    async (cursor) => {
      const { rows } = await mergePage([listOf('a', [5, 9], 0)], cursor, 10)
      expect(rows.map(({ createdAt }) => createdAt.getTime())).toEqual([9, 5])
    },
  )
})
