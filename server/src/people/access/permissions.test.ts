/** What each role may do for a merchant, by the commands themselves. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Scope } from '@bursar/contract'
import { setDisabled } from '../../merchants/accounts/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import {
  can,
  changeRole,
  createKey,
  createKeyAsOperator,
  inviteMember,
  NotAllowed,
  PERMISSIONS,
  ProofNeeded,
  readAudit,
  readKeys,
  readTeam,
  removeFromTeam,
  resendInvitation,
  revokeKeyOf,
  ROLES,
  withdrawInvitation,
  type Action,
  type Role,
  type Session,
} from './index.ts'
import { createSecretRing } from '../../platform/config/secrets.ts'
import { DEPS, newAddress, now, useTeams } from './test-teams.ts'

const { db, shop, newPerson, memberOf, invited } = useTeams()
const EVERY = [...ROLES]
const MANAGERS: Role[] = ['owner', 'admin']
const DEVELOPERS: Role[] = ['owner', 'admin', 'developer']
const TECHNICAL: Role[] = ['owner', 'admin', 'support', 'developer']

describe('the table of permissions', () => {
  // Written by hand: the generated table must be this one.
  const EXPECTED: Record<Action, readonly Role[]> = {
    'see-payments': EVERY,
    'create-invoices': ['owner', 'admin', 'finance', 'support'],
    'mail-payers': ['owner', 'admin', 'finance', 'support'],
    'see-balances': ['owner', 'admin', 'finance', 'approver', 'viewer'],
    'see-exchanges': ['owner', 'admin', 'finance', 'approver', 'viewer'],
    exchange: ['owner', 'finance'],
    'see-payouts': ['owner', 'admin', 'finance', 'approver', 'viewer'],
    'request-payouts': ['owner', 'admin', 'finance'],
    'approve-payouts': ['owner', 'admin', 'finance', 'approver'],
    'refund-payments': ['owner', 'admin', 'finance'],
    'erase-payers': MANAGERS,
    'manage-payout-addresses': ['owner', 'admin', 'finance'],
    'manage-payout-policy': ['owner'],
    'see-webhooks': TECHNICAL,
    'replay-webhooks': TECHNICAL,
    'see-requests': TECHNICAL,
    'export-all': MANAGERS,
    'manage-settings': MANAGERS,
    'manage-webhooks': DEVELOPERS,
    'manage-keys': DEVELOPERS,
    'manage-money-keys': ['owner'],
    'see-team': EVERY,
    'manage-members': MANAGERS,
    'manage-owners': ['owner'],
    'see-audit': MANAGERS,
  }

  test.each(Object.keys(PERMISSIONS) as Action[])(
    'S8 allows %s to exactly these roles, cell by cell',
    async (action) => {
      const [merchantId, other] = [await shop(), await shop()]
      for (const role of ROLES) {
        const { person } = await memberOf(merchantId, role)
        const may = EXPECTED[action].includes(role)
        expect([role, await can(db, { personId: person.id, action, merchantId })]).toEqual([role, may])
        expect([role, await can(db, { personId: person.id, action, merchantId: other })]).toEqual([role, false])
      }
    },
  )

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
  const SECRETS = { ring: createSecretRing([new Uint8Array(32).fill(7)]), random: randomBytes }
  const asked = (merchantId: string, scopes: readonly Scope[]) => ({
    merchantId,
    name: 'Shop',
    scopes,
    addresses: '',
    days: null,
  })
  const key =
    (...scopes: Scope[]): Cell['run'] =>
    async (merchantId) =>
    (session) =>
      inTransaction(db, (tx) => createKey(tx, session, asked(merchantId, scopes), randomUUID(), SECRETS, now))
  const revocation =
    (...scopes: Scope[]): Cell['run'] =>
    async (merchantId) => {
      const { id } = await inTransaction(db, (tx) =>
        createKeyAsOperator(tx, asked(merchantId, scopes), 'cli:test', SECRETS, now),
      )
      return (session) => inTransaction(db, (tx) => revokeKeyOf(tx, session, { merchantId, id }, now))
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
    'read the keys': {
      may: DEVELOPERS,
      run: async (merchantId) => (session) => readKeys(db, session.person.id, merchantId, now),
    },
    'make a key that reads and makes invoices': { may: DEVELOPERS, run: key('read', 'invoices') },
    'make a key that pays out': { may: ['owner'], run: key('read', 'payouts') },
    'make a key that exchanges': { may: ['owner'], run: key('exchange') },
    'revoke a key that reads': { may: DEVELOPERS, run: revocation('read') },
    'revoke a key that pays out': { may: DEVELOPERS, run: revocation('payouts') },
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
  const READS = ['read the team', 'read the audit log', 'read the keys']
  /** The rows that a refused command must not change. */
  const stateOf = async (merchantId: string): Promise<unknown> => {
    const [{ rows: members }, { rows: invitations }, { rows: audit }, { rows: keys }] = [
      await sql`select * from dashboard_members where merchant_id = ${merchantId} order by person_id`.execute(db),
      await sql`select * from dashboard_invitations where merchant_id = ${merchantId} order by id`.execute(db),
      await sql`select id from dashboard_audit where merchant_id = ${merchantId} order by id`.execute(db),
      await sql`select * from api_keys where merchant_id = ${merchantId} order by id`.execute(db),
    ]
    return { members, invitations, audit, keys }
  }

  test.each(Object.entries(CELLS))(
    'S8 %s: each role may, or is refused and changes nothing',
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
    'S8 %s: refused to an owner of another merchant and to a person of none',
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
