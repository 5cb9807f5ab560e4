import { sql } from 'kysely'
import type { Language } from '../../platform/base/language.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { companyOf, merchantExists } from '../../merchants/accounts/index.ts'
import { queueMails, type Queued } from '../../merchants/mail/index.ts'
import { record } from './audit.ts'
import { deleteCredentials } from './credentials.ts'
import type { Now, Secrets } from './now.ts'
import { addressOf, findPersonByAddress, membershipOf } from './people.ts'
import type { Role } from './roles.ts'
import { endSessions } from './sessions.ts'
import { hashOf, newToken } from './tokens.ts'

const VALID_MS = 7 * 24 * 3_600_000

interface NewInvitation {
  merchantId: string
  email: string
  role: Role
  /** of the mail */
  language: Language
  /** `cli:LOGIN` or `person:ID` */
  actor: string
}

export interface Invited {
  /** the link with the token. It is stored only in the mail */
  url: string
  expiresAt: Date
  mail: Queued
}

export interface InvitingDeps {
  random: Secrets['random']
  publicUrl: string
}

/**
 * Invites an address to be a member of a merchant, by mail. An earlier invitation to the same merchant is withdrawn.
 * Throws a RangeError that says what to change when the address is invalid, or is a member's.
 */
export const invite = async (tx: Tx, given: NewInvitation, deps: InvitingDeps, now: Now): Promise<Invited> => {
  const address = await checkedAddress(tx, given)
  if (await isMember(tx, given.merchantId, address))
    throw new RangeError(`${address} is a member of this merchant already`)
  return sendJoin(tx, given, address, deps, now)
}

/**
 * Whether an address is a member's of this merchant. Whether it has an account changes neither the answer nor the work:
 * an account may belong to other merchants.
 */
export const isMember = async (tx: Tx, merchantId: string, address: string): Promise<boolean> =>
  (
    await sql`select from dashboard_members m join dashboard_people p on p.id = m.person_id
      where m.merchant_id = ${merchantId} and p.address = ${address} and m.removed_at is null`.execute(tx)
  ).rows.length > 0

/** Sends an invitation to an address that is no member's. */
export const sendJoin = async (
  tx: Tx,
  given: NewInvitation,
  address: string,
  deps: InvitingDeps,
  now: Now,
): Promise<Invited> => {
  const person = await findPersonByAddress(tx, address)
  return sendInvitation(tx, { ...given, kind: 'join', personId: person?.id ?? null, address }, deps, now)
}

/**
 * Removes all passkeys, the password and the sessions of a member who can no longer sign in, and mails a link to set up
 * a new way. Links of earlier resets are withdrawn, also those of other merchants. Throws a RangeError when the address
 * is no member's.
 */
export const resetAccess = async (
  tx: Tx,
  given: Omit<NewInvitation, 'role'>,
  deps: InvitingDeps,
  now: Now,
): Promise<Invited> => {
  const address = await checkedAddress(tx, given)
  const person = await findPersonByAddress(tx, address)
  const member = person && (await membershipOf(tx, person.id, given.merchantId))
  if (!person || !member) throw new RangeError(`${address} is no member of this merchant`)
  // Ending the sessions waits for changes that they are making, so that the deletion includes these. The deletion waits
  // for sign-ins, which have opened sessions since.
  await endSessions(tx, person.id, null, now.real)
  await deleteCredentials(tx, person.id)
  await endSessions(tx, person.id, null, now.real)
  return sendInvitation(tx, { ...given, role: member.role, kind: 'reset', personId: person.id, address }, deps, now)
}

const checkedAddress = async (tx: Tx, { merchantId, email }: Pick<NewInvitation, 'merchantId' | 'email'>) => {
  const address = addressOf(email)
  if (address === undefined) throw new RangeError(`${email} is no mail address: write it like name@example.com`)
  if (!(await merchantExists(tx, merchantId))) throw new RangeError(`no merchant has the id ${merchantId}`)
  return address
}

const sendInvitation = async (
  tx: Tx,
  invitation: NewInvitation & { kind: 'join' | 'reset'; address: string; personId: string | null },
  { random, publicUrl }: InvitingDeps,
  now: Now,
): Promise<Invited> => {
  const { merchantId, email, role, language, actor, kind, address, personId } = invitation
  const [id, token, expiresAt] = [now.moment.newId(), newToken(random), new Date(now.real.getTime() + VALID_MS)]
  await sql`update dashboard_invitations set withdrawn_at = ${now.real}
    where address = ${address} and used_at is null and withdrawn_at is null and kind = ${kind}::text
      and (merchant_id = ${merchantId} or ${kind}::text = 'reset')`.execute(tx)
  await sql`insert into dashboard_invitations(id, token_hash, kind, merchant_id, email, address, role, invited_by, created_at, expires_at)
    values (${id}, ${hashOf(token)}, ${kind}, ${merchantId}, ${email.trim()}, ${address}, ${role}, ${actor}, ${now.real}, ${expiresAt})`.execute(
    tx,
  )
  await record(tx, { merchantId, personId, actor, action: ACTIONS[kind], detail: { email: address, role } }, now)
  const url = `${publicUrl}/app/join/${token}`
  const { name: merchant } = await companyOf(tx, merchantId)
  const data = { merchant, joinUrl: url, until: expiresAt.getTime(), isReset: kind === 'reset' }
  const [mail] = await queueMails(
    tx,
    [{ kind: 'dashboard-invitation', merchantId, about: id, to: address, language, data }],
    now.moment,
  )
  return { url, expiresAt, mail: mail! }
}

const ACTIONS = { join: 'invited', reset: 'access reset' } as const

/** An invitation that can be accepted now. */
export interface OpenInvitation {
  id: string
  kind: 'join' | 'reset'
  merchantId: string
  /** name of the merchant */
  merchant: string
  email: string
  address: string
  role: Role
  /** the person who has this address; null: the invitation makes a new person */
  personId: string | null
}

/** Undefined when the token is unknown, or its invitation was used or withdrawn, or has expired: all look the same. */
export const findInvitation = async (db: Db | Tx, token: string, now: Date): Promise<OpenInvitation | undefined> =>
  (
    await sql<OpenInvitation>`select i.id, i.kind, i.merchant_id as "merchantId", m.company_name as merchant, i.email,
        i.address, i.role, p.id as "personId"
      from dashboard_invitations i join merchants m on m.id = i.merchant_id
      left join dashboard_people p on p.address = i.address
      where i.token_hash = ${hashOf(token)} and i.used_at is null and i.withdrawn_at is null and i.expires_at > ${now}
        and m.disabled_at is null`.execute(db)
  ).rows[0]

/** The member who sent an invitation; null: the operator. */
export const inviterOf = async (tx: Tx, id: string): Promise<{ email: string } | null> =>
  (
    await sql<{ email: string }>`select p.email from dashboard_invitations i
      join dashboard_people p on i.invited_by = 'person:' || p.id::text where i.id = ${id}`.execute(tx)
  ).rows[0] ?? null

/** Uses an invitation. Returns false when it was used or withdrawn meanwhile. */
export const useInvitation = async (tx: Tx, id: string, now: Date): Promise<boolean> => {
  const { rows } = await sql`update dashboard_invitations set used_at = ${now}
    where id = ${id} and used_at is null and withdrawn_at is null and expires_at > ${now} returning 1`.execute(tx)
  return rows.length > 0
}
