/**
 * The pages of a merchant's webhooks: the endpoint with its health, its URL and tests of it, additional
 * endpoints, the list of notifications, and each notification with its attempts. Guarantees:
 * - a page of the list needs a bounded number of rows, however many notifications there are;
 * - they show no signature, and a secret only in the answer that has made it;
 * - a notification is sent again once for each state of it that was shown.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import {
  CHANGE_ENDPOINT,
  CHANGE_URL,
  ENDPOINTS,
  NEW_ENDPOINT,
  ONE,
  ONE_ENDPOINT,
  WEBHOOKS,
  type WebhookPagesDeps,
} from './deps.ts'
import { changeEndpointPage, changeOne } from './endpoint-change-page.ts'
import { endpointPage, useEndpoint } from './endpoint-page.ts'
import { addOne, endpointsPage, newEndpointPage } from './endpoints-page.ts'
import { notificationPage, sendAgain } from './event-page.ts'
import { changeDelivery, webhooksPage } from './list-page.ts'
import { saveUrl, urlPage } from './url-page.ts'

export const webhookPages = (deps: WebhookPagesDeps): PageRoute[] => [
  memberPage(deps, WEBHOOKS, 'see-webhooks', webhooksPage(deps)),
  memberForm(deps, WEBHOOKS, 'see-webhooks', changeDelivery(deps)),
  memberPage(deps, CHANGE_URL, 'manage-webhooks', urlPage(deps)),
  memberForm(deps, CHANGE_URL, 'manage-webhooks', saveUrl(deps)),
  memberPage(deps, ENDPOINTS, 'see-webhooks', endpointsPage(deps)),
  memberPage(deps, NEW_ENDPOINT, 'manage-webhooks', newEndpointPage(deps)),
  memberForm(deps, NEW_ENDPOINT, 'manage-webhooks', addOne(deps)),
  memberPage(deps, ONE_ENDPOINT, 'see-webhooks', endpointPage(deps)),
  memberForm(deps, ONE_ENDPOINT, 'see-webhooks', useEndpoint(deps)),
  memberPage(deps, CHANGE_ENDPOINT, 'manage-webhooks', changeEndpointPage(deps)),
  memberForm(deps, CHANGE_ENDPOINT, 'manage-webhooks', changeOne(deps)),
  memberPage(deps, ONE, 'see-webhooks', notificationPage(deps)),
  memberForm(deps, ONE, 'see-webhooks', sendAgain(deps)),
]
