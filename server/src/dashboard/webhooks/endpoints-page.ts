import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import { settingsOf } from '../../merchants/accounts/index.ts'
import { showText } from '../../merchants/documents/index.ts'
import {
  listEndpoints,
  NOTIFICATION_KINDS,
  waitingAt,
  type AdditionalEndpoint,
  type EndpointChoices,
} from '../../merchants/webhooks/index.ts'
import { createEndpoint, EndpointProblem, mayRole, ProofNeeded } from '../../people/access/index.ts'
import { hidden, input, draftOf, linkTo, merchantPath, provePanel, toSignIn } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, merchantPage, table, type Scope, type Submitted } from '../frame/index.ts'
import { ENDPOINTS, NEW_ENDPOINT, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { counted } from './said.ts'
import { ENDPOINT_WORDS } from './words/endpoints.ts'
import { WEBHOOK_WORDS } from './words/index.ts'

const LONGEST_URL = 300

/** The endpoints of a merchant: the first one, and the additional ones with what waits for each. */
export const endpointsPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { visit, merchantId, language, role, request } = scope
    const [texts, words] = [ENDPOINT_WORDS[language], WEBHOOK_WORDS[language]]
    const { notificationsUrl } = await settingsOf(deps.db, merchantId)
    const endpoints = await listEndpoints(deps.db, merchantId)
    const waiting = await waitingAt(
      deps.db,
      endpoints.map(({ id }) => id),
    )
    const first: Piece[] = [
      html`<a href="${linkTo(visit, merchantPath(merchantId, WEBHOOKS))}">${texts.first}</a><br><span class="soft hash">${foreign(showText(notificationsUrl ?? words.noUrl, LONGEST_URL))}</span>`,
      texts.firstText,
      '',
      '',
    ]
    const rows = endpoints.map((one): Piece[] => {
      const { waiting: count, failing } = waiting.get(one.id) ?? { waiting: 0, failing: 0 }
      return [
        html`<a href="${linkTo(visit, merchantPath(merchantId, `${ENDPOINTS}/${one.id}`))}">${foreign(nameOf(one))}</a><br><span class="soft hash">${foreign(showText(one.url, LONGEST_URL))}</span>`,
        one.kinds === null ? texts.all : foreign(one.kinds.join(', ')),
        one.isOn ? texts.on : texts.off,
        words.waitingCount(counted(count), counted(failing)),
      ]
    })
    const columns = [
      { title: texts.endpoint },
      { title: texts.kinds, isFar: true },
      { title: texts.state },
      { title: words.waiting, isFar: true },
    ]
    return merchantPage(scope, {
      title: texts.title,
      part: 'webhooks',
      actions: html`<a href="${linkTo(visit, merchantPath(merchantId, WEBHOOKS))}">${words.back}</a>`,
      sections: [
        request.query['said'] === 'removed' &&
          html`<div role="status">${note('good', ICONS.check, texts.removed)}</div>`,
        html`<section class="panel"><p>${texts.intro}</p>${endpoints.length === 0 && html`<p>${texts.none}</p>`}${
          mayRole(role, 'manage-webhooks') &&
          html`<p><a class="button" href="${linkTo(visit, merchantPath(merchantId, NEW_ENDPOINT))}">${texts.add}</a></p>`
        }</section>`,
        table(texts.title, columns, [first, ...rows]),
      ],
    })
  }

/** An endpoint as a page names it. */
export const nameOf = ({ description, url }: Pick<AdditionalEndpoint, 'description' | 'url'>): string =>
  showText(description === '' ? url : description, LONGEST_URL)

/** The fields of a form of an endpoint, as typed. */
export interface TypedEndpoint {
  url: string
  description: string
  /** null: all */
  kinds: readonly string[] | null
}

/** The names of the fields carry a prefix, because a page of a proof carries them with its own. */
export const typedIn = (fields: (name: string) => string): TypedEndpoint => ({
  url: fields('endpoint-url'),
  description: fields('endpoint-description'),
  kinds: fields('endpoint-all') === '' ? NOTIFICATION_KINDS.filter((kind) => fields(`endpoint-${kind}`) !== '') : null,
})

/** Typed fields for the page of a proof. */
export const endpointDraft = ({ url, description, kinds }: TypedEndpoint): Record<string, string> => ({
  'endpoint-url': url,
  'endpoint-description': description,
  ...(kinds === null
    ? { 'endpoint-all': '1' }
    : Object.fromEntries(kinds.map((kind) => [`endpoint-${kind}`, '1'] as const))),
})

/** The fields of an endpoint: URL, description and kinds. */
export const endpointFields = ({ language }: Scope, { url, description, kinds }: TypedEndpoint): Markup => {
  const [texts, words] = [ENDPOINT_WORDS[language], WEBHOOK_WORDS[language]]
  const box = (name: string, label: string, isChosen: boolean): Markup =>
    html`<label class="check"><input type="checkbox" name="${name}" value="1"${isChosen && html` checked`}><span>${label}</span></label>`
  return html`${input({ name: 'endpoint-url', label: words.url, value: url, autocomplete: 'off', inputmode: 'url' })}
${input({ name: 'endpoint-description', label: texts.description, hint: texts.descriptionHint, value: description, autocomplete: 'off', isNeeded: false })}
<fieldset><legend class="name">${texts.kinds}</legend>${box('endpoint-all', texts.all, kinds === null)}${NOTIFICATION_KINDS.map((kind) => box(`endpoint-${kind}`, kind, kinds?.includes(kind) ?? false))}</fieldset>`
}

/** Every problem of a form in words. */
export const problemsOf = ({ language }: Scope, { troubles }: EndpointProblem): string =>
  troubles.map((trouble) => ENDPOINT_WORDS[language].troubles[trouble]).join(' ')

/** Shows a secret, which the database has only encrypted. */
export const secretPage = (scope: Scope, id: string, secret: string): PageAnswer => {
  const { visit, merchantId, language } = scope
  const texts = ENDPOINT_WORDS[language]
  return merchantPage(scope, {
    title: texts.secretTitle,
    part: 'webhooks',
    sections: [
      html`<section class="panel"><p>${texts.secretText}</p><p>${texts.secret}<br><span class="address">${foreign(secret)}</span></p><a class="button" href="${linkTo(visit, merchantPath(merchantId, `${ENDPOINTS}/${id}`))}">${texts.stored}</a></section>`,
    ],
  })
}

const PROPOSED: TypedEndpoint = { url: '', description: '', kinds: null }

/** The form that adds an endpoint. */
export const newEndpointPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { session } = scope.visit
    if (!session) return toSignIn(scope.visit)
    const draft = draftOf(deps, session, scope.request)
    const isTyped = Object.keys(draft).some((name) => name.startsWith('endpoint-'))
    return newPage(deps, scope, { typed: isTyped ? typedIn((name) => draft[name] ?? '') : PROPOSED })
  }

/** Adds an endpoint, and shows its secret in this answer only. */
export const addOne =
  (deps: WebhookPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, words, merchantId, language } = scope
    const id = fields('form')
    if (!isUuid(id)) return lostPage(visit, words)
    const typed = typedIn((name) => fields(name, 'whole'))
    try {
      const asked = { ...typed, merchantId, id }
      const secret = await inTransaction(deps.db, (tx) => createEndpoint(tx, session, asked, deps, visit.now))
      return secretPage(scope, id, secret)
    } catch (error) {
      if (error instanceof ProofNeeded)
        return newPage(deps, scope, { typed, problem: WEBHOOK_WORDS[language].proveFirst, status: 403 })
      if (error instanceof EndpointProblem)
        return newPage(deps, scope, { typed, problem: problemsOf(scope, error), status: 400 })
      throw error
    }
  }

const newPage = async (
  deps: WebhookPagesDeps,
  scope: Scope,
  { typed, problem, status = 200 }: { typed: TypedEndpoint; problem?: string; status?: number },
): Promise<PageAnswer> => {
  const { visit, merchantId, language } = scope
  const { session } = visit
  if (!session) return toSignIn(visit)
  const texts = ENDPOINT_WORDS[language]
  const path = merchantPath(merchantId, NEW_ENDPOINT)
  return merchantPage(scope, {
    title: texts.add,
    part: 'webhooks',
    isProving: !session.isProved,
    status,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, ENDPOINTS))}">${texts.back}</a>`,
    sections: [
      problem !== undefined && html`<div role="alert">${note('bad', ICONS.alert, problem)}</div>`,
      await provePanel(
        deps,
        { ...visit, session },
        { next: path, draft: typed === PROPOSED ? {} : endpointDraft(typed) },
      ),
      html`<form method="post" action="${linkTo(visit, path)}" class="panel">${hidden('form', deps.runtime.newId())}<p>${texts.addText}</p>
${endpointFields(scope, typed)}
<div class="pager"><button>${texts.create}</button></div></form>`,
    ],
  })
}

/** The choices of an endpoint as its form shows them. */
export const typedOf = ({ url, description, kinds }: EndpointChoices): TypedEndpoint => ({ url, description, kinds })
