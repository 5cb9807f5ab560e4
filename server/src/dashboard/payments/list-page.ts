import { foreign, html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { showText, showTime } from '../../merchants/documents/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import { clearLink, empty, liveRegion, merchantPage, pager, statusTag, table, type Scope } from '../frame/index.ts'
import { EXPORT, PAYMENTS, ROWS, type PaymentPagesDeps } from './deps.ts'
import { filterForm } from './filter-form.ts'
import { readFilter, type ReadFilter } from './filter.ts'
import { mergePage } from './merging.ts'
import type { Payment } from './payment.ts'
import { amountPiece, methodPiece } from './pieces.ts'
import { sourcesOf } from './sources.ts'

/** Longer names are cut, so that a page stays small. */
const LONGEST_NAME = 80

/** The list of a merchant's payments of all kinds, newest first. */
export const paymentsPage =
  (deps: PaymentPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, merchantId, request, visit, role } = scope
    const { after } = request.query
    const read = readFilter(request.query, deps.catalogue)
    const sources = sourcesOf({ ...deps, clock: deps.runtime.clock }, merchantId, read.filter)
    const { rows, next } = await mergePage(sources, after, ROWS)
    const isEmpty = rows.length === 0 && next === null
    const file = linkTo(visit, merchantPath(merchantId, EXPORT), read.typed)
    return merchantPage(scope, {
      title: visit.words.payments,
      part: 'payments',
      actions: html`<div class="pager">${mayRole(role, 'create-invoices') && html`<a class="button" href="${linkTo(visit, merchantPath(merchantId, 'invoices/new'))}">${words.newInvoice}</a>`}${rows.length > 0 && html`<a class="button second" href="${file}">${words.exportCsv}</a>`}</div>`,
      sections: [
        filterForm(scope, read, deps.catalogue, isEmpty),
        read.isWrong && html`<div role="status">${note('warn', ICONS.alert, words.wrongFilter)}</div>`,
        liveRegion('list', [
          rows.length > 0 ? paymentTable(scope, rows) : nothing(scope, read, !isEmpty, after !== undefined),
          pager(scope, read.typed, { after, next: next ?? undefined }),
        ]),
      ],
    })
  }

const nothing = (scope: Scope, { isFiltered }: ReadFilter, isMore: boolean, isLater: boolean): Markup => {
  const { words } = scope
  if (isMore) return html`<p>${words.searchOn}</p>`
  if (isFiltered || isLater) return empty(words.noneFit, words.noneFitText, clearLink(scope))
  return empty(words.noPayments, words.noPaymentsText, html`<a href="/docs">${words.apiReference}</a>`)
}

export const paymentTable = (scope: Scope, payments: readonly Payment[]): Markup => {
  const { words, visit } = scope
  return table(
    visit.words.payments,
    [
      { title: words.payment },
      { title: words.status },
      { title: words.amount, isNumber: true },
      { title: words.method, isFar: true },
      { title: words.created, isFar: true },
    ],
    payments.map((payment) => [
      naming(scope, payment),
      statusTag(payment.status, words.statuses),
      amountPiece(scope, payment.amount),
      methodPiece(scope, payment),
      showTime(payment.createdAt.getTime()),
    ]),
  )
}

const naming = ({ visit, words, merchantId }: Scope, { kind, id, name, meta, email, createdAt }: Payment): Markup => {
  const more = [email, meta].filter((text) => text !== null && text !== '')
  const shown = showText(name ?? '', LONGEST_NAME)
  return html`<a href="${linkTo(visit, merchantPath(merchantId, `${PAYMENTS}/${kind}/${id}`))}">${foreign(shown === '' ? `${words.kinds[kind]} ${id.slice(0, 8)}` : shown)}</a>${more.map(
    (text) => html`<br><span class="soft">${foreign(showText(text!, LONGEST_NAME))}</span>`,
  )}<br class="near"><span class="soft near">${showTime(createdAt.getTime())}</span>`
}
