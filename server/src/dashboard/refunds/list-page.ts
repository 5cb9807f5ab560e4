import { listPage } from '@bursar/contract'
import { foreign, html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { showNetwork, showText, showTime } from '../../merchants/documents/index.ts'
import { listRequests } from '../../pay-out/requests/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { formatUnits } from '../../platform/money/index.ts'
import {
  chosenLanguage,
  choiceField,
  clearLink,
  csvFile,
  dayField,
  empty,
  merchantPage,
  pager,
  table,
  type Scope,
} from '../frame/index.ts'
import { mergePage } from '../payments/index.ts'
import { EXPORT, pathOfClaim, pathOfRequest, ROWS, type RefundPagesDeps } from './deps.ts'
import { readRefundFilter, refundSources, type RefundFilter } from './filter.ts'
import { amountPiece, statusTag, textsOf } from './pieces.ts'
import { KINDS, STATUSES, type RefundRow } from './refund.ts'

const LONGEST_NAME = 80
/** Requests of refunds that wait for an approval, shown above the list. */
const MOST_OPEN = 20

/** Claims of crypto invoices and refunds of card payments in one list, newest first. */
export const refundsPage =
  (deps: RefundPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, merchantId, request, visit } = scope
    const texts = textsOf(scope)
    const { catalogue } = deps.rules
    const { after } = request.query
    const filter = readRefundFilter(request.query, catalogue)
    const sources = refundSources({ db: deps.db, clock: deps.runtime.clock }, merchantId, filter)
    const { rows, next } = await mergePage(sources, after, ROWS)
    const file = linkTo(visit, merchantPath(merchantId, EXPORT), filter.typed)
    const isEmpty = rows.length === 0 && next === null
    const isAsked = Object.keys(filter.typed).length > 0 || after !== undefined
    return merchantPage(scope, {
      title: visit.words.refunds,
      part: 'refunds',
      actions: rows.length > 0 && html`<a class="button second" href="${file}">${words.exportCsv}</a>`,
      sections: [
        after === undefined && (await waitingPiece(deps, scope)),
        filterForm(deps, scope, filter, isEmpty),
        filter.isWrong && html`<div role="status">${note('warn', ICONS.alert, words.wrongFilter)}</div>`,
        rows.length > 0
          ? refundTable(deps, scope, rows)
          : !isEmpty
            ? html`<p>${words.searchOn}</p>`
            : isAsked
              ? empty(texts.noneFit, words.noneFitText, clearLink(scope))
              : empty(texts.none, texts.noneText),
        pager(scope, filter.typed, { after, next: next ?? undefined }),
      ],
    })
  }

/** The requests of refunds that wait for another member. */
const waitingPiece = async (deps: RefundPagesDeps, scope: Scope): Promise<Markup | false> => {
  const { visit, merchantId, role } = scope
  const texts = textsOf(scope)
  if (!mayRole(role, 'see-payouts')) return false
  const asked = { after: null, limit: MOST_OPEN, openAt: visit.now.real, isRefund: true }
  const { rows } = await listRequests(deps.db, merchantId, asked)
  if (rows.length === 0) return false
  const columns = [{ title: texts.to }, { title: texts.amount, isNumber: true }, { title: texts.asked, isFar: true }]
  const lines = rows.map(({ id, to, ticker, units, maker, createdAt }) => [
    html`<a href="${linkTo(visit, merchantPath(merchantId, pathOfRequest(id)))}">${foreign(to)}</a>`,
    amountPiece(scope, deps.rules.catalogue, ticker, units),
    html`${foreign(maker)}<br><span class="soft">${showTime(createdAt.getTime())}</span>`,
  ])
  return html`<section><h2>${texts.waiting}</h2>${table(texts.waiting, columns, lines)}</section>`
}

/** @param isEmpty the list has no refund, and the link that clears the filters */
const filterForm = (
  { rules: { catalogue } }: RefundPagesDeps,
  scope: Scope,
  { typed }: Pick<RefundFilter, 'typed'>,
  isEmpty: boolean,
): Markup => {
  const { words, visit } = scope
  const texts = textsOf(scope)
  const any = ['', words.any] as const
  const assets = [...catalogue.crypto, ...catalogue.fiat].map(({ ticker }) => [ticker, ticker] as const)
  const isFiltered = Object.keys(typed).length > 0
  return html`<form method="get" action="${visit.path}" role="search" class="panel">${chosenLanguage(scope)}<details class="filters"${isFiltered && html` open`}><summary>${words.filters}</summary><div class="grid">${[
    choiceField({ name: 'kind', label: words.kind, value: typed['kind'] }, [
      any,
      ...KINDS.map((kind) => [kind, texts.kinds[kind]] as const),
    ]),
    choiceField({ name: 'status', label: words.status, value: typed['status'] }, [
      any,
      ...STATUSES.map((one) => [one, texts.statuses[one]] as const),
    ]),
    choiceField({ name: 'asset', label: words.asset, value: typed['asset'] }, [any, ...assets]),
    dayField({ name: 'from', label: words.from, value: typed['from'] }),
    dayField({ name: 'to', label: words.to, value: typed['to'] }),
  ]}</div><p class="soft">${words.dayHint}</p><div class="pager"><button>${words.apply}</button></div></details>${isFiltered && !isEmpty && clearLink(scope)}</form>`
}

const refundTable = (deps: RefundPagesDeps, scope: Scope, rows: readonly RefundRow[]): Markup => {
  const { words, visit } = scope
  const texts = textsOf(scope)
  return table(
    visit.words.refunds,
    [
      { title: texts.refund },
      { title: words.status },
      { title: texts.amount, isNumber: true },
      { title: texts.to, isFar: true },
      { title: words.created, isFar: true },
    ],
    rows.map((row) => [
      naming(scope, row),
      statusTag(scope, row.status, row.hasFailed),
      amountPiece(scope, deps.rules.catalogue, row.ticker, row.units),
      html`<span class="hash">${foreign(row.to)}</span>${row.network !== null && html`<br><span class="soft">${showNetwork(row.network)}</span>`}`,
      showTime(row.createdAt.getTime()),
    ]),
  )
}

/** A claim has a page of its own; a refund of a card payment is on the page of its payment. */
const naming = (scope: Scope, { kind, id, invoiceId, name, email, createdAt }: RefundRow): Markup => {
  const { visit, merchantId } = scope
  const texts = textsOf(scope)
  const path = kind === 'claim' ? pathOfClaim(id) : `payments/card/${invoiceId}`
  const shown = showText(name ?? '', LONGEST_NAME)
  return html`<a href="${linkTo(visit, merchantPath(merchantId, path))}">${shown === '' ? `${texts.kinds[kind]} ${id.slice(-8)}` : foreign(shown)}</a>${
    email !== null && html`<br><span class="soft">${foreign(showText(email, LONGEST_NAME))}</span>`
  }<br class="near"><span class="soft near">${showTime(createdAt.getTime())}</span>`
}

/** Named as in the CSV of the API's lists, and the same in every language, for programs. */
const COLUMNS = ['id', 'createdAt', 'kind', 'status', 'amount', 'ticker', 'to', 'blockchain', 'invoiceId', 'email']

/** All refunds of the filter that the list shows, as a file. */
export const refundsFile =
  (deps: RefundPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { catalogue } = deps.rules
    const filter = readRefundFilter(scope.request.query, catalogue)
    const sources = refundSources({ db: deps.db, clock: deps.runtime.clock }, scope.merchantId, filter)
    return csvFile<string | undefined>(scope, { name: 'refunds.csv', columns: COLUMNS }, undefined, async (after) => {
      const { rows, next } = await mergePage(sources, after, listPage.max)
      return {
        lines: rows.map(({ id, createdAt, kind, status, ticker, units, to, network, invoiceId, email }) => {
          const asset = catalogue.find(ticker)
          const amount = asset === undefined ? '' : formatUnits(units, asset.scale)
          return [id, createdAt.toISOString(), kind, status, amount, ticker, to, network ?? '', invoiceId, email ?? '']
        }),
        next,
      }
    })
  }
