/**
 * The pages of a merchant's webhooks: the endpoint and its health, the list of notifications, and each notification
 * with its attempts. Guarantees:
 * - a page of the list needs a bounded number of rows, however many notifications there are;
 * - they show no secret and no signature;
 * - a notification is sent again once for each state of it that was shown.
 */
import type { PageRoute } from '../../platform/api/page.ts'
import { memberForm, memberPage } from '../frame/index.ts'
import { ONE, WEBHOOKS, type WebhookPagesDeps } from './deps.ts'
import { notificationPage, sendAgain } from './event-page.ts'
import { sendWaiting, webhooksPage } from './list-page.ts'

export const webhookPages = (deps: WebhookPagesDeps): PageRoute[] => [
  memberPage(deps, WEBHOOKS, 'see-webhooks', webhooksPage(deps)),
  memberForm(deps, WEBHOOKS, 'see-webhooks', sendWaiting(deps)),
  memberPage(deps, ONE, 'see-webhooks', notificationPage(deps)),
  memberForm(deps, ONE, 'see-webhooks', sendAgain(deps)),
]
