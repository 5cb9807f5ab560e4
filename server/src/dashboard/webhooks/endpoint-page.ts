import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { showText, showTime } from '../../merchants/documents/index.ts'
import {
  endpointHealth,
  findEndpoint,
  listEndpointAttempts,
  type AdditionalEndpoint,
  type EndpointHealth,
} from '../../merchants/webhooks/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, merchantPage, pager, table, type Scope, type Submitted } from '../frame/index.ts'
import { wakeAdditional } from './commands.ts'
import { ENDPOINTS, ROWS, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { nameOf } from './endpoints-page.ts'
import { answerOf } from './pieces.ts'
import { counted, saidNote, saidOf } from './said.ts'
import { submitTest, testPanel } from './test-panel.ts'
import { ENDPOINT_WORDS } from './words/endpoints.ts'
import { WEBHOOK_WORDS } from './words/index.ts'

const LONGEST = 300
const CURSOR = /^(\d{1,15})\.(\d{1,15})$/

/** The additional endpoint that the path names, if the merchant has it. */
export const endpointIn = async (
  deps: WebhookPagesDeps,
  { request, merchantId }: Scope,
): Promise<AdditionalEndpoint | undefined> => {
  const id = request.params['endpoint'] ?? ''
  return isUuid(id) ? findEndpoint(deps.db, merchantId, id) : undefined
}

/** One additional endpoint: its choices, its health, its newest test and its attempts. */
export const endpointPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, words, merchantId, language, request } = scope
    const endpoint = await endpointIn(deps, scope)
    if (endpoint === undefined) return lostPage(visit, words)
    const [texts, common] = [ENDPOINT_WORDS[language], WEBHOOK_WORDS[language]]
    const { after, woken, said } = request.query
    const cursor = CURSOR.exec(after ?? '')
    const before = cursor === null ? null : { sequence: Number(cursor[1]), epoch: Number(cursor[2]) }
    const health = await endpointHealth(deps.db, endpoint.id)
    const attempts = await listEndpointAttempts(deps.db, endpoint.id, { before, limit: ROWS + 1 })
    const shown = attempts.slice(0, ROWS)
    const last = shown.at(-1)
    const next = attempts.length > ROWS && last ? `${last.sequence}.${last.epoch}` : undefined
    return merchantPage(scope, {
      title: nameOf(endpoint),
      part: 'webhooks',
      actions: html`<a href="${linkTo(visit, merchantPath(merchantId, ENDPOINTS))}">${texts.back}</a>`,
      sections: [
        said === 'changed'
          ? html`<div role="status">${note('good', ICONS.check, texts.saved)}</div>`
          : saidNote(saidOf(common, woken, said)),
        html`<div class="two">${endpointPanel(scope, endpoint, health)}${await testPanel(deps, scope, { hasUrl: endpoint.isOn, endpointId: endpoint.id })}</div>`,
        html`<section class="panel"><h2>${texts.attempts}</h2>${shown.length === 0 ? html`<p>${texts.noAttempts}</p>` : attemptTable(scope, shown)}<p class="soft">${common.attemptsText}</p></section>`,
        pager(scope, {}, { after: before === null ? undefined : after, next }),
      ],
    })
  }

/** Sends everything that waits for an additional endpoint, or a test. */
export const useEndpoint =
  (deps: WebhookPagesDeps) =>
  async (submitted: Submitted): Promise<PageAnswer> => {
    const { scope, session, fields } = submitted
    const { visit, merchantId, words } = scope
    const endpoint = await endpointIn(deps, scope)
    if (endpoint === undefined) return lostPage(visit, words)
    if (fields('do') === 'test') return submitTest(deps, endpoint.id)(submitted)
    if (fields('do') !== 'wake') return lostPage(visit, words)
    const which = { merchantId, endpointId: endpoint.id }
    const woken = await inTransaction(deps.db, (tx) => wakeAdditional(tx, session, which, visit.now))
    if (woken === undefined) return lostPage(visit, words)
    return redirect(linkTo(visit, visit.path, { woken: String(woken) }))
  }

const endpointPanel = (
  { visit, role, merchantId, language }: Scope,
  { id, url, kinds, isOn, description, beforeUntil }: AdditionalEndpoint,
  { waiting, failing, attempts, refused, acceptedAt, refusedAt }: EndpointHealth,
): Markup => {
  const [texts, common] = [ENDPOINT_WORDS[language], WEBHOOK_WORDS[language]]
  const timeOf = (at: Date | null): string => (at === null ? common.never : showTime(at.getTime()))
  const isReplacing = beforeUntil !== null && beforeUntil > visit.now.moment.at
  return html`<section class="panel"><h2>${texts.endpoint}</h2>${facts([
    [common.url, html`<span class="hash">${foreign(showText(url, LONGEST))}</span>`],
    description === '' ? undefined : [texts.description, foreign(description)],
    [texts.kinds, kinds === null ? texts.all : foreign(kinds.join(', '))],
    [texts.state, isOn ? texts.on : html`${texts.off}<br><span class="soft">${texts.offText}</span>`],
    isReplacing ? [texts.secret, texts.before(showTime(beforeUntil.getTime()))] : undefined,
    [common.lastAccepted, timeOf(acceptedAt)],
    refusedAt === null
      ? undefined
      : [
          common.lastRefused,
          html`${timeOf(refusedAt)}<br><span class="soft">${common.refused(refused, attempts)}</span>`,
        ],
    [common.waiting, common.waitingCount(counted(waiting), counted(failing))],
  ])}${
    mayRole(role, 'manage-webhooks') &&
    html`<p><a href="${linkTo(visit, merchantPath(merchantId, `${ENDPOINTS}/${id}/change`))}">${texts.change}</a></p>`
  }${
    failing > 0 &&
    mayRole(role, 'replay-webhooks') &&
    html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'wake')}<p class="soft">${common.sendNowText}</p><button class="second">${common.sendNow}</button></form>`
  }</section>`
}

const attemptTable = (
  { visit, merchantId, language }: Scope,
  attempts: Awaited<ReturnType<typeof listEndpointAttempts>>,
): Markup => {
  const common = WEBHOOK_WORDS[language]
  const rows = attempts.map((one): Piece[] => [
    html`<a href="${linkTo(visit, merchantPath(merchantId, `${WEBHOOKS}/${one.sequence}`))}">${String(one.sequence)}</a>`,
    showTime(one.at.getTime()),
    answerOf(common, one),
    common.milliseconds(one.durationMs),
    String(one.attempt),
  ])
  const columns = [
    { title: common.notification },
    { title: common.sent, isFar: true },
    { title: common.answer },
    { title: common.duration, isNumber: true, isFar: true },
    { title: common.attempt, isNumber: true, isFar: true },
  ]
  return table(common.attempts, columns, rows)
}
