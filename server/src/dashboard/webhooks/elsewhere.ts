import { foreign, html, type Markup } from '@bursar/checkout/html'
import { facts } from '@bursar/checkout/parts'
import { showTime } from '../../merchants/documents/index.ts'
import {
  attemptsAtEndpoints,
  endpointDeliveries,
  listEndpoints,
  type AdditionalEndpoint,
  type EndpointDelivery,
  type EventDetail,
} from '../../merchants/webhooks/index.ts'
import { mayRole } from '../../people/access/index.ts'
import { hidden, linkTo, merchantPath } from '../../people/pages/index.ts'
import type { Scope } from '../frame/index.ts'
import { ENDPOINTS, type WebhookPagesDeps } from './deps.ts'
import { nameOf } from './endpoints-page.ts'
import { attemptTable, stateTag } from './pieces.ts'
import { ENDPOINT_WORDS } from './words/endpoints.ts'
import { WEBHOOK_WORDS } from './words/index.ts'

/** How a notification stands at each additional endpoint, with its attempts there, and forms that send it again. */
export const elsewherePanels = async (deps: WebhookPagesDeps, scope: Scope, event: EventDetail): Promise<Markup[]> => {
  const endpoints = await listEndpoints(deps.db, scope.merchantId)
  if (endpoints.length === 0) return []
  const ids = endpoints.map(({ id }) => id)
  const deliveries = new Map((await endpointDeliveries(deps.db, ids, event)).map((one) => [one.endpointId, one]))
  const attempts = await attemptsAtEndpoints(deps.db, ids, event.sequence)
  return endpoints.map((endpoint) =>
    panel(
      scope,
      endpoint,
      deliveries.get(endpoint.id)!,
      attempts.filter(({ endpointId }) => endpointId === endpoint.id),
    ),
  )
}

const panel = (
  { visit, role, language, merchantId }: Scope,
  endpoint: AdditionalEndpoint,
  { state, nextAt, lastEpoch }: EndpointDelivery,
  attempts: Awaited<ReturnType<typeof attemptsAtEndpoints>>,
): Markup => {
  const [texts, common] = [ENDPOINT_WORDS[language], WEBHOOK_WORDS[language]]
  const name = nameOf(endpoint)
  return html`<section class="panel"><h2><a href="${linkTo(visit, merchantPath(merchantId, `${ENDPOINTS}/${endpoint.id}`))}">${foreign(name)}</a></h2>${facts(
    [
      [common.state, state === 'unsent' ? texts.unsent : stateTag(state, common)],
      nextAt === null ? undefined : [common.nextAttempt, showTime(nextAt.getTime())],
    ],
  )}${attempts.length > 0 && attemptTable(common, `${common.attempts}: ${name}`, attempts)}${
    mayRole(role, 'replay-webhooks') &&
    html`<form method="post" action="${linkTo(visit, visit.path)}">${hidden('seen', String(lastEpoch))}${hidden('endpoint', endpoint.id)}<p class="soft">${texts.sendText}</p><button class="second" aria-label="${common.replay}: ${name}">${common.replay}</button></form>`
  }</section>`
}
