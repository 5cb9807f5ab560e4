import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { showNetwork, showText, showTime } from '../../merchants/documents/index.ts'
import { isNetwork } from '@bursar/chainkit'
import { listRequests, type RequestRow } from '../../pay-out/requests/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { linkTo, merchantPath } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { empty, liveRegion, merchantPage, pager, table, type Scope } from '../frame/index.ts'
import { BOOK, FILE, GUIDE, MADE, pathOfRequest, POLICY, ROWS, type PayoutPagesDeps } from './deps.ts'
import { amountOf, statusOf, statusTag, textsOf } from './pieces.ts'
import { CARD_WORDS } from './words/cards.ts'
import { MADE_WORDS } from './words/made.ts'
import type { PayoutWords } from './words/index.ts'
import { REFUND_REQUEST_WORDS } from './words/refunds.ts'

const LONGEST_NAME = 60
/** Requests that wait, shown above the list. */
const MOST_OPEN = 20

/** The requests that wait, and below them all requests, newest first. */
export const payoutsPage =
  (deps: PayoutPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { merchantId, request, visit } = scope
    const texts = textsOf(scope)
    const asked = request.query['after'] ?? ''
    const after = isUuid(asked) ? asked : null
    const openAt = visit.now.real
    const open =
      after === null ? (await listRequests(deps.db, merchantId, { after, limit: MOST_OPEN, openAt })).rows : []
    const { rows, hasMore } = await listRequests(deps.db, merchantId, { after, limit: ROWS, openAt: null })
    const next = hasMore ? rows.at(-1)!.id : undefined
    return merchantPage(scope, {
      title: visit.words.payouts,
      part: 'payouts',
      actions: actions(scope, texts),
      sections: [
        liveRegion('requests', [
          open.length > 0 &&
            html`<section><h2>${texts.open}</h2>${requestTable(deps, scope, texts.open, open)}</section>`,
          rows.length > 0
            ? html`<section><h2>${texts.requests}</h2>${requestTable(deps, scope, texts.requests, rows)}</section>`
            : empty(texts.noRequests, texts.noRequestsText),
          pager(scope, {}, { after: after ?? undefined, next }),
        ]),
      ],
    })
  }

const actions = ({ visit, merchantId, role, language }: Scope, texts: PayoutWords): Piece => {
  const link = (path: string, text: string, look: string): Markup =>
    html`<a class="button ${look}" href="${linkTo(visit, merchantPath(merchantId, path))}">${text}</a>`
  return html`<div class="pager">${mayRole(role, 'request-payouts') && link(GUIDE, texts.newPayout, 'plain')}${mayRole(role, 'request-payouts') && link(FILE, texts.upload, 'second')}${link(MADE, MADE_WORDS[language].title, 'second')}${link(BOOK, texts.book, 'second')}${link(POLICY, texts.policy, 'second')}</div>`
}

const requestTable = (deps: PayoutPagesDeps, scope: Scope, title: string, rows: readonly RequestRow[]): Markup => {
  const { visit, words } = scope
  const texts = textsOf(scope)
  return table(
    title,
    [
      { title: texts.payout },
      { title: words.status },
      { title: texts.amount, isNumber: true },
      { title: texts.maker, isFar: true },
      { title: texts.asked, isFar: true },
    ],
    rows.map((row) => [
      naming(scope, row),
      statusTag(statusOf(row, visit.now.real), texts),
      row.lines === 1 ? amountOf(scope, deps.rules.catalogue, row.ticker, row.units) : '–',
      foreign(row.maker),
      showTime(row.createdAt.getTime()),
    ]),
  )
}

const naming = (scope: Scope, { id, kind, name, lines, to, blockchain, createdAt }: RequestRow): Markup => {
  const { visit, merchantId } = scope
  const texts = textsOf(scope)
  const short = to.length > 20 ? `${to.slice(0, 10)}…${to.slice(-6)}` : to
  const title = kind === 'file' ? texts.file(showText(name, LONGEST_NAME), lines) : short
  const refund = (kind === 'claim' || kind === 'card') && REFUND_REQUEST_WORDS[scope.language].title[kind]
  const card = kind === 'to-card' && CARD_WORDS[scope.language].title
  const network = kind !== 'file' && isNetwork(blockchain) && showNetwork(blockchain)
  return html`<a href="${linkTo(visit, merchantPath(merchantId, pathOfRequest(id)))}">${foreign(title)}</a>${(refund || card) && html`<br><span class="soft">${refund || card}</span>`}${network && html`<br><span class="soft">${network}</span>`}<br class="near"><span class="soft near">${showTime(createdAt.getTime())}</span>`
}
