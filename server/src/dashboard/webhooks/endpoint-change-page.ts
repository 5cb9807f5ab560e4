import { html, type Markup, type Piece } from '@bursar/checkout/html'
import { ICONS } from '@bursar/checkout/icons'
import { note } from '@bursar/checkout/parts'
import type { AdditionalEndpoint } from '../../merchants/webhooks/index.ts'
import {
  changeEndpointOf,
  EndpointProblem,
  ProofNeeded,
  removeEndpointOf,
  rotateEndpointOf,
  shownChoices,
  type Session,
} from '../../people/access/index.ts'
import { hidden, draftOf, linkTo, merchantPath, provePanel, redirect, toSignIn } from '../../people/pages/index.ts'
import type { PageAnswer } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { lostPage, merchantPage, type Scope, type Submitted } from '../frame/index.ts'
import { ENDPOINTS, type WebhookPagesDeps } from './deps.ts'
import { endpointIn } from './endpoint-page.ts'
import {
  endpointFields,
  endpointDraft,
  problemsOf,
  secretPage,
  typedIn,
  typedOf,
  type TypedEndpoint,
} from './endpoints-page.ts'
import { ENDPOINT_WORDS } from './words/endpoints.ts'
import { WEBHOOK_WORDS } from './words/index.ts'

interface Shown {
  typed: TypedEndpoint & { isOn: boolean }
  isTyped: boolean
  problem?: string
  status?: number
}

/** The forms that change an additional endpoint, replace its secret, and remove it. */
export const changeEndpointPage =
  (deps: WebhookPagesDeps) =>
  async (scope: Scope): Promise<PageAnswer> => {
    const { session } = scope.visit
    if (!session) return toSignIn(scope.visit)
    const endpoint = await endpointIn(deps, scope)
    if (endpoint === undefined) return lostPage(scope.visit, scope.words)
    const draft = draftOf(deps, session, scope.request)
    const isTyped = Object.keys(draft).some((name) => name.startsWith('endpoint-'))
    const typed = isTyped
      ? { ...typedIn((name) => draft[name] ?? ''), isOn: draft['endpoint-on'] === '1' }
      : { ...typedOf(endpoint), isOn: endpoint.isOn }
    return pageWith(deps, scope, session, endpoint, { typed, isTyped })
  }

/** Changes an endpoint, replaces its secret, or removes it. */
export const changeOne =
  (deps: WebhookPagesDeps) =>
  async ({ scope, session, fields }: Submitted): Promise<PageAnswer> => {
    const { visit, words, merchantId, language } = scope
    const endpoint = await endpointIn(deps, scope)
    if (endpoint === undefined) return lostPage(visit, words)
    const { id } = endpoint
    const isChange = fields('do') === 'change'
    const typed = isChange
      ? { ...typedIn((name) => fields(name, 'whole')), isOn: fields('endpoint-on') === '1' }
      : { ...typedOf(endpoint), isOn: endpoint.isOn }
    const failed = (problem: string, status: number): Promise<PageAnswer> =>
      pageWith(deps, scope, session, endpoint, { typed, isTyped: isChange, problem, status })
    try {
      if (isChange) {
        const asked = { ...typed, merchantId, id, shown: fields('shown', 'whole') }
        await inTransaction(deps.db, (tx) => changeEndpointOf(tx, session, asked, visit.now))
        return redirect(linkTo(visit, merchantPath(merchantId, `${ENDPOINTS}/${id}`), { said: 'changed' }))
      }
      if (fields('do') === 'replace' && isUuid(fields('form'))) {
        const asked = { merchantId, id, form: fields('form'), after: fields('after') }
        const secret = await inTransaction(deps.db, (tx) => rotateEndpointOf(tx, session, asked, deps, visit.now))
        return secretPage(scope, id, secret)
      }
      if (fields('do') === 'remove') {
        await inTransaction(deps.db, (tx) => removeEndpointOf(tx, session, { merchantId, id }, visit.now))
        return redirect(linkTo(visit, merchantPath(merchantId, ENDPOINTS), { said: 'removed' }))
      }
      return lostPage(visit, words)
    } catch (error) {
      if (error instanceof ProofNeeded) return failed(WEBHOOK_WORDS[language].proveFirst, 403)
      if (error instanceof EndpointProblem) return failed(problemsOf(scope, error), 400)
      throw error
    }
  }

const pageWith = async (
  deps: WebhookPagesDeps,
  scope: Scope,
  session: Session,
  endpoint: AdditionalEndpoint,
  { typed, isTyped, problem, status = 200 }: Shown,
): Promise<PageAnswer> => {
  const { visit, merchantId, language } = scope
  const texts = ENDPOINT_WORDS[language]
  const path = merchantPath(merchantId, `${ENDPOINTS}/${endpoint.id}/change`)
  const draft = isTyped ? { ...endpointDraft(typed), 'endpoint-on': typed.isOn ? '1' : '0' } : {}
  return merchantPage(scope, {
    title: texts.change,
    part: 'webhooks',
    isProving: !session.isProved,
    status,
    actions: html`<a href="${linkTo(visit, merchantPath(merchantId, `${ENDPOINTS}/${endpoint.id}`))}">${texts.endpoint}</a>`,
    sections: [
      problem !== undefined && html`<div role="alert">${note('bad', ICONS.alert, problem)}</div>`,
      await provePanel(deps, { ...visit, session }, { next: path, draft }),
      changeForm(scope, path, endpoint, typed),
      smallForm(
        scope,
        path,
        'replace',
        html`${hidden('form', deps.runtime.newId())}${hidden('after', endpoint.rotationId ?? '')}`,
      ),
      smallForm(scope, path, 'remove', false),
    ],
  })
}

const changeForm = (scope: Scope, path: string, endpoint: AdditionalEndpoint, typed: Shown['typed']): Markup => {
  const texts = ENDPOINT_WORDS[scope.language]
  return html`<form method="post" action="${linkTo(scope.visit, path)}" class="panel">${hidden('do', 'change')}${hidden('shown', shownChoices(endpoint))}
${endpointFields(scope, typed)}
<label class="check"><input type="checkbox" name="endpoint-on" value="1"${typed.isOn && html` checked`}><span>${texts.isOn}</span></label><p class="soft">${texts.offText}</p>
<div class="pager"><button>${texts.save}</button></div></form>`
}

/** @param named names the form, and the secret that it replaces */
const smallForm = ({ visit, language }: Scope, path: string, does: 'replace' | 'remove', named: Piece): Markup => {
  const texts = ENDPOINT_WORDS[language]
  return html`<form method="post" action="${linkTo(visit, path)}" class="panel">${hidden('do', does)}${named}<p>${does === 'replace' ? texts.replaceText : texts.removeText}</p><div class="pager"><button class="second">${does === 'replace' ? texts.replace : texts.remove}</button></div></form>`
}
