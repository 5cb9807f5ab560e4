import { sql } from 'kysely'
import type { Tx } from '../../platform/db/index.ts'
import { queueMails } from '../../merchants/mail/index.ts'
import type { DashboardEvent, MerchantEvent } from '../../merchants/mail-templates/index.ts'
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

/**
 * Mails the owners of a merchant that a member or the operator has changed a setting of security, in the transaction of
 * the change.
 * @param change `by`: the member, null for the operator; `detail`: the new value, without secrets; `about`: the person
 * who is concerned, and gets no mail
 */
export const notifyOwners = async (
  tx: Tx,
  merchantId: string,
  {
    event,
    detail,
    by,
    about,
  }: { event: MerchantEvent; detail: string; by: Pick<Person, 'email'> | null; about?: string },
  { real, moment }: Now,
): Promise<void> => {
  const { rows: owners } = await sql<Person & { merchant: string }>`select p.id, p.email, p.language, s.name as merchant
    from dashboard_members m join dashboard_people p on p.id = m.person_id join merchants s on s.id = m.merchant_id
    where m.merchant_id = ${merchantId} and m.role = 'owner' and m.removed_at is null
      and p.id is distinct from ${about ?? null}::uuid order by p.id`.execute(tx)
  const mails = owners.map(({ email, language, merchant }) => ({
    kind: 'merchant-changed' as const,
    merchantId,
    about: moment.newId(),
    to: email,
    language,
    data: { merchant, event, detail, by: by?.email ?? null, at: real.getTime() },
  }))
  await queueMails(tx, mails, moment)
}
