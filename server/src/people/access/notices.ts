import type { Tx } from '../../platform/db/index.ts'
import { queueMails } from '../../merchants/mail/index.ts'
import type { DashboardEvent } from '../../merchants/mail-templates/index.ts'
import type { Now } from './now.ts'
import { membershipsOf, type Person } from './people.ts'

/**
 * Mails a person about a change of how they sign in, in the transaction of the change. A person who is a member of no
 * merchant has no access to anything, and gets no mail.
 */
export const notifyPerson = async (
  tx: Tx,
  { id, email, language }: Person,
  { event, detail }: { event: DashboardEvent; detail: string },
  now: Now,
): Promise<void> => {
  const [first] = await membershipsOf(tx, id)
  if (!first) return
  const data = { event, detail, at: now.real.getTime() }
  const about = now.moment.newId()
  await queueMails(
    tx,
    [{ kind: 'dashboard-notice', merchantId: first.merchantId, about, to: email, language, data }],
    now.moment,
  )
}
