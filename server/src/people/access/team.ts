/** Commands of members about their merchant's team. Each checks the permission and the proof in its transaction. */
import { sql } from 'kysely'
import type { Language } from '../../platform/base/language.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { actorOf, record } from './audit.ts'
import { isMember, sendJoin, type InvitingDeps } from './invitations.ts'
import { removeMember } from './members.ts'
import { notifyOwners } from './notices.ts'
import type { Now } from './now.ts'
import {
  countOpen,
  countSent,
  listInvitations,
  lockInvitation,
  openRolesOf,
  withdraw,
  withdrawInvitationsBy,
  type InvitationLine,
} from './open-invitations.ts'
import { addressOf } from './people.ts'
import { authorise, managing, mayRole } from './permissions.ts'
import { requireOpen, requireProof } from './proofs.ts'
import type { Role } from './roles.ts'
import type { Session } from './sessions.ts'

/** Invitations that the members of a merchant may send within an hour. */
const LIMITS = { all: 20, toMailbox: 3 }
/** Open invitations of a merchant: each gives access to the person who reads its mail, so a team keeps few of them. */
const MOST_OPEN = 100

/**
 * - unknown: the merchant has no such member, or no such open invitation
 * - last-owner: the merchant would have no owner
 * - member: the address is a member's
 * - address: it is no mail address
 * - limited: too many invitations were sent within an hour
 * - full: the merchant has too many open invitations
 * - no-mail: no worker sends mail. The link is shown to no member: with it, they could make an account for an address
 *   that is not theirs
 */
export type TeamTrouble = 'unknown' | 'last-owner' | 'member' | 'address' | 'limited' | 'full' | 'no-mail'

/** Why the team was not changed. */
export class TeamProblem extends Error {
  override name = 'TeamProblem'
  readonly trouble: TeamTrouble
  constructor(trouble: TeamTrouble) {
    super(trouble)
    this.trouble = trouble
  }
}

export interface TeamMember {
  personId: string
  email: string
  role: Role
  addedAt: Date
}

/** The members of a merchant, by address, and its open invitations. Throws NotAllowed. */
export const readTeam = async (
  db: Db,
  personId: string,
  merchantId: string,
  now: Date,
): Promise<{ members: TeamMember[]; invitations: InvitationLine[] }> => {
  await authorise(db, { personId, action: 'see-team', merchantId })
  const { rows: members } = await sql<TeamMember>`select m.person_id as "personId", p.email, m.role,
      m.added_at as "addedAt"
    from dashboard_members m join dashboard_people p on p.id = m.person_id
    where m.merchant_id = ${merchantId} and m.removed_at is null order by p.address`.execute(db)
  return { members, invitations: await listInvitations(db, merchantId, now) }
}

/**
 * Invites an address, by mail; an open invitation of it is withdrawn. An address that has an account, as a member of
 * other merchants, is answered as one that has none. Throws NotAllowed, ProofNeeded or a TeamProblem.
 */
export const inviteMember = async (
  tx: Tx,
  session: Session,
  { merchantId, email, role, language }: { merchantId: string; email: string; role: Role; language: Language },
  deps: InvitingDeps,
  now: Now,
): Promise<void> => {
  await lockTeam(tx, session, merchantId)
  const address = addressOf(email)
  const replaced = address === undefined ? [] : await openRolesOf(tx, merchantId, address, now.real)
  await requireAll(tx, session, merchantId, [role, ...replaced])
  if (address === undefined) throw new TeamProblem('address')
  if (await isMember(tx, merchantId, address)) throw new TeamProblem('member')
  if ((await countOpen(tx, merchantId, address, now.real)) >= MOST_OPEN) throw new TeamProblem('full')
  const sent = await countSent(tx, merchantId, address, now.real)
  if (sent.all >= LIMITS.all || sent.toMailbox >= LIMITS.toMailbox) throw new TeamProblem('limited')
  const actor = actorOf(session.person.id)
  const { mail } = await sendJoin(tx, { merchantId, email, role, language, actor }, address, deps, now)
  if (mail === 'limited') throw new TeamProblem('limited')
  if (mail === 'unusable') throw new TeamProblem('address')
  if (mail !== 'queued') throw new TeamProblem('no-mail')
}

/**
 * Sends an open invitation again, with a new link; the old link ends. Throws NotAllowed, ProofNeeded or a TeamProblem.
 */
export const resendInvitation = async (
  tx: Tx,
  session: Session,
  { merchantId, id, language }: { merchantId: string; id: string; language: Language },
  deps: InvitingDeps,
  now: Now,
): Promise<void> => {
  const { email, role } = await openInvitation(tx, session, merchantId, id, now)
  await inviteMember(tx, session, { merchantId, email, role, language }, deps, now)
}

/** Withdraws an open invitation. Throws NotAllowed, ProofNeeded or a TeamProblem. */
export const withdrawInvitation = async (
  tx: Tx,
  session: Session,
  { merchantId, id }: { merchantId: string; id: string },
  now: Now,
): Promise<void> => {
  await openInvitation(tx, session, merchantId, id, now)
  await withdraw(tx, { merchantId, id, actor: actorOf(session.person.id) }, now)
}

/**
 * Changes the role of a member. The owners are mailed about a role that may approve payouts. Throws NotAllowed,
 * ProofNeeded or a TeamProblem.
 */
export const changeRole = async (
  tx: Tx,
  session: Session,
  { merchantId, personId, role }: { merchantId: string; personId: string; role: Role },
  now: Now,
): Promise<void> => {
  const { email, role: before } = await memberToChange(tx, session, { merchantId, personId, next: role })
  if (before === role) return
  await sql`update dashboard_members set role = ${role}
    where merchant_id = ${merchantId} and person_id = ${personId} and removed_at is null`.execute(tx)
  const actor = actorOf(session.person.id)
  await record(tx, { merchantId, personId, actor, action: 'changed role', detail: { email, before, role } }, now)
  if (mayRole(role, 'approve-payouts')) {
    const detail = `${email} (${before} → ${role})`
    await notifyOwners(tx, merchantId, { event: 'role-changed', detail, by: session.person, about: personId }, now)
  }
  const mayGrant = (one: Role): boolean => mayRole(role, managing(one))
  await withdrawInvitationsBy(tx, { merchantId, personId, actor, mayGrant }, now)
}

/** Removes a member, from the person's next request on. Throws NotAllowed, ProofNeeded or a TeamProblem. */
export const removeFromTeam = async (
  tx: Tx,
  session: Session,
  { merchantId, personId }: { merchantId: string; personId: string },
  now: Now,
): Promise<void> => {
  const { email } = await memberToChange(tx, session, { merchantId, personId })
  await removeMember(tx, { merchantId, email, actor: actorOf(session.person.id) }, now)
}

/**
 * Locks the members of a merchant, so that changes of a team happen one after another: two owners who remove each other
 * at once can't both succeed. Throws NotAllowed for a person who is no member.
 */
export const lockTeam = async (
  tx: Tx,
  { person }: Session,
  merchantId: string,
): Promise<readonly { personId: string; role: Role }[]> => {
  await authorise(tx, { personId: person.id, action: 'see-team', merchantId })
  const { rows } = await sql<{ personId: string; role: Role }>`select person_id as "personId", role
    from dashboard_members where merchant_id = ${merchantId} and removed_at is null order by person_id for update`.execute(
    tx,
  )
  return rows
}

/** Throws unless the person may manage members of all these roles, with a recent proof, in a session that is open. */
const requireAll = async (tx: Tx, session: Session, merchantId: string, roles: readonly Role[]): Promise<void> => {
  for (const action of new Set(['manage-members' as const, ...roles.map(managing)]))
    await authorise(tx, { personId: session.person.id, action, merchantId })
  requireProof(session)
  await requireOpen(tx, session)
}

const openInvitation = async (
  tx: Tx,
  session: Session,
  merchantId: string,
  id: string,
  now: Now,
): Promise<{ email: string; role: Role }> => {
  await lockTeam(tx, session, merchantId)
  const found = await lockInvitation(tx, { merchantId, id }, now.real)
  await requireAll(tx, session, merchantId, found ? [found.role] : [])
  if (!found) throw new TeamProblem('unknown')
  return found
}

/** @param given `next` is the new role; undefined: the member is to be removed */
const memberToChange = async (
  tx: Tx,
  session: Session,
  { merchantId, personId, next }: { merchantId: string; personId: string; next?: Role },
): Promise<{ email: string; role: Role }> => {
  const team = await lockTeam(tx, session, merchantId)
  const member = team.find((one) => one.personId === personId)
  await requireAll(tx, session, merchantId, [...(member ? [member.role] : []), ...(next === undefined ? [] : [next])])
  if (!member) throw new TeamProblem('unknown')
  const isLastOwner = member.role === 'owner' && team.filter(({ role }) => role === 'owner').length === 1
  if (isLastOwner && next !== 'owner') throw new TeamProblem('last-owner')
  const { rows } = await sql<{ email: string }>`select address as email from dashboard_people
    where id = ${personId}`.execute(tx)
  return { email: rows[0]!.email, role: member.role }
}
