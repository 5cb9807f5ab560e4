import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import { csvLine, csvText } from './csv.ts'

const cellsOf = (line: string): string[] => (parse(line, { relax_column_count: true }) as string[][])[0]!

test.each(['=1+1', '+cmd', '-1+1', '@sum(a1)', '\ta', '\ra', '\na', '=cmd|"/c calc"!a1', '＝1', '+380441234567', '-'])(
  'S7 the formula %j is text for a spreadsheet',
  (text) => {
    expect(cellsOf(csvLine(['id', text]))).toEqual(['id', `'${text}`])
  },
)

test('a cell has no formula behind a semicolon, a tab or a line end, where spreadsheets may cut it', () => {
  // Excel separates by the semicolon where the comma is the decimal sign, and cuts the line before it reads quotes.
  for (const separator of [';', '\t', '\n', '\r', '; ', ';"'])
    for (const sign of ['=', '+', '-', '@', '＝'])
      for (const cell of csvLine([`x${separator}${sign}1+1;y`]).split(/[;\t\r\n]/))
        expect(cell.replace(/^[\s"]+/, '')).not.toMatch(/^[=+\-@＝＋－＠]/)
  expect(csvLine(['a; b', 'c;-'])).toBe('"a; b","c;\'-"\r\n')
})

test('a number stays a number, also below zero', () => {
  expect(csvLine(['-12.5', '0', '1', '-0.000000000000000001'])).toBe('-12.5,0,1,-0.000000000000000001\r\n')
})

test('every text comes back from a reader of CSV, with the mark before a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 5 }), (cells) => {
      const shown = cells.map((text) => {
        const inner = text.replaceAll(/([;\t\r\n][\s"]{0,8})(?=[=+\-@＝＋－＠])/g, "$1'")
        return /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${inner}` : inner
      })
      expect(cellsOf(csvLine(cells))).toEqual(shown)
    }),
    { numRuns: cases(200) },
  )
})

test('values are found by path: times in ISO 8601, lists joined, nothing for what is absent', () => {
  const item = {
    time: 1_767_225_600_000,
    expiredAt: 0,
    amount: { value: '1.5' },
    from: ['a', 'b'],
    claim: null,
    internal: false,
  }
  const columns = ['time', 'expiredAt', 'amount.value', 'amount.ticker', 'from', 'claim.status', 'meta', 'internal']
  expect(columns.map((column) => csvText(item, column))).toEqual([
    '2026-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
    '1.5',
    '',
    'a b',
    '',
    '',
    'false',
  ])
})
