import { createStatementMaker } from '../../dashboard/balances/index.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { createSmtpSender } from '../../adapters/mail/smtp.ts'
import { createDocumentMaker, pictureOf } from '../../merchants/documents/index.ts'
import type { Job } from '../../platform/jobs/index.ts'
import { announceSending, createActivityJob, createMailPruneJob, createSendJob } from '../../merchants/mail/index.ts'
import type { PausePoint } from '../../chain/transactions/index.ts'
import { momentOf, type Runtime } from '../../platform/runtime/runtime.ts'
import type { SmtpPlace } from '../../platform/config/setting.ts'

/** The mail server of this installation; null when there is none. */
export interface MailSettings {
  smtp: SmtpPlace | null
  smtpPassword: string | null
  smtpCa: string | null
  mailFrom: { name: string; address: string } | null
}

export interface Mailing {
  jobs: Job[]
  close(): Promise<void>
}

/** Starts a worker's mail jobs. Without a mail server nothing more is queued, and queued messages wait. */
export const startMailing = async (
  { runtime, catalogue }: { runtime: Runtime; catalogue: Catalogue },
  { smtp, smtpPassword, smtpCa, mailFrom }: MailSettings,
  pause: PausePoint,
): Promise<Mailing> => {
  const sends = smtp !== null && mailFrom !== null
  await announceSending(runtime.db, sends, momentOf(runtime).at)
  if (!sends) return { jobs: [createMailPruneJob(runtime)], close: async () => {} }
  const sender = createSmtpSender({ ...smtp, password: smtpPassword, ca: smtpCa })
  const documents = createDocumentMaker()
  const send = createSendJob({
    runtime,
    sender,
    from: mailFrom,
    receipt: async (receipt, { language, merchantId }) => {
      const logo = await pictureOf(runtime.db, merchantId)
      return documents.make({ kind: 'receipt', receipt, language, logo })
    },
    statements: createStatementMaker({ runtime, catalogue, documents }),
    pause,
  })
  return {
    jobs: [send, createActivityJob(runtime), createMailPruneJob(runtime)],
    close: async () => {
      sender.close()
      await documents.close()
    },
  }
}
