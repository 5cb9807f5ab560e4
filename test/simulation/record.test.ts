/** The rows of the simulation's running count. */
import { expect, test } from 'vitest'
import { addRow } from './record.ts'

const ROW = ['2026-11-29', 'abcd1234', '14-15', '20000', '1000', '0']

test('a run whose seed follows, on the same day at the same commit, joins the last row', () => {
  expect(addRow([ROW], ['2026-11-29', 'abcd1234', '16-17', 10_001, 500, 0])).toEqual([
    ['2026-11-29', 'abcd1234', '14-17', 30_001, 1_500, 0],
  ])
})

test.each([
  ['the first run', [], ['2026-11-29', 'abcd1234', '16-16', 1, 1, 0]],
  ['another day', [ROW], ['2026-11-30', 'abcd1234', '16-16', 1, 1, 0]],
  ['another commit', [ROW], ['2026-11-29', '1234abcd', '16-16', 1, 1, 0]],
  ['a seed that does not follow', [ROW], ['2026-11-29', 'abcd1234', '17-17', 1, 1, 0]],
] satisfies [string, string[][], Parameters<typeof addRow>[1]][])('%s has a row of its own', (_, rows, added) => {
  expect(addRow(rows, added)).toEqual([...rows, added])
})
