import { describe, expect, test } from 'vitest'
import { readPdf } from '../../../../test/world/pdf.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import { statementPdf } from './statement-pdf.ts'
import { STATEMENT_TEXTS } from './statement-texts.ts'
import type { MonthStatement } from './statement.ts'

const statement: MonthStatement = {
  company: 'Кав’ярня «Зерно» Ltd',
  ticker: 'USDT',
  month: '2026-10',
  endsAt: Date.UTC(2026, 10, 1),
  opening: '1000.5',
  closing: '1203.25',
  credits: [{ cause: 'Deposit', count: 3, amount: '12345.75' }],
  debits: [{ cause: 'Withdrawal', count: 1, amount: '-12143' }],
  changes: [
    { at: Date.UTC(2026, 9, 3, 12, 30), cause: 'Deposit', amount: '12345.75', balanceAfter: '13346.25' },
    { at: Date.UTC(2026, 9, 4, 9), cause: 'Withdrawal', amount: '-12143', balanceAfter: '1203.25' },
  ],
}

describe('the statement of a month', () => {
  test.each(LANGUAGES)('in %s has its balances, its sums by cause and each change', async (language) => {
    const t = STATEMENT_TEXTS[language]
    const { sheets, info } = await readPdf(await statementPdf(statement, language))
    const text = sheets.join(' ')
    const rows = [
      statement.company,
      `${t.title}, USDT`,
      `${t.month} 2026-10`,
      `${t.opening} 1 000.5 USDT`,
      `${t.closing} 1 203.25 USDT`,
      `${t.credits} ${t.cause} ${t.count} ${t.amount} Deposit 3 12 345.75 USDT`,
      `${t.debits} ${t.cause} ${t.count} ${t.amount} Withdrawal 1 -12 143 USDT`,
      `${t.changes} ${t.time} ${t.cause} ${t.amount} ${t.balance}`,
      '2026-10-03 12:30 UTC Deposit 12 345.75 USDT 13 346.25 USDT',
      '2026-10-04 09:00 UTC Withdrawal -12 143 USDT 1 203.25 USDT',
      t.foot,
      '1 / 1',
    ]
    for (const row of rows) expect(text).toContain(row)
    expect(info['Title']).toBe(`${t.title} USDT 2026-10`)
  })

  test('without changes, or with too many of them, says so', async () => {
    const textOf = async (change: Partial<MonthStatement>): Promise<string> =>
      (await readPdf(await statementPdf({ ...statement, ...change }, 'en'))).sheets.join(' ')
    const { none, changes, tooMany, all, credits, debits } = STATEMENT_TEXTS.en
    const idle = await textOf({ credits: [], debits: [], changes: [] })
    for (const title of [credits, debits, changes]) expect(idle).toContain(`${title} ${none}`)
    const busy = await textOf({ debits: [{ cause: null, count: null, amount: '-12143' }], changes: null })
    expect(busy).toContain(`${changes} ${tooMany}`)
    expect(busy).toContain(`${all} -12 143 USDT`)
  })

  test('of a currency has its amounts as the payment page shows them, also those below zero', async () => {
    const sheets = (await readPdf(await statementPdf({ ...statement, ticker: 'UAH' }, 'uk'))).sheets
    expect(sheets.join(' ')).toContain('12 345,75 ₴')
    expect(sheets.join(' ')).toMatch(/[-−]12 143 ₴/)
  })

  test('with 500 changes has each on one sheet, and the same bytes again', async () => {
    const changes = Array.from({ length: 500 }, (_, i) => ({ ...statement.changes![0]!, amount: `${i}.125` }))
    const [first, again] = [
      await statementPdf({ ...statement, changes }, 'en'),
      await statementPdf({ ...statement, changes }, 'en'),
    ]
    expect(first.equals(again)).toBe(true)
    const { sheets } = await readPdf(first)
    for (const { amount } of changes)
      expect(sheets.filter((sheet) => sheet.includes(` ${amount} USDT `))).toHaveLength(1)
  })
})
