import type { Catalogue } from '../../market/assets/index.ts'
import {
  DocumentsBusy,
  pictureOf,
  type DocumentMaker,
  type MonthStatement,
  type StatementSum,
} from '../../merchants/documents/index.ts'
import type { Language } from '../../platform/base/language.ts'
import type { Db } from '../../platform/db/index.ts'
import { formatUnits } from '../../platform/money/index.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { WORDS } from '../frame/index.ts'
import { endedMonths, readMonth, type Month, type MonthOfBalance } from './months.ts'

/** A balance whose month is stated. */
interface Stated {
  company: string
  ticker: string
  scale: number
  month: Month
}

/** The statement of a month as its document shows it. */
export const statementOf = (
  { company, ticker, scale, month }: Stated,
  read: MonthOfBalance,
  language: Language,
): MonthStatement => ({
  company,
  ticker,
  month: month.name,
  endsAt: month.to.getTime(),
  ...shown(read, WORDS[language].causes, (units) => formatUnits(units, scale)),
})

export const statementName = (ticker: string, { name }: Pick<Month, 'name'>): string =>
  `statement-${ticker.replaceAll(/[^A-Za-z0-9]/g, '')}-${name}.pdf`

/** @param names of causes */
const shown = (
  { opening, closing, credits, debits, changes }: MonthOfBalance,
  names: Readonly<Record<string, string>>,
  show: (units: bigint) => string,
): Pick<MonthStatement, 'opening' | 'closing' | 'credits' | 'debits' | 'changes'> => {
  const nameOf = (cause: string): string => names[cause] ?? cause
  const sums = (of: MonthOfBalance['credits']): StatementSum[] =>
    of.map(({ cause, entries, units }) => ({
      cause: cause === null ? null : nameOf(cause),
      count: entries,
      amount: show(units),
    }))
  return {
    opening: show(opening),
    closing: show(closing),
    credits: sums(credits),
    debits: sums(debits),
    changes:
      changes &&
      changes.map(({ at, cause, posted, postedAfter }) => ({
        at: at.getTime(),
        cause: nameOf(cause.kind),
        amount: show(posted),
        balanceAfter: show(postedAfter),
      })),
  }
}

/** Statements that one mail has, so that mail servers accept it. */
const MOST_ATTACHED = 10

interface StatementsDeps {
  runtime: Pick<Runtime, 'clock'> & { db: Db }
  catalogue: Catalogue
  documents: Pick<DocumentMaker, 'make'>
}

/** The balances of a merchant whose statements are attached to the mail of a month. */
interface Attached {
  merchantId: string
  merchant: string
  /** as `2026-10` */
  month: string
  tickers: readonly string[]
  language: Language
}

/**
 * Creates the maker of the statements that are attached to the mail of a month, as PDF. The page of the mail's link has
 * those that are missing: more than ten, of an asset that is not served any more, of entries that are not counted yet,
 * or while too many documents are being made.
 */
export const createStatementMaker =
  ({ runtime, catalogue, documents }: StatementsDeps) =>
  async ({ merchantId, merchant, month: name, tickers, language }: Attached) => {
    const month = endedMonths(runtime.clock.business()).find((one) => one.name === name)
    if (!month || tickers.length === 0) return []
    const logo = await pictureOf(runtime.db, merchantId)
    const files: { name: string; bytes: Uint8Array }[] = []
    for (const ticker of tickers.slice(0, MOST_ATTACHED)) {
      const asset = catalogue.find(ticker)
      const read = asset && (await readMonth(runtime.db, { merchantId, ticker }, month))
      if (!read) continue
      const statement = statementOf({ company: merchant, ticker, scale: asset.scale, month }, read, language)
      const bytes = await documents.make({ kind: 'statement', statement, language, logo }).catch(noneIfBusy)
      if (bytes) files.push({ name: statementName(ticker, month), bytes })
    }
    return files
  }

const noneIfBusy = (error: unknown): undefined => {
  if (!(error instanceof DocumentsBusy)) throw error
}
