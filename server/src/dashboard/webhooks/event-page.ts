import { foreign, html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { facts, note } from '@bursar/checkout/parts'
import { notificationHeaders } from '@bursar/contract'
import { showTime } from '../../merchants/documents/index.ts'
import {
  findDelivery,
  listAttempts,
  type AttemptRow,
  type EventDetail,
  type Replayed,
} from '../../merchants/webhooks/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { replayNotification, replayNotificationTo } from './commands.ts'
import { WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { elsewherePanels } from './elsewhere.ts'
import { attemptTable, stateTag } from './pieces.ts'
import { WEBHOOK_WORDS, type WebhookWords } from './words/index.ts'

const SEQUENCE = /^[1-9]\d{0,14}$/
const EPOCH = /^\d{1,15}$/
/** Bodies are small; a longer one is cut on the page, and whole in the API. */
const LONGEST_BODY = 20_000

/** One notification: its body, its headers and each attempt. */
export const notificationPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, words, merchantId, request, language } = scope
    const texts = WEBHOOK_WORDS[language]
    const sequence = sequenceIn(scope)
    const event = sequence === undefined ? undefined : await findDelivery(deps.db, merchantId, sequence)
    if (event === undefined) return lostPage(visit, words)
    const attempts = await listAttempts(deps.db, merchantId, event.sequence)
    const said = saidOf(texts, request.query['replayed'])
    return merchantPage(scope, {
      title: `${event.kind} ${event.status}`,
      part: 'webhooks',
      actions: html`<a href="${linkTo(visit, merchantPath(merchantId, WEBHOOKS))}">${texts.back}</a>`,
      sections: [
        said !== undefined &&
          html`<div role="status">${note(said.isProblem ? 'warn' : 'good', said.isProblem ? ICONS.alert : ICONS.check, said.text)}</div>`,
        html`<div class="two"><section class="panel"><h2>${words.details}</h2>${details(scope, texts, event)}${replayForm(scope, texts, event)}</section><section class="panel"><h2>${texts.body}</h2><pre class="code" tabindex="0" aria-label="${texts.body}">${foreign(bodyText(event.body))}</pre><h2>${texts.headers}</h2>${headers(event, attempts[0])}<p class="soft">${texts.headersText}</p></section></div>`,
        attemptsPanel(texts, attempts),
        ...(await elsewherePanels(deps, scope, event)),
      ],
    })
  }

/** Sends a notification again. */
export const sendAgain =
  (deps: WebhookPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, words, merchantId } = scope
    const [sequence, seen] = [sequenceIn(scope), fields('seen')]
    if (sequence === undefined || !EPOCH.test(seen)) return lostPage(visit, words)
    const choice = { merchantId, sequence, lastEpoch: Number(seen) }
    const endpointId = fields('endpoint')
    if (endpointId !== '' && !isUuid(endpointId)) return lostPage(visit, words)
    const replayed = await inTransaction(deps.db, (tx) =>
      endpointId === ''
        ? replayNotification(tx, session, choice, visit.now)
        : replayNotificationTo(tx, session, { ...choice, endpointId }, visit.now),
    )
    if (replayed === 'unknown') return lostPage(visit, words)
    return redirect(linkTo(visit, visit.path, { replayed }))
  }

const sequenceIn = ({ request }: Scope): number | undefined => {
  const text = request.params['sequence'] ?? ''
  return SEQUENCE.test(text) ? Number(text) : undefined
}

const saidOf = (
  texts: WebhookWords,
  replayed: string | undefined,
): { isProblem: boolean; text: string } | undefined => {
  const said: Partial<Record<string, { isProblem: boolean; text: string }>> = {
    scheduled: { isProblem: false, text: texts.scheduled },
    waiting: { isProblem: false, text: texts.alreadyWaiting },
    changed: { isProblem: true, text: texts.changedMeanwhile },
  } satisfies Record<Exclude<Replayed, 'unknown'>, { isProblem: boolean; text: string }>
  return replayed === undefined || !Object.hasOwn(said, replayed) ? undefined : said[replayed]
}

/** Kinds whose object has a page of a payment. */
const PAYMENT_KINDS: ReadonlyMap<string, string> = new Map([
  ['Replenish', 'deposit'],
  ['CryptoInvoice', 'crypto'],
  ['Invoice', 'card'],
])

const details = ({ visit, words, merchantId }: Scope, texts: WebhookWords, event: EventDetail): Markup => {
  const { kind, objectId, state, nextAt, sequence, id, createdAt } = event
  const payment = PAYMENT_KINDS.get(kind)
  return facts([
    [texts.state, stateTag(state, texts)],
    state === 'delivered'
      ? undefined
      : [texts.nextAttempt, nextAt === null ? texts.waitsForRestart : showTime(nextAt.getTime())],
    [texts.number, String(sequence)],
    [words.id, html`<span class="hash">${id}</span>`],
    [words.created, showTime(createdAt.getTime())],
    [texts.object, html`<span class="hash">${objectId}</span>`],
    payment === undefined
      ? undefined
      : [
          texts.payment,
          html`<a href="${linkTo(visit, merchantPath(merchantId, `payments/${payment}/${objectId}`))}">${texts.payment}</a>`,
        ],
  ])
}

const replayForm = ({ visit, role }: Scope, texts: WebhookWords, { lastEpoch }: EventDetail): Markup | false =>
  mayRole(role, 'replay-webhooks') &&
  html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('seen', String(lastEpoch))}<p class="soft">${texts.replayText}</p><button class="second">${texts.replay}</button></form>`

/** The body as lines; the bytes that were sent have no spaces. */
const bodyText = (body: string): string => {
  const lines = JSON.stringify(JSON.parse(body), null, 2)
  return lines.length > LONGEST_BODY ? `${lines.slice(0, LONGEST_BODY)}…` : lines
}

/** The headers of the newest attempt, without those of signatures and times. */
const headers = ({ id, sequence }: EventDetail, newest: AttemptRow | undefined): Markup =>
  facts([
    ['content-type', 'application/json'],
    ['user-agent', 'Bursar'],
    [notificationHeaders.webhookId, html`<span class="hash">${id}</span>`],
    [notificationHeaders.eventSequence, String(sequence)],
    newest && [notificationHeaders.deliveryAttempt, String(newest.attempt)],
  ])

const attemptsPanel = (texts: WebhookWords, attempts: readonly AttemptRow[]): Markup =>
  html`<section class="panel"><h2>${texts.attempts}</h2>${
    attempts.length === 0 ? html`<p>${texts.noAttempts}</p>` : attemptTable(texts, texts.attempts, attempts)
  }<p class="soft">${texts.attemptsText}</p></section>`
