import { sql } from 'kysely'
import type { Language } from '../../platform/base/language.ts'
import type { Db, Tx } from '../../platform/db/index.ts'
import { mailAddress } from '../../platform/base/mail-address.ts'
import type { Role } from './roles.ts'

/** A person who signs in to the dashboard; one per mail address. */
export interface Person {
  id: string
  email: string
  language: Language
}

export interface Membership {
  merchantId: string
  /** the merchant's name */
  name: string
  role: Role
}

/** An address as people are found by: valid, in lower case. Undefined if it is not valid. */
export const addressOf = (typed: string): string | undefined => mailAddress(typed.trim())?.toLowerCase()

export const findPersonByAddress = async (db: Db | Tx, address: string): Promise<Person | undefined> =>
  (await sql<Person>`select id, email, language from dashboard_people where address = ${address}`.execute(db)).rows[0]

/** The mail addresses of people, by id. */
export const emailsOf = async (db: Db | Tx, ids: readonly string[]): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; email: string }>`select id, email from dashboard_people
    where id = any(${[...ids]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** The person of an id, who exists. */
export const personOf = async (tx: Tx, id: string): Promise<Person> =>
  (await sql<Person>`select id, email, language from dashboard_people where id = ${id}`.execute(tx)).rows[0]!

/** Returns false if a person with this mail address already exists, for example from another invitation. */
export const insertPerson = async (
  tx: Tx,
  { id, email, language }: Person,
  address: string,
  now: Date,
): Promise<boolean> => {
  const { rows } = await sql`insert into dashboard_people(id, email, address, language, created_at)
    values (${id}, ${email}, ${address}, ${language}, ${now}) on conflict do nothing returning 1`.execute(tx)
  return rows.length > 0
}

/**
 * Makes a person a member. One who was removed is a member again, with the new role. Returns false, and changes
 * nothing, when the person is a member: their role is changed by `changeRole` only, which keeps an owner.
 */
export const insertMember = async (
  tx: Tx,
  { merchantId, personId, role }: { merchantId: string; personId: string; role: Role },
  now: Date,
): Promise<boolean> => {
  const { rows } = await sql`insert into dashboard_members(merchant_id, person_id, role, added_at)
    values (${merchantId}, ${personId}, ${role}, ${now})
    on conflict (merchant_id, person_id) do update set role = excluded.role, added_at = excluded.added_at, removed_at = null
      where dashboard_members.removed_at is not null returning 1`.execute(tx)
  return rows.length > 0
}

/** When each person of a merchant, those who have left included, became a member for the last time, by person. */
export const memberSince = async (db: Db | Tx, merchantId: string): Promise<Map<string, Date>> => {
  const { rows } = await sql<{ personId: string; addedAt: Date }>`select person_id as "personId", added_at as "addedAt"
    from dashboard_members where merchant_id = ${merchantId}`.execute(db)
  return new Map(rows.map(({ personId, addedAt }) => [personId, addedAt]))
}

/** The merchants of a person that are not disabled, by name. */
export const membershipsOf = async (db: Db | Tx, personId: string): Promise<Membership[]> =>
  (
    await sql<Membership>`select m.merchant_id as "merchantId", s.name, m.role from dashboard_members m
      join merchants s on s.id = m.merchant_id
      where m.person_id = ${personId} and m.removed_at is null and s.disabled_at is null
      order by s.name, m.merchant_id`.execute(db)
  ).rows

/** A merchant that a person looks at, with all merchants of the person. */
export interface Place extends Membership {
  memberships: readonly Membership[]
}

/** A person's membership of a merchant; undefined for no member, and for an unknown or disabled merchant. */
export const membershipOf = async (db: Db | Tx, personId: string, merchantId: string): Promise<Place | undefined> => {
  const memberships = await membershipsOf(db, personId)
  const found = memberships.find((membership) => membership.merchantId === merchantId)
  return found && { ...found, memberships }
}
