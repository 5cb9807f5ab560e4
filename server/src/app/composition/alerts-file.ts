import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import {
  createAlertmanagerReceiver,
  createMailReceiver,
  createWebhookReceiver,
  type AlertReceiver,
} from '../../adapters/alert-receivers/index.ts'
import type { MailFrom, MailSender } from '../../adapters/mail/port.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'
import { httpUrl, readSecret, secretFile, whole } from '../../platform/config/fields.ts'
import { readShape, withRule } from '../../platform/config/shape.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const REPEAT_HOURS = 24
const WAIT_MINUTES = 10

/** `BURSAR_ALERTS_FILE` */
export const ALERTS_SHAPE = withRule(
  Type.Object(
    {
      mail: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: 20,
          description: 'mail addresses of people; needs the mail server of `BURSAR_SMTP_URL`',
        }),
      ),
      webhooks: Type.Optional(
        Type.Array(
          Type.Object({
            url: httpUrl('the address to which alerts are posted as JSON'),
            secretFile: Type.Optional(
              secretFile('a file with a secret, `whsec_` and base64: requests are signed as Standard Webhooks'),
            ),
          }),
          { maxItems: 10, description: 'programs that get alerts' },
        ),
      ),
      alertmanager: Type.Optional(
        Type.Array(httpUrl('the address of Alertmanager, without `/api/v2/alerts`'), {
          maxItems: 10,
          description: 'each instance of Prometheus Alertmanager',
        }),
      ),
      repeatHours: Type.Optional(
        whole('an open alert is sent again after this time, not to Alertmanager', {
          least: 1,
          standard: REPEAT_HOURS,
          unit: 'hours',
        }),
      ),
      warningsAfterMinutes: Type.Optional(
        whole('a warning is sent when it has been open for this time; a critical alert is sent at once', {
          standard: WAIT_MINUTES,
          unit: 'minutes',
        }),
      ),
    },
    { description: 'the people and systems that get alerts' },
  ),
  ({ mail = [], webhooks = [], alertmanager = [] }, note) => {
    for (const [i, address] of mail.entries())
      if (mailAddress(address) === undefined) note('it is not a mail address', 'mail', i)
    for (const list of [webhooks.map(({ url }) => url), alertmanager])
      if (new Set(list).size < list.length) note('two of one kind have the same address')
  },
)

export type AlertsFile = Static<typeof ALERTS_SHAPE>

/** Reads the file. Throws a ShapeError that lists everything wrong. */
export const readAlertsFile = (json: unknown): AlertsFile => readShape(ALERTS_SHAPE, json)

/** A receiver with its times, in ms. */
export interface TimedReceiver {
  receiver: AlertReceiver
  repeatMs: number
  waitMs: number
  causesOnly: boolean
}

/** @param mail the mail server of the installation; null if there is none */
export const createReceivers = (
  { mail = [], webhooks = [], alertmanager = [], ...times }: AlertsFile,
  mailing: { sender: Pick<MailSender, 'send'>; from: MailFrom; newId(): string } | null,
): TimedReceiver[] => {
  const repeatMs = Number(times.repeatHours ?? REPEAT_HOURS) * HOUR_MS
  const waitMs = Number(times.warningsAfterMinutes ?? WAIT_MINUTES) * MINUTE_MS
  const timed = (receiver: AlertReceiver): TimedReceiver => ({ receiver, repeatMs, waitMs, causesOnly: true })
  return [
    ...(mailing ? mail.map((to) => timed(createMailReceiver(mailing.sender, { ...mailing, to }))) : []),
    ...webhooks.map(({ url, secretFile: file }, at) => {
      const secret = file === undefined ? null : readSecret(file)
      const named = nameAmong(
        webhooks.map((one) => one.url),
        at,
      )
      return timed(createWebhookReceiver({ url, name: named, secret }))
    }),
    // Alertmanager waits, repeats and inhibits by its own settings, and forgets an alert that is not posted for five
    // minutes.
    ...alertmanager.map((url, at) => {
      const receiver = createAlertmanagerReceiver(url, nameAmong(alertmanager, at))
      return { receiver, repeatMs: MINUTE_MS, waitMs: 0, causesOnly: false }
    }),
  ]
}

/**
 * Names an address by host and port. The path may contain a token, so addresses of one host are distinguished by
 * the start of their hash, which does not change when others are added or removed.
 */
const nameAmong = (urls: readonly string[], at: number): string => {
  const [url, hosts] = [urls[at]!, urls.map((one) => new URL(one).host)]
  const { host } = new URL(url)
  if (hosts.filter((one) => one === host).length === 1) return host
  return `${host} ${createHash('sha256').update(url).digest('hex').slice(0, 8)}`
}
