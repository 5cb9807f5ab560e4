import type { Language } from '../../platform/base/language.ts'
import { Paper, SOFT, type Cell } from './paper.ts'
import type { Picture } from './picture.ts'
import { showAmount, showText, showTime } from './showing.ts'
import { STATEMENT_TEXTS } from './statement-texts.ts'
import type { MonthStatement, StatementChange, StatementSum } from './statement.ts'

const NAME_WIDTH = 150
const COUNT_WIDTH = 80
const SUM_WIDTH = 180
const TIME_WIDTH = 105
/** The width of an amount of 18 decimals with its ticker. */
const AMOUNT_WIDTH = 140
const FACT = { size: 10 }
const FACT_NAME = { size: 10, color: SOFT }
const CELL = { style: { size: 8.5 } }
const CELL_HEAD = { style: { size: 8.5, color: SOFT }, names: 'Column' } as const

/** A monthly statement as PDF: the same bytes for the same statement, language and logo. */
export const statementPdf = (statement: MonthStatement, language: Language, logo?: Picture): Promise<Buffer> => {
  const t = STATEMENT_TEXTS[language]
  const { ticker, month, endsAt, changes } = statement
  const company = showText(statement.company, 255)
  const show = (amount: string): string => showAmount(amount, ticker, language)
  const paper = new Paper({ language, title: `${t.title} ${ticker} ${month}`, author: company, at: endsAt })
  if (logo) paper.picture(logo, company, 12)
  paper.write(company, { size: 11, color: SOFT }, 6)
  paper.write(`${t.title}, ${ticker}`, { size: 26, font: 'bold' }, 18, 'H1')
  paper.rule()
  const facts = [
    [t.month, month],
    [t.opening, show(statement.opening)],
    [t.closing, show(statement.closing)],
  ] as const
  for (const [name, value] of facts)
    paper.row([
      { text: name, width: NAME_WIDTH, style: FACT_NAME, names: 'Row' },
      { text: value, width: paper.width - NAME_WIDTH, style: FACT },
    ])
  writeSums(paper, t.credits, statement.credits, language, show)
  writeSums(paper, t.debits, statement.debits, language, show)
  paper.gap(22)
  paper.write(t.changes, { size: 14, font: 'bold' }, 6, 'H2')
  if (changes === null) paper.write(t.tooMany, FACT)
  else if (changes.length === 0) paper.write(t.none, FACT)
  else writeChanges(paper, changes, language, show)
  return paper.end((sheet, of) => ({ left: t.foot, right: `${sheet} / ${of}` }))
}

const writeSums = (
  paper: Paper,
  title: string,
  sums: readonly StatementSum[],
  language: Language,
  show: (amount: string) => string,
): void => {
  const t = STATEMENT_TEXTS[language]
  paper.gap(22)
  paper.write(title, { size: 14, font: 'bold' }, 6, 'H2')
  if (sums.length === 0) return paper.write(t.none, FACT)
  const row = (cause: string, count: string, amount: string, like: Pick<Cell, 'style' | 'names'>): void =>
    paper.row([
      { text: cause, width: paper.width - COUNT_WIDTH - SUM_WIDTH, ...like },
      { text: count, width: COUNT_WIDTH, ...like, align: 'right' },
      { text: amount, width: SUM_WIDTH, ...like, align: 'right' },
    ])
  row(t.cause, t.count, t.amount, CELL_HEAD)
  for (const { cause, count, amount } of sums)
    row(showText(cause ?? t.all, 100), count === null ? '' : String(count), show(amount), CELL)
}

const writeChanges = (
  paper: Paper,
  changes: readonly StatementChange[],
  language: Language,
  show: (amount: string) => string,
): void => {
  const t = STATEMENT_TEXTS[language]
  const row = (texts: readonly [string, string, string, string], like: Pick<Cell, 'style' | 'names'>): void =>
    paper.row(
      [
        { text: texts[0], width: TIME_WIDTH, ...like },
        { text: texts[1], width: paper.width - TIME_WIDTH - 2 * AMOUNT_WIDTH, ...like },
        { text: texts[2], width: AMOUNT_WIDTH, ...like, align: 'right' },
        { text: texts[3], width: AMOUNT_WIDTH, ...like, align: 'right' },
      ],
      4,
    )
  row([t.time, t.cause, t.amount, t.balance], CELL_HEAD)
  for (const { at, cause, amount, balanceAfter } of changes)
    row([showTime(at), showText(cause, 100), show(amount), show(balanceAfter)], CELL)
}
