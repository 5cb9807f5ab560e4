import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { showText, showTime } from '../../merchants/documents/index.ts'
import { healthOf, listDeliveries, type EndpointHealth, type ListedEvent } from '../../merchants/webhooks/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { clearLink, empty, lostPage, merchantPage, pager, table, type Scope, type Submitted } from '../frame/index.ts'
import { wakeWaiting } from './commands.ts'
import { CHANGE_URL, ENDPOINTS, ROWS, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { eventFilterForm, readEventFilter, type ReadEventFilter } from './filter.ts'
import { stateTag } from './pieces.ts'
import { counted, saidNote, saidOf } from './said.ts'
import { submitTest, testPanel } from './test-panel.ts'
import { ENDPOINT_WORDS } from './words/endpoints.ts'
import { WEBHOOK_WORDS, type WebhookWords } from './words/index.ts'

const LONGEST_URL = 300
const SEQUENCE = /^\d{1,15}$/

/** The endpoint of a merchant with its health, and the list of its notifications, newest first. */
export const webhooksPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { words, merchantId, request, language, visit } = scope
    const texts = WEBHOOK_WORDS[language]
    const { after, woken, said } = request.query
    const read = readEventFilter(request.query)
    const before = after !== undefined && SEQUENCE.test(after) ? Number(after) : null
    const { notificationsUrl } = await settingsOf(deps.db, merchantId)
    const health = await healthOf(deps.db, merchantId)
    const { rows, next } = await listDeliveries(deps.db, merchantId, read.filter, { before, limit: ROWS })
    const isEmpty = rows.length === 0 && next === null
    return merchantPage(scope, {
      title: visit.words.webhooks,
      part: 'webhooks',
      actions: html`<a href="${linkTo(visit, merchantPath(merchantId, ENDPOINTS))}">${ENDPOINT_WORDS[language].title}</a>`,
      sections: [
        saidNote(saidOf(texts, woken, said)),
        html`<div class="two">${endpointPanel(scope, texts, notificationsUrl, health)}${await testPanel(deps, scope, { hasUrl: notificationsUrl !== null, endpointId: null })}</div>`,
        eventFilterForm(scope, texts, read, isEmpty),
        read.isWrong && html`<div role="status">${note('warn', ICONS.alert, words.wrongFilter)}</div>`,
        rows.length > 0 ? eventTable(scope, texts, rows) : nothing(scope, texts, read, !isEmpty, before !== null),
        pager(scope, read.typed, { after, next: next ?? undefined }),
      ],
    })
  }

/** Sends everything that waits, or a test. */
export const changeDelivery = (deps: WebhookPagesDeps) => {
  const test = submitTest(deps)
  return async (submitted: Submitted): Promise<PageAnswer> => {
    const { scope, session, fields } = submitted
    const { visit, merchantId, words } = scope
    if (fields('do') === 'test') return test(submitted)
    if (fields('do') !== 'wake') return lostPage(visit, words)
    const woken = await inTransaction(deps.db, (tx) => wakeWaiting(tx, session, merchantId, visit.now))
    return redirect(linkTo(visit, merchantPath(merchantId, WEBHOOKS), { woken: String(woken) }))
  }
}

const endpointPanel = (
  { visit, role, merchantId }: Scope,
  texts: WebhookWords,
  url: string | null,
  { waiting, failing, attempts, refused, acceptedAt, refusedAt }: EndpointHealth,
): Markup => {
  const timeOf = (at: Date | null): string => (at === null ? texts.never : showTime(at.getTime()))
  return html`<section class="panel"><h2>${texts.endpoint}</h2>${facts([
    [texts.url, url === null ? texts.noUrl : html`<span class="hash">${foreign(showText(url, LONGEST_URL))}</span>`],
    [texts.lastAccepted, timeOf(acceptedAt)],
    refusedAt === null
      ? undefined
      : [
          texts.lastRefused,
          html`${timeOf(refusedAt)}<br><span class="soft">${texts.refused(refused, attempts)}</span>`,
        ],
    [texts.waiting, texts.waitingCount(counted(waiting), counted(failing))],
  ])}${url === null && html`<p>${texts.noUrlText}</p>`}${
    mayRole(role, 'manage-webhooks') &&
    html`<p><a href="${linkTo(visit, merchantPath(merchantId, CHANGE_URL))}">${texts.change}</a></p>`
  }${
    failing > 0 &&
    mayRole(role, 'replay-webhooks') &&
    html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'wake')}<p class="soft">${texts.sendNowText}</p><button class="second">${texts.sendNow}</button></form>`
  }</section>`
}

const nothing = (
  scope: Scope,
  texts: WebhookWords,
  { isFiltered }: ReadEventFilter,
  isMore: boolean,
  isLater: boolean,
): Markup => {
  if (isMore) return html`<p>${texts.searchOn}</p>`
  if (isFiltered || isLater) return empty(texts.noneFit, texts.noneFitText, clearLink(scope))
  return empty(texts.none, texts.noneText, html`<a href="/docs">${scope.words.apiReference}</a>`)
}

const eventTable = (scope: Scope, texts: WebhookWords, events: readonly ListedEvent[]): Markup =>
  table(
    texts.notifications,
    [
      { title: texts.notification },
      { title: texts.state },
      { title: texts.number, isNumber: true, isFar: true },
      { title: scope.words.created, isFar: true },
    ],
    events.map((event) => [
      naming(scope, event),
      stateTag(event.state, texts),
      String(event.sequence),
      showTime(event.createdAt.getTime()),
    ]),
  )

const naming = ({ visit, merchantId }: Scope, { sequence, kind, status, objectId, createdAt }: ListedEvent): Piece =>
  html`<a href="${linkTo(visit, merchantPath(merchantId, `${WEBHOOKS}/${sequence}`))}">${foreign(`${kind} ${status}`)}</a><br><span class="soft hash">${objectId}</span><br class="near"><span class="soft near">${showTime(createdAt.getTime())}</span>`
