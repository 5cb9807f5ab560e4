/**
 * The pages of a merchant's webhooks: the endpoint with its health, its URL and tests of it, the list of notifications,
 * and each notification with its attempts. Guarantees:
 * - a page of the list needs a bounded number of rows, however many notifications there are;
 * - they show no secret and no signature;
 * - a notification is sent again once for each state of it that was shown.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { CHANGE_URL, ONE, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { notificationPage, sendAgain } from './event-page.ts'
import { changeDelivery, webhooksPage } from './list-page.ts'
import { saveUrl, urlPage } from './url-page.ts'

export const webhookPages = (deps: WebhookPagesDeps): PageRoute[] => [
  memberPage(deps, WEBHOOKS, 'see-webhooks', webhooksPage(deps)),
  memberForm(deps, WEBHOOKS, 'see-webhooks', changeDelivery(deps)),
  memberPage(deps, CHANGE_URL, 'manage-webhooks', urlPage(deps)),
  memberForm(deps, CHANGE_URL, 'manage-webhooks', saveUrl(deps)),
  memberPage(deps, ONE, 'see-webhooks', notificationPage(deps)),
  memberForm(deps, ONE, 'see-webhooks', sendAgain(deps)),
]
