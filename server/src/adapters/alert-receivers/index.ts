/**
 * Receivers of alerts outside: mail boxes, a webhook, Prometheus Alertmanager. Each sends a list of notices in one
 * request, or throws an Error with one line that has no secret.
 */
import { createHmac } from 'node:crypto'
import { standardWebhookMessage } from '@bursar/contract'
import { request } from 'undici'
import { splitLogin } from '../../platform/base/url-login.ts'
import { describeConnectionError } from '../connection-errors.ts'
import type { MailFrom, MailSender } from '../mail/port.ts'
import { mailOf } from './mail-text.ts'
import type { AlertReceiver } from './port.ts'

export type { AlertReceiver, ReceivedAlert } from './port.ts'

const TIMEOUT_MS = 10_000
/** Time after which Alertmanager regards an alert as ended that is not posted again. */
const ALERTMANAGER_ENDS_MS = 5 * 60_000

export const createMailReceiver = (
  sender: Pick<MailSender, 'send'>,
  { from, to, newId }: { from: MailFrom; to: string; newId(): string },
): AlertReceiver => ({
  name: `mail ${to}`,
  send: async (alerts, at) => {
    const outcome = await sender.send({
      id: newId(),
      from,
      to,
      language: 'en',
      ...mailOf(alerts),
      attachments: [],
      date: at.getTime(),
    })
    if (outcome.kind !== 'accepted') throw new Error(outcome.reason)
  },
})

/**
 * Posts `{ "alerts": [...] }`. With a secret, the request has the headers of Standard Webhooks.
 * @param name unique among webhooks, without secrets
 * @param secret `whsec_` and base64, or null
 */
export const createWebhookReceiver = ({
  url,
  name,
  secret,
}: {
  url: string
  name: string
  secret: string | null
}): AlertReceiver => ({
  name: `webhook ${name}`,
  send: async (alerts, at) => {
    const body = JSON.stringify({ alerts })
    const id = `alerts_${at.getTime()}`
    await post(url, body, secret === null ? {} : signatureOf(secret, id, at, body))
  },
})

/**
 * Posts to `/api/v2/alerts` (Alertmanager's `api/v2/openapi.yaml`, `postableAlerts`). It has to be called again within
 * five minutes for as long as an alert is open.
 * @param url of Alertmanager, without the path of its API
 * @param name unique among instances, without secrets
 */
export const createAlertmanagerReceiver = (url: string, name: string): AlertReceiver => ({
  name: `alertmanager ${name}`,
  send: async (alerts, at) => {
    const posted = alerts.map(({ id, kind, severity, subject, text, page, raisedAt, endedAt }) => ({
      labels: { alertname: kind, severity, subject, job: 'bursar' },
      annotations: { summary: text, id, ...(page !== null && { page }) },
      startsAt: raisedAt.toISOString(),
      endsAt: (endedAt ?? new Date(at.getTime() + ALERTMANAGER_ENDS_MS)).toISOString(),
    }))
    await post(`${url.replace(/\/+$/, '')}/api/v2/alerts`, JSON.stringify(posted), {})
  },
})

const signatureOf = (secret: string, id: string, at: Date, body: string): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const mac = createHmac('sha256', key)
  for (const part of standardWebhookMessage(id, timestamp, body)) mac.update(part)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac.digest('base64')}`,
  }
}

const post = async (url: string, body: string, headers: Record<string, string>): Promise<void> => {
  try {
    const { url: place, headers: login } = splitLogin(url)
    const answer = await request(place, {
      method: 'POST',
      headers: { ...login, 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await answer.body.dump()
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new StatusRefused(answer.statusCode)
  } catch (error) {
    if (error instanceof StatusRefused) throw error
    // The message of another error may quote the URL, which may contain a token.
    throw new Error(describeConnectionError(error), { cause: error })
  }
}

class StatusRefused extends Error {
  constructor(status: number) {
    super(`HTTP ${status}`)
  }
}
