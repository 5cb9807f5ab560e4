import { createSmtpSender } from '../../adapters/mail/smtp.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createReceivers, type AlertsFile, type TimedReceiver } from '../composition/alerts-file.ts'
import type { MailSettings } from '../composition/mailing.ts'

export interface OpenReceivers {
  receivers: TimedReceiver[]
  close(): void
}

/** Opens the receivers of the alerts file; none without the file, and no mail without a mail server. */
export const openReceivers = (
  { newId }: Pick<Runtime, 'newId'>,
  { alerts, smtp, smtpPassword, smtpCa, mailFrom }: MailSettings & { alerts: AlertsFile | null },
): OpenReceivers => {
  if (alerts === null) return { receivers: [], close: () => {} }
  const sender =
    smtp === null || mailFrom === null || (alerts.mail ?? []).length === 0
      ? null
      : createSmtpSender({ ...smtp, password: smtpPassword, ca: smtpCa })
  return {
    receivers: createReceivers(alerts, sender && { sender, from: mailFrom!, newId }),
    close: () => sender?.close(),
  }
}
