import { foreign, html, type Markup } from '@bursar/checkout/html'
import { facts } from '@bursar/checkout/parts'
import { showText, showTime } from '../../merchants/documents/index.ts'
import { newestTest, type TestNotification } from '../../merchants/webhooks/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import { isUuid } from '../../platform/base/id.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, type Scope, type Submitted } from '../frame/index.ts'
import { sendTest } from './commands.ts'
import { ENDPOINTS, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { WEBHOOK_WORDS } from './words/index.ts'

const LONGEST_ANSWER = 1_000

/** The newest test with its answer, and the form that sends another one. */
export const testPanel = async (
  deps: WebhookPagesDeps,
  scope: Scope,
  { hasUrl, endpointId }: { hasUrl: boolean; endpointId: string | null },
): Promise<Markup> => {
  const { visit, role, language, merchantId } = scope
  const texts = WEBHOOK_WORDS[language]
  const test = await newestTest(deps.db, merchantId, endpointId)
  const form =
    hasUrl &&
    mayRole(role, 'replay-webhooks') &&
    html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('do', 'test')}${hidden('id', deps.runtime.newId())}<button class="second">${texts.sendTest}</button></form>`
  return html`<section class="panel"><h2>${texts.test}</h2><p class="soft">${texts.testText}</p>${
    test === undefined ? html`<p>${texts.testNone}</p>` : resultOf(scope, test)
  }${form}</section>`
}

const resultOf = ({ visit, language }: Scope, test: TestNotification): Markup => {
  const texts = WEBHOOK_WORDS[language]
  const { state, askedAt, sentAt, status, answer, durationMs } = test
  if (state !== 'sent')
    return html`<p>${showTime(askedAt.getTime())}: ${state === 'waiting' ? texts.testWaiting : texts.testUnsent}</p>${
      state === 'waiting' && html`<a href="${linkTo(visit, visit.path)}">${texts.reload}</a>`
    }`
  const said = showText(answer ?? '', LONGEST_ANSWER)
  return facts([
    [texts.sent, showTime(sentAt!.getTime())],
    [
      texts.answer,
      html`${status ?? texts.noAnswer}${status !== null && status >= 200 && status < 300 && html`: ${texts.accepted}`}${said !== '' && html`<br><span class="soft">${foreign(said)}</span>`}`,
    ],
    [texts.duration, texts.milliseconds(durationMs ?? 0)],
  ])
}

/** Sends a test. @param endpointId an additional endpoint; null: that of the settings */
export const submitTest =
  (deps: WebhookPagesDeps, endpointId: string | null = null) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, words, merchantId } = scope
    const id = fields('id')
    if (!isUuid(id)) return lostPage(visit, words)
    const asked = await inTransaction(deps.db, (tx) => sendTest(tx, session, { merchantId, id, endpointId }, visit.now))
    const said = asked === 'limited' ? 'test-limited' : asked === 'no-url' ? 'test-no-url' : 'test'
    const back = endpointId === null ? WEBHOOKS : `${ENDPOINTS}/${endpointId}`
    return redirect(linkTo(visit, merchantPath(merchantId, back), { said }))
  }
