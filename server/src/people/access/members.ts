import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../platform/db/index.ts'
import { record } from './audit.ts'
import type { Now } from './now.ts'
import { withdrawInvitationsBy } from './open-invitations.ts'
import { addressOf } from './people.ts'
import type { Role } from './roles.ts'

export interface MemberLine {
  email: string
  role: Role
  state: 'member' | 'invited'
  since: Date
}

/** The members of a merchant and the addresses with an open invitation, oldest first. */
export const listMembers = async (db: Db, merchantId: string, now: Date): Promise<MemberLine[]> =>
  (
    await sql<MemberLine>`select p.email, m.role, 'member' as state, m.added_at as since
      from dashboard_members m join dashboard_people p on p.id = m.person_id
      where m.merchant_id = ${merchantId} and m.removed_at is null
    union all select email, role, 'invited', created_at from dashboard_invitations
      where merchant_id = ${merchantId} and kind = 'join' and used_at is null and withdrawn_at is null and expires_at > ${now}
    order by since, email`.execute(db)
  ).rows

/**
 * Removes a member of a merchant, and withdraws the open invitations of the address to it, and those that the member
 * has sent. Throws a RangeError when
 * there is neither.
 */
export const removeMember = async (
  tx: Tx,
  { merchantId, email, actor }: { merchantId: string; email: string; actor: string },
  now: Now,
): Promise<void> => {
  const address = addressOf(email) ?? ''
  const { rows: removed } = await sql<{ id: string }>`update dashboard_members m set removed_at = ${now.real}
    from dashboard_people p where p.address = ${address} and m.person_id = p.id and m.merchant_id = ${merchantId}
      and m.removed_at is null returning p.id`.execute(tx)
  const { rows: withdrawn } = await sql`update dashboard_invitations set withdrawn_at = ${now.real}
    where merchant_id = ${merchantId} and address = ${address} and kind = 'join' and used_at is null
      and withdrawn_at is null returning 1`.execute(tx)
  if (removed.length === 0 && withdrawn.length === 0)
    throw new RangeError(`${email} is no member of this merchant, and has no open invitation`)
  const personId = removed[0]?.id ?? null
  if (personId !== null) await withdrawInvitationsBy(tx, { merchantId, personId, actor, mayGrant: () => false }, now)
  await record(tx, { merchantId, personId, actor, action: 'removed', detail: { email: address } }, now)
}

/** SQL: whether the merchant has two members. */
export const hasTeam = (merchantId: string): RawBuilder<boolean> =>
  sql`((select count(*) from (select from dashboard_members where merchant_id = ${merchantId} and removed_at is null limit 2) m) > 1)`
