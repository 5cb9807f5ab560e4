import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { listPage } from '@bursar/contract'
import { exchangeBody, listExchanges, type FoundExchange } from '../../exchange/exchanges/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { showTime } from '../../merchants/documents/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { ListPage } from '../../platform/lists/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  amountMarkup,
  chosenLanguage,
  choiceField,
  clearLink,
  csvFile,
  dayField,
  empty,
  pager,
  readDays,
  table,
  type Scope,
} from '../frame/index.ts'
import { EXPORT_PATH, PAGE_SIZE, type ExchangePagesDeps } from './deps.ts'
import { EXCHANGE_WORDS } from './words/index.ts'

const FIELDS = ['give', 'get', 'from', 'to'] as const
const LONGEST = 30

/** The filter of the URL. A field that is not valid is left out, because URLs are shared, typed and old. */
const readFilter = (query: Readonly<Record<string, string>>, catalogue: Catalogue) => {
  const typed: Record<string, string> = {}
  for (const field of FIELDS) {
    const text = (query[field] ?? '').trim()
    if (text !== '' && text.length <= LONGEST) typed[field] = text
  }
  const { isWrong: isWrongDay, timeFrom, timeTo } = readDays({ from: typed['from'] ?? '', to: typed['to'] ?? '' })
  const known = (ticker: string | undefined): string | null =>
    ticker !== undefined && catalogue.find(ticker) !== undefined ? ticker : null
  const [spendTicker, targetTicker] = [known(typed['give']), known(typed['get'])]
  const isWrong =
    isWrongDay ||
    (typed['give'] !== undefined && spendTicker === null) ||
    (typed['get'] !== undefined && targetTicker === null)
  const filter = { ids: null, state: null, meta: null, spendTicker, targetTicker }
  return { filter, typed, timeFrom, timeTo, isWrong }
}

/** The filters and the list of exchanges, newest first. */
export const historyOf = async (deps: ExchangePagesDeps, scope: Scope): Promise<readonly Piece[]> => {
  const { request, merchantId, words, language, visit } = scope
  const texts = EXCHANGE_WORDS[language]
  const read = readFilter(request.query, deps.catalogue)
  const after = request.query['after']
  const key = after !== undefined && isUuid(after) ? after : undefined
  const page = pageOf(deps, read, key, PAGE_SIZE)
  const { rows, next } = await listExchanges(deps.db, merchantId, read.filter, page)
  const isEmpty = rows.length === 0 && next === null
  const file = linkTo(visit, merchantPath(merchantId, EXPORT_PATH), read.typed)
  return [
    html`<h2>${texts.history}</h2>`,
    filterForm(scope, read.typed, deps.catalogue, isEmpty),
    read.isWrong && html`<div role="status">${note('warn', ICONS.alert, texts.wrongFilter)}</div>`,
    rows.length > 0
      ? html`${exchangeTable(deps.catalogue, scope, rows)}<p><a href="${file}">${words.exportCsv}</a></p>`
      : isEmpty && Object.keys(read.typed).length === 0 && key === undefined
        ? empty(texts.none, texts.noneText)
        : isEmpty
          ? empty(texts.noneFit, texts.noneFitText, clearLink(scope))
          : html`<p>${words.searchOn}</p>`,
    pager(scope, read.typed, { after: key, next: next ?? undefined }),
  ]
}

const pageOf = (
  { runtime: { clock } }: ExchangePagesDeps,
  { timeFrom, timeTo }: Pick<ReturnType<typeof readFilter>, 'timeFrom' | 'timeTo'>,
  after: string | undefined,
  limit: number,
): ListPage => ({ after: after ?? null, limit, timeFrom, timeTo, aheadMs: clock.business() - clock.now() })

/** @param isEmpty the list has no exchange, and the link that clears the filters */
const filterForm = (
  scope: Scope,
  typed: Readonly<Record<string, string>>,
  catalogue: Catalogue,
  isEmpty: boolean,
): Markup => {
  const { words, visit, language } = scope
  const texts = EXCHANGE_WORDS[language]
  const assets = [['', words.any] as const, ...tickersOf(catalogue)]
  const isFiltered = Object.keys(typed).length > 0
  return html`<form method="get" action="${visit.path}" role="search" class="panel">${chosenLanguage(scope)}<details class="filters"${isFiltered && html` open`}><summary>${words.filters}</summary><div class="grid">${[
    choiceField({ name: 'give', label: texts.give, value: typed['give'] }, assets),
    choiceField({ name: 'get', label: texts.get, value: typed['get'] }, assets),
    dayField({ name: 'from', label: words.from, value: typed['from'] }),
    dayField({ name: 'to', label: words.to, value: typed['to'] }),
  ]}</div><p class="soft">${words.dayHint}</p><div class="pager"><button class="second">${words.apply}</button></div></details>${isFiltered && !isEmpty && clearLink(scope)}</form>`
}

const tickersOf = (catalogue: Catalogue): (readonly [string, string])[] =>
  [...catalogue.crypto, ...catalogue.fiat].map(({ ticker }) => [ticker, ticker] as const)

const exchangeTable = (catalogue: Catalogue, scope: Scope, rows: readonly FoundExchange[]): Markup => {
  const texts = EXCHANGE_WORDS[scope.language]
  const shown = (units: bigint, ticker: string): Markup =>
    amountMarkup(scope, { value: formatUnits(units, catalogue.find(ticker)?.scale ?? 0), ticker })
  return table(
    texts.history,
    [
      { title: texts.given, isNumber: true },
      { title: texts.received, isNumber: true },
      { title: texts.fee, isNumber: true, isFar: true },
      { title: texts.price, isNumber: true, isFar: true },
      { title: texts.made },
    ],
    rows.map((row) => [
      shown(row.exchange + row.fee, row.spendTicker),
      row.state === 'failed' ? texts.failed : shown(row.target, row.targetTicker),
      shown(row.fee, row.spendTicker),
      texts.priceOf(String(exchangeBody(row, catalogue)['price']), row.first, row.second),
      html`${showTime(row.createdAt.getTime())}${row.meta !== null && html`<br><span class="soft">${foreign(row.meta.slice(0, 80))}</span>`}`,
    ]),
  )
}

/** Columns are named as in the CSV of the API's list. */
const COLUMNS = [
  'id',
  'time',
  'status',
  'spendTicker',
  'spendAmount',
  'fee',
  'targetTicker',
  'targetAmount',
  'price',
  'localId',
  'meta',
] as const

/** All exchanges of the filter, as a file. */
export const exchangesFile =
  (deps: ExchangePagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const read = readFilter(scope.request.query, deps.catalogue)
    return csvFile<string | undefined>(scope, { name: 'exchanges.csv', columns: COLUMNS }, undefined, async (after) => {
      const page = pageOf(deps, read, after, listPage.max)
      const { rows, next } = await listExchanges(deps.db, scope.merchantId, read.filter, page)
      return { lines: rows.map((row) => lineOf(row, deps.catalogue)), next }
    })
  }

const lineOf = (row: FoundExchange, catalogue: Catalogue): string[] => {
  const body = { ...exchangeBody(row, catalogue), time: row.createdAt.toISOString() } as Record<string, string | null>
  return COLUMNS.map((column) => String(body[column] ?? ''))
}
