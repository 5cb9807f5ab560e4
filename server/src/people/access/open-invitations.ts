import { sql } from 'kysely'
import { mailboxOf } from '../../platform/base/mail-address.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { actorOf, record } from './audit.ts'
import type { Now } from './now.ts'
import { ROLES, type Role } from './roles.ts'

const HOUR_MS = 3_600_000

/** An invitation to be a member that can still be accepted. */
export interface InvitationLine {
  id: string
  email: string
  address: string
  role: Role
  /** the address of the member who sent it; null: an operator */
  invitedBy: string | null
  expiresAt: Date
}

/** The open invitations of a merchant, oldest first. */
export const listInvitations = async (db: Db, merchantId: string, now: Date): Promise<InvitationLine[]> =>
  (
    await sql<InvitationLine>`select i.id, i.email, i.address, i.role, p.email as "invitedBy", i.expires_at as "expiresAt"
      from dashboard_invitations i left join dashboard_people p
        on p.id = case when starts_with(i.invited_by, 'person:') then substring(i.invited_by from 8)::uuid end
      where i.merchant_id = ${merchantId} and i.kind = 'join' and i.used_at is null and i.withdrawn_at is null
        and i.expires_at > ${now} order by i.created_at, i.id`.execute(db)
  ).rows

/** Locks an open invitation of a merchant; undefined for an id of another merchant, as for an unknown one. */
export const lockInvitation = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  now: Date,
): Promise<{ email: string; address: string; role: Role } | undefined> =>
  (
    await sql<{ email: string; address: string; role: Role }>`select email, address, role from dashboard_invitations
      where merchant_id = ${merchantId} and id = ${id} and kind = 'join' and used_at is null and withdrawn_at is null
        and expires_at > ${now} for update`.execute(tx)
  ).rows[0]

/** The roles of the open invitations of an address: another invitation withdraws them. */
export const openRolesOf = async (tx: Tx, merchantId: string, address: string, now: Date): Promise<Role[]> =>
  (
    await sql<{ role: Role }>`select role from dashboard_invitations
      where merchant_id = ${merchantId} and address = ${address} and kind = 'join' and used_at is null
        and withdrawn_at is null and expires_at > ${now} for update`.execute(tx)
  ).rows.map(({ role }) => role)

/** The invitations of a merchant that are open now, without those of an address: another one replaces them. */
export const countOpen = async (tx: Tx, merchantId: string, except: string, now: Date): Promise<number> =>
  (
    await sql<{ open: number }>`select count(*)::int as open from dashboard_invitations
      where merchant_id = ${merchantId} and kind = 'join' and used_at is null and withdrawn_at is null
        and expires_at > ${now} and address <> ${except}`.execute(tx)
  ).rows[0]!.open

/** Invitations that members of a merchant have sent within an hour: in all, and to the mailbox of an address. */
export const countSent = async (
  tx: Tx,
  merchantId: string,
  address: string,
  now: Date,
): Promise<{ all: number; toMailbox: number }> => {
  const { rows } = await sql<{ address: string }>`select address from dashboard_invitations
    where merchant_id = ${merchantId} and kind = 'join' and starts_with(invited_by, 'person:')
      and created_at > ${new Date(now.getTime() - HOUR_MS)}`.execute(tx)
  const mailbox = mailboxOf(address)
  return { all: rows.length, toMailbox: rows.filter((row) => mailboxOf(row.address) === mailbox).length }
}

/** Withdraws one open invitation, and records it. */
export const withdraw = async (
  tx: Tx,
  { merchantId, id, actor }: { merchantId: string; id: string; actor: string },
  now: Now,
): Promise<void> => {
  const { rows } = await sql<{
    address: string
    role: Role
  }>`update dashboard_invitations set withdrawn_at = ${now.real}
    where merchant_id = ${merchantId} and id = ${id} and kind = 'join' and used_at is null and withdrawn_at is null
    returning address, role`.execute(tx)
  for (const row of rows) await recordWithdrawal(tx, merchantId, row, actor, now)
}

/**
 * Withdraws the open invitations that a member has sent, for the roles that the member may no longer grant: otherwise a
 * person could return by an invitation of their own.
 */
export const withdrawInvitationsBy = async (
  tx: Tx,
  {
    merchantId,
    personId,
    actor,
    mayGrant,
  }: { merchantId: string; personId: string; actor: string; mayGrant: (role: Role) => boolean },
  now: Now,
): Promise<void> => {
  const roles = ROLES.filter((role) => !mayGrant(role))
  const { rows } = await sql<{
    address: string
    role: Role
  }>`update dashboard_invitations set withdrawn_at = ${now.real}
    where merchant_id = ${merchantId} and invited_by = ${actorOf(personId)} and kind = 'join' and used_at is null
      and withdrawn_at is null and expires_at > ${now.real} and role = any(${roles}::text[])
    returning address, role`.execute(tx)
  for (const row of rows) await recordWithdrawal(tx, merchantId, row, actor, now)
}

const recordWithdrawal = (
  tx: Tx,
  merchantId: string,
  { address, role }: { address: string; role: Role },
  actor: string,
  now: Now,
): Promise<void> => {
  const detail = { email: address, role }
  return record(tx, { merchantId, personId: null, actor, action: 'withdrew invitation', detail }, now)
}
