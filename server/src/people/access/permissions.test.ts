/** What each role may do for a merchant, by the commands themselves. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { setDisabled } from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  can,
  changeRole,
  inviteMember,
  NotAllowed,
  PERMISSIONS,
  ProofNeeded,
  readAudit,
  readTeam,
  removeFromTeam,
  resendInvitation,
  ROLES,
  withdrawInvitation,
  type Action,
  type Role,
  type Session,
} from './index.ts'
import { DEPS, newAddress, now, useTeams } from './test-teams.ts'

const { db, shop, newPerson, memberOf, invited } = useTeams()
const EVERY = [...ROLES]
const MANAGERS: Role[] = ['owner', 'admin']
const TECHNICAL: Role[] = ['owner', 'admin', 'support', 'developer']

describe('the table of permissions', () => {
  // Written by hand: the generated table must be this one.
  const EXPECTED: Record<Action, readonly Role[]> = {
    'see-payments': EVERY,
    'see-balances': ['owner', 'admin', 'finance', 'approver', 'viewer'],
    'see-payouts': ['owner', 'admin', 'finance', 'approver', 'viewer'],
    'request-payouts': ['owner', 'admin', 'finance'],
    'approve-payouts': ['owner', 'admin', 'finance', 'approver'],
    'manage-payout-addresses': ['owner', 'admin', 'finance'],
    'manage-payout-policy': ['owner'],
    'see-webhooks': TECHNICAL,
    'replay-webhooks': TECHNICAL,
    'manage-webhooks': ['owner', 'admin', 'developer'],
    'export-all': MANAGERS,
    'manage-settings': MANAGERS,
    'see-team': EVERY,
    'manage-members': MANAGERS,
    'manage-owners': ['owner'],
    'see-audit': MANAGERS,
  }

  test.each(Object.keys(PERMISSIONS) as Action[])('allows %s to exactly these roles, cell by cell', async (action) => {
    const [merchantId, other] = [await shop(), await shop()]
    for (const role of ROLES) {
      const { person } = await memberOf(merchantId, role)
      const may = EXPECTED[action].includes(role)
      expect([role, await can(db, { personId: person.id, action, merchantId })]).toEqual([role, may])
      expect([role, await can(db, { personId: person.id, action, merchantId: other })]).toEqual([role, false])
    }
  })

  test('allows nothing to a person who is no member, was removed, or whose merchant is disabled', async () => {
    const merchantId = await shop()
    const [owner, other, stranger] = [
      await memberOf(merchantId, 'owner'),
      await memberOf(merchantId, 'owner'),
      await newPerson(),
    ]
    const personId = owner.person.id
    const asked = { personId, action: 'see-team', merchantId } as const
    expect(await can(db, { ...asked, personId: stranger.person.id })).toBe(false)
    expect(await can(db, { ...asked, merchantId: randomUUID() })).toBe(false)
    await inTransaction(db, (tx) => removeFromTeam(tx, other, { merchantId, personId }, now))
    expect(await can(db, asked)).toBe(false)
    expect(await can(db, { ...asked, personId: other.person.id })).toBe(true)
    await inTransaction(db, (tx) => setDisabled(tx, merchantId, true, { actor: 'test' }, now.moment))
    expect(await can(db, { ...asked, personId: other.person.id })).toBe(false)
  })
})

describe('commands of a team', () => {
  interface Cell {
    may: readonly Role[]
    /** prepares the object of the command */
    run: (merchantId: string) => Promise<(session: Session) => Promise<unknown>>
  }
  const change =
    (of: Role, to: Role): Cell['run'] =>
    async (merchantId) => {
      const { person } = await memberOf(merchantId, of)
      return (session) =>
        inTransaction(db, (tx) => changeRole(tx, session, { merchantId, personId: person.id, role: to }, now))
    }
  const removal =
    (of: Role): Cell['run'] =>
    async (merchantId) => {
      const { person } = await memberOf(merchantId, of)
      return (session) =>
        inTransaction(db, (tx) => removeFromTeam(tx, session, { merchantId, personId: person.id }, now))
    }
  const invitation =
    (role: Role, email = newAddress()): Cell['run'] =>
    async (merchantId) =>
    (session) =>
      inTransaction(db, (tx) => inviteMember(tx, session, { merchantId, email, role, language: 'en' }, DEPS, now))
  const withdrawal =
    (role: Role): Cell['run'] =>
    async (merchantId) => {
      const id = await invited(merchantId, role)
      return (session) => inTransaction(db, (tx) => withdrawInvitation(tx, session, { merchantId, id }, now))
    }
  const again =
    (role: Role): Cell['run'] =>
    async (merchantId) => {
      const id = await invited(merchantId, role)
      return (session) =>
        inTransaction(db, (tx) => resendInvitation(tx, session, { merchantId, id, language: 'en' }, DEPS, now))
    }
  const CELLS: Record<string, Cell> = {
    'read the team': {
      may: EVERY,
      run: async (merchantId) => (session) => readTeam(db, session.person.id, merchantId, now.real),
    },
    'read the audit log': {
      may: MANAGERS,
      run: async (merchantId) => (session) => readAudit(db, session.person.id, { merchantId, before: null, most: 10 }),
    },
    'invite a viewer': { may: MANAGERS, run: invitation('viewer') },
    'invite an administrator': { may: MANAGERS, run: invitation('admin') },
    'invite an owner': { may: ['owner'], run: invitation('owner') },
    'replace the invitation of an owner': {
      may: ['owner'],
      run: async (merchantId) => {
        const email = newAddress()
        await invited(merchantId, 'owner', email)
        return invitation('viewer', email)(merchantId)
      },
    },
    'send the invitation of a viewer again': { may: MANAGERS, run: again('viewer') },
    'send the invitation of an owner again': { may: ['owner'], run: again('owner') },
    'withdraw the invitation of a viewer': { may: MANAGERS, run: withdrawal('viewer') },
    'withdraw the invitation of an owner': { may: ['owner'], run: withdrawal('owner') },
    'change the role of a viewer': { may: MANAGERS, run: change('viewer', 'finance') },
    'change the role of an administrator': { may: MANAGERS, run: change('admin', 'viewer') },
    'make a viewer an owner': { may: ['owner'], run: change('viewer', 'owner') },
    'change the role of an owner': { may: ['owner'], run: change('owner', 'admin') },
    'remove a viewer': { may: MANAGERS, run: removal('viewer') },
    'remove an administrator': { may: MANAGERS, run: removal('admin') },
    'remove an owner': { may: ['owner'], run: removal('owner') },
  }
  const READS = ['read the team', 'read the audit log']
  /** The rows that a refused command must not change. */
  const stateOf = async (merchantId: string): Promise<unknown> => {
    const [{ rows: members }, { rows: invitations }, { rows: audit }] = [
      await sql`select * from dashboard_members where merchant_id = ${merchantId} order by person_id`.execute(db),
      await sql`select * from dashboard_invitations where merchant_id = ${merchantId} order by id`.execute(db),
      await sql`select id from dashboard_audit where merchant_id = ${merchantId} order by id`.execute(db),
    ]
    return { members, invitations, audit }
  }

  test.each(Object.entries(CELLS))(
    '%s: each role may, or is refused and changes nothing',
    async (_name, { may, run }) => {
      for (const role of ROLES) {
        const merchantId = await shop()
        await memberOf(merchantId, 'owner')
        const [session, command] = [await memberOf(merchantId, role), await run(merchantId)]
        const before = await stateOf(merchantId)
        const answer = await command(session).then(
          () => 'done',
          (error: unknown) => (error instanceof NotAllowed ? 'refused' : error),
        )
        expect([role, answer]).toEqual([role, may.includes(role) ? 'done' : 'refused'])
        if (answer === 'refused') expect(await stateOf(merchantId)).toEqual(before)
      }
    },
  )

  test.each(Object.entries(CELLS))(
    '%s: refused to an owner of another merchant and to a person of none',
    async (_name, { run }) => {
      const [merchantId, other] = [await shop(), await shop()]
      await memberOf(merchantId, 'owner')
      const command = await run(merchantId)
      const before = await stateOf(merchantId)
      for (const session of [await memberOf(other, 'owner'), await newPerson()])
        await expect(command(session)).rejects.toThrow(NotAllowed)
      expect(await stateOf(merchantId)).toEqual(before)
    },
  )

  test.each(Object.entries(CELLS).filter(([name]) => !READS.includes(name)))(
    '%s: needs a recent proof, in a session that is still open',
    async (_name, { run }) => {
      const merchantId = await shop()
      await memberOf(merchantId, 'owner')
      const [owner, command] = [await memberOf(merchantId, 'owner'), await run(merchantId)]
      const before = await stateOf(merchantId)
      await expect(command({ ...owner, isProved: false })).rejects.toThrow(ProofNeeded)
      await sql`update dashboard_sessions set ended_at = ${now.real} where id = ${owner.id}`.execute(db)
      await expect(command(owner), 'the session has ended since it was read').rejects.toThrow(ProofNeeded)
      expect(await stateOf(merchantId)).toEqual(before)
    },
  )
})
