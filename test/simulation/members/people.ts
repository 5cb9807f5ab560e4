/** The members of the merchants, each in a browser of their own, with a session of the dashboard. */
import { sql } from 'kysely'
import type { Role } from '../../../server/src/people/access/index.ts'
import { openSession } from '../../../server/src/people/access/sessions.ts'
import type { Moment } from '../../../server/src/platform/base/moment.ts'
import { inTransaction, type Db } from '../../../server/src/platform/db/index.ts'
import type { Random } from '../../../sandbox/random.ts'
import type { SimulatedMerchant } from '../merchants.ts'

export interface Member {
  /** as the trace calls them */
  name: string
  /** as the trace calls it */
  merchant: string
  merchantId: string
  role: Role
  id: string
}

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
/** Of each merchant: two ask for payouts and may approve those of others, two approve, one only looks. */
const TEAM = ['finance', 'finance', 'approver', 'owner', 'viewer'] as const satisfies readonly Role[]

/** Adds the people of a merchant as if each had accepted an invitation; passwords and passkeys have other tests. */
export const addTeam = async (db: Db, merchant: SimulatedMerchant, { at, newId }: Moment): Promise<Member[]> => {
  const team: Member[] = []
  for (const [number, role] of TEAM.entries()) {
    const [id, name] = [newId(), `${merchant.name}-${role}-${number}`]
    const email = `${name.toLowerCase()}@shop.example`
    await sql`insert into dashboard_people(id, email, address, language, created_at)
      values (${id}, ${email}, ${email}, 'en', ${at})`.execute(db)
    await sql`insert into dashboard_members(merchant_id, person_id, role, added_at)
      values (${merchant.id}, ${id}, ${role}, ${at})`.execute(db)
    team.push({ name, merchant: merchant.name, merchantId: merchant.id, role, id })
  }
  return team
}

/** Signs a member in, with a proof. @returns the cookie's token */
export const signIn = (db: Db, { id }: Member, random: Random, moment: Moment): Promise<string> =>
  inTransaction(db, async (tx) => {
    const bytes = (count: number): Buffer => random.bytes(count)
    const { token } = await openSession(tx, id, { method: 'passkey', agent: AGENT }, bytes, {
      real: moment.at,
      moment,
    })
    return token
  })
