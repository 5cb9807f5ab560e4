import { html, type Markup } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { ProofNeeded, type Session } from '../../people/access/index.ts'
import {
  hidden,
  input,
  draftOf,
  linkTo,
  merchantPath,
  provePanel,
  redirect,
  toSignIn,
} from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { changeUrl, type ChangedUrl } from './commands.ts'
import { CHANGE_URL, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { WEBHOOK_WORDS } from './words/index.ts'

interface Shown {
  /** the URL in the form */
  typed: string
  /** the problem of the last action */
  problem?: string
  status?: number
}

/** The form of the URL to which notifications are sent. */
export const urlPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const url = (await settingsOf(deps.db, scope.merchantId)).notificationsUrl ?? ''
    const { session } = scope.visit
    if (!session) return toSignIn(scope.visit)
    const typed = draftOf(deps, session, scope.request)['webhook-url'] ?? url
    return pageWith(deps, scope, session, url, { typed })
  }

/** Changes the URL. */
export const saveUrl =
  (deps: WebhookPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId, language } = scope
    const texts = WEBHOOK_WORDS[language]
    const isClearing = fields('do') === 'clear'
    const typed = isClearing ? '' : fields('webhook-url', 'whole')
    const failed = async (problem: string, status: number): Promise<PageAnswer> => {
      const now = (await settingsOf(deps.db, merchantId)).notificationsUrl ?? ''
      return pageWith(deps, scope, session, now, { typed, problem, status })
    }
    const problems: Record<Exclude<ChangedUrl, 'saved'>, string> = {
      unchanged: texts.unchanged,
      changed: texts.changedElsewhere,
      wrong: texts.urlWrong,
    }
    // Only the other button ends the notifications.
    if (typed.trim() === '' && !isClearing) return failed(texts.urlWrong, 400)
    try {
      const given = { merchantId, url: typed, shown: fields('shown') }
      const changed = await inTransaction(deps.db, (tx) => changeUrl(tx, session, given, visit.now))
      if (changed !== 'saved') return await failed(problems[changed], 400)
    } catch (error) {
      if (error instanceof ProofNeeded) return failed(texts.proveFirst, 403)
      throw error
    }
    return redirect(linkTo(visit, merchantPath(merchantId, WEBHOOKS), { said: 'saved' }))
  }

const pageWith = async (
  deps: WebhookPagesDeps,
  scope: Scope,
  session: Session,
  url: string,
  { typed, problem, status = 200 }: Shown,
): Promise<PageAnswer> => {
  const { visit, merchantId, language } = scope
  const texts = WEBHOOK_WORDS[language]
  const path = merchantPath(merchantId, CHANGE_URL)
  const draft: Readonly<Record<string, string>> = typed === url ? {} : { 'webhook-url': typed }
  return merchantPage(scope, {
    title: texts.urlTitle,
    part: 'webhooks',
    isProving: !session.isProved,
    status,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, WEBHOOKS))}">${texts.back}</a>`,
    sections: [
      problem !== undefined && html`<div role="alert">${note('bad', ICONS.alert, problem)}</div>`,
      await provePanel(deps, { ...visit, session }, { next: path, draft }),
      urlForm(scope, url, typed),
    ],
  })
}

const urlForm = ({ visit, merchantId, language }: Scope, url: string, typed: string): Markup => {
  const texts = WEBHOOK_WORDS[language]
  const action = linkTo(visit, merchantPath(merchantId, CHANGE_URL))
  return html`<form method="post" action="${action}" class="panel">${hidden('shown', url)}<p>${texts.urlText}</p>
${input({ name: 'webhook-url', label: texts.url, value: typed, autocomplete: 'off', inputmode: 'url' })}
<div class="pager"><button>${texts.save}</button></div></form>${
    url !== '' &&
    html`<form method="post" action="${action}" class="panel">${hidden('do', 'clear')}${hidden('shown', url)}<p>${texts.clearText}</p><div class="pager"><button class="second">${texts.clear}</button></div></form>`
  }`
}
