/** Merchants, their members in sessions, and open invitations: for tests of permissions and teams. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { makeMerchant, momentAt } from '../../../../test/world/merchant.ts'
import { announceSending } from '../../merchants/mail/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { invite } from './invitations.ts'
import type { Now } from './now.ts'
import { insertMember, insertPerson } from './people.ts'
import type { Role } from './roles.ts'
import { findSession, openSession, type Session } from './sessions.ts'
import { readTeam } from './team.ts'

export const NOW = 1_800_000_000_000
export const DEPS = { random: randomBytes, publicUrl: 'https://pay.example' }
export const nowAt = (ms: number): Now => ({ real: new Date(ms), moment: momentAt(ms) })
export const now = nowAt(NOW)
export const newAddress = (): string => `person-${randomUUID()}@shop.example`

export const useTeams = () => {
  const { db } = useDb()
  beforeAll(() => announceSending(db, true, new Date(NOW)))

  const shop = async (): Promise<string> => (await makeMerchant(db, NOW)).id

  /** A person in a session with a recent proof. */
  const newPerson = async (email = newAddress()): Promise<Session> => {
    const person = { id: randomUUID(), email, language: 'en' } as const
    const token = await inTransaction(db, async (tx) => {
      await insertPerson(tx, person, email, now.real)
      return (await openSession(tx, person.id, { method: 'passkey', agent: 'test' }, randomBytes, now)).token
    })
    return (await findSession(db, token, now.real))!
  }
  const memberOf = async (merchantId: string, role: Role): Promise<Session> => {
    const session = await newPerson()
    await inTransaction(db, (tx) => insertMember(tx, { merchantId, personId: session.person.id, role }, now.real))
    return session
  }
  /** An open invitation by the operator. @returns its id */
  const invited = async (merchantId: string, role: Role, email = newAddress()): Promise<string> => {
    const given = { merchantId, email, role, language: 'en', actor: 'cli:test' } as const
    await inTransaction(db, (tx) => invite(tx, given, DEPS, now))
    const { invitations } = await teamOf(merchantId)
    return invitations.find((one) => one.email === email)!.id
  }
  /** The team, as a member sees it. */
  const teamOf = async (merchantId: string) => {
    const { rows } = await sql<{ id: string }>`select person_id as id from dashboard_members
      where merchant_id = ${merchantId} and removed_at is null`.execute(db)
    return readTeam(db, rows[0]!.id, merchantId, now.real)
  }
  const rolesOf = async (merchantId: string): Promise<Role[]> =>
    (await teamOf(merchantId)).members.map(({ role }) => role).toSorted()

  return { db, shop, newPerson, memberOf, invited, teamOf, rolesOf }
}
