import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { listPage } from '@bursar/contract'
import { showTime } from '../../merchants/documents/index.ts'
import type { PostedEntry } from '../../ledger/postings/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  amountMarkup,
  chosenLanguage,
  csvFile,
  dayField,
  empty,
  lostPage,
  merchantPage,
  pager,
  readDays,
  table,
  type Scope,
} from '../frame/index.ts'
import { assetIn, BALANCES, ROWS, type BalancePagesDeps } from './deps.ts'
import { monthForm } from './month-file.ts'
import { readStatement } from './statement.ts'

/** The entries of one balance, each with the balance after it. The last day is the day as of which it closes. */
export const statementPage =
  (deps: BalancePagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, visit, request, merchantId } = scope
    const { db, catalogue } = deps
    const asset = assetIn(catalogue, request.params['ticker'])
    if (!asset) return lostPage(visit, words)
    const { ticker, scale } = asset
    const { from, to, after } = request.query
    const { isWrong, ...range } = readDays(request.query)
    const { rows, next, closing, opening } = await readStatement(db, { merchantId, ticker }, range, after, ROWS)
    const show = (units: bigint): Markup => amountMarkup(scope, { value: formatUnits(units, scale), ticker })
    const query = { ...(from && { from }), ...(to && { to }) }
    const file = linkTo(visit, merchantPath(merchantId, `${BALANCES}/${ticker}/export`), query)
    return merchantPage(scope, {
      title: words.statementOf(ticker),
      part: 'balances',
      actions: rows.length > 0 && html`<a class="button second" href="${file}">${words.exportCsv}</a>`,
      sections: [
        daysForm(scope, { from, to }),
        isWrong && html`<div role="status">${note('warn', ICONS.alert, words.wrongFilter)}</div>`,
        (closing !== null || opening !== null) &&
          facts([
            closing === null ? undefined : [words.closing, show(closing)],
            opening === null ? undefined : [words.opening, show(opening)],
          ]),
        rows.length > 0 ? entryTable(scope, rows, show) : empty(words.noEntries, words.noEntriesText),
        pager(scope, query, { after, next: next ?? undefined }),
        monthForm(scope, ticker, deps.runtime.clock.business()),
      ],
    })
  }

const daysForm = (scope: Scope, { from, to }: { from: string | undefined; to: string | undefined }): Markup => {
  const { words, visit } = scope
  return html`<form method="get" action="${visit.path}" class="panel ask">${chosenLanguage(scope)}<div class="grid">${dayField({ name: 'from', label: words.from, value: from })}${dayField({ name: 'to', label: words.to, value: to })}</div><p class="soft">${words.dayHint}</p><button class="second">${words.apply}</button></form>`
}

const entryTable = (scope: Scope, rows: readonly PostedEntry[], show: (units: bigint) => Markup): Markup => {
  const { words } = scope
  const columns = [
    { title: words.time, isFar: true },
    { title: words.cause },
    { title: words.amount, isNumber: true },
    { title: words.balance, isNumber: true },
    { title: words.onHold, isNumber: true, isFar: true },
  ]
  const cells = rows.map((entry): Piece[] => [
    showTime(entry.at.getTime()),
    causeOf(scope, entry),
    show(entry.posted),
    show(entry.postedAfter),
    show(entry.heldAfter),
  ])
  return table(words.statement, columns, cells)
}

const causeOf = ({ words, visit, merchantId }: Scope, { cause, kind, at }: PostedEntry): Markup => {
  const name = words.causes[cause.kind] ?? cause.kind
  const link =
    cause.kind === 'deposit'
      ? html`<a href="${linkTo(visit, merchantPath(merchantId, `payments/deposit/${cause.id}`))}">${name}</a>`
      : name
  return html`<span class="words">${link}<br><span class="soft">${words.transfers[kind]}</span></span><br class="near"><span class="soft near">${showTime(at.getTime())}</span>`
}

/** Columns of the CSV of the API's list of entries. */
const COLUMNS = ['time', 'ticker', 'amount', 'balance', 'heldChange', 'held', 'kind', 'cause.kind', 'cause.id', 'id']

/** The entries of the days that the statement shows, as a file. */
export const statementFile =
  (deps: BalancePagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, visit, request, merchantId } = scope
    const { db, catalogue } = deps
    const asset = assetIn(catalogue, request.params['ticker'])
    if (!asset) return lostPage(visit, words)
    const { ticker, scale } = asset
    const { isWrong: _, ...range } = readDays(request.query)
    const name = `statement-${ticker.replaceAll(/[^A-Za-z0-9]/g, '')}.csv`
    return csvFile<string | undefined>(scope, { name, columns: COLUMNS }, undefined, async (after) => {
      const { rows, next } = await readStatement(db, { merchantId, ticker }, range, after, listPage.max)
      return { lines: rows.map((entry) => lineOf(entry, ticker, scale)), next }
    })
  }

const lineOf = (entry: PostedEntry, ticker: string, scale: number): string[] => [
  entry.at.toISOString(),
  ticker,
  formatUnits(entry.posted, scale),
  formatUnits(entry.postedAfter, scale),
  formatUnits(entry.held, scale),
  formatUnits(entry.heldAfter, scale),
  entry.kind,
  entry.cause.kind,
  entry.cause.id,
  entry.transferId,
]
