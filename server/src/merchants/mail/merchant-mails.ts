import type { Moment } from '../../platform/base/moment.ts'
import type { Tx } from '../../platform/db/index.ts'
import { mailboxes } from '../accounts/index.ts'
import { findEndpoint, type ExhaustedSubscriber } from '../webhooks/index.ts'
import { queueMails } from './commands.ts'

/** Mails a merchant whose notifications are exhausted (`contract.md` 18 #17), if it has set an address. */
export const mailExhausted: ExhaustedSubscriber = async (
  tx: Tx,
  { merchantId, endpointId, objectId, sequence, error, at },
  moment: Moment,
) => {
  const additional = endpointId === null ? undefined : await findEndpoint(tx, merchantId, endpointId)
  const mails = (await mailboxes(tx, [merchantId])).map(({ email, name, settings }) => ({
    kind: 'webhooks-exhausted' as const,
    merchantId,
    // Each outage has a mail of its own.
    about: moment.newId(),
    to: email,
    language: settings.mailLanguage,
    data: {
      merchant: name,
      url: endpointId === null ? settings.notificationsUrl : (additional?.url ?? null),
      objectId,
      sequence,
      error,
      since: at,
    },
  }))
  await queueMails(tx, mails, moment)
}
