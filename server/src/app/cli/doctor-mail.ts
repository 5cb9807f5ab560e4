import { createSmtpSender } from '../../adapters/mail/smtp.ts'
import { mailState } from '../../merchants/mail/index.ts'
import type { Report } from './doctor-acquirers.ts'
import type { Opened } from '../installation/open.ts'

const LONGEST_WAIT_MS = 15 * 60_000

/** Reports whether mail is sent, the mail server accepts us, and messages wait. */
export const reportMail = async (
  { config, runtime }: Pick<Opened, 'config' | 'runtime'>,
  report: Report,
): Promise<void> => {
  const { sends, waiting, oldest, failedLately } = await mailState(runtime.db)
  const { smtp, smtpPassword, smtpCa, mailFrom } = config
  if (smtp === null) {
    report(
      !sends,
      sends
        ? 'mail: a worker sends it, but this command has no BURSAR_SMTP_URL'
        : 'mail: BURSAR_SMTP_URL is not set, so none is written or sent',
    )
  } else {
    const sender = createSmtpSender({ ...smtp, password: smtpPassword, ca: smtpCa })
    try {
      await sender.check()
      report(
        sends,
        `mail: ${smtp.host}:${smtp.port} accepts mail from ${mailFrom?.address}${sends ? '' : ', but no worker was started with BURSAR_SMTP_URL'}`,
      )
    } catch (error) {
      report(false, `mail: ${smtp.host}:${smtp.port}: ${(error as Error).message}`)
    } finally {
      sender.close()
    }
  }
  const age = oldest === null ? 0 : runtime.clock.business() - oldest.getTime()
  report(
    age < LONGEST_WAIT_MS,
    `mail: ${waiting} waiting${oldest === null ? '' : `, the oldest for ${Math.round(age / 60_000)} min`}, ${failedLately} failed in 90 days`,
  )
}
