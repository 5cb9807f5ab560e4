/** What each role may do for a merchant, by the commands themselves. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { makeMerchant, momentAt } from '../../../../test/world/merchant.ts'
import { announceSending } from '../../merchants/mail/index.ts'
import { setDisabled } from '../../merchants/accounts/index.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import {
  can,
  changeRole,
  invite,
  inviteMember,
  NotAllowed,
  PERMISSIONS,
  ProofNeeded,
  readAudit,
  readTeam,
  removeFromTeam,
  removeMember,
  resendInvitation,
  ROLES,
  TeamProblem,
  withdrawInvitation,
  type Action,
  type Now,
  type Role,
  type Session,
} from './index.ts'
import { insertMember, insertPerson } from './people.ts'
import { findSession, openSession } from './sessions.ts'

const { db } = useDb()
const NOW = 1_800_000_000_000
const HOUR = 3_600_000
const DEPS = { random: randomBytes, publicUrl: 'https://pay.example' }
const nowAt = (ms: number): Now => ({ real: new Date(ms), moment: momentAt(ms) })
const now = nowAt(NOW)

beforeAll(() => announceSending(db, true, new Date(NOW)))

const shop = async (): Promise<string> => (await makeMerchant(db, NOW)).id
const newAddress = (): string => `person-${randomUUID()}@shop.example`

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

const EVERY = [...ROLES]
const MANAGERS: Role[] = ['owner', 'admin']

describe('the table of permissions', () => {
  // Written by hand: the generated table must be this one.
  const EXPECTED: Record<Action, readonly Role[]> = {
    'see-payments': EVERY,
    'see-balances': ['owner', 'admin', 'finance', 'approver', 'viewer'],
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
  /** What a refused command must not change. */
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

const troubleOf = (work: (tx: Tx) => Promise<unknown>): Promise<string> =>
  inTransaction(db, work).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof TeamProblem) return error.trouble
      throw error
    },
  )

describe('the last owner', () => {
  test('is neither removed nor changed, not even by themselves', async () => {
    const merchantId = await shop()
    const owner = await memberOf(merchantId, 'owner')
    const personId = owner.person.id
    expect(await troubleOf((tx) => removeFromTeam(tx, owner, { merchantId, personId }, now))).toBe('last-owner')
    expect(await troubleOf((tx) => changeRole(tx, owner, { merchantId, personId, role: 'admin' }, now))).toBe(
      'last-owner',
    )
    const second = await memberOf(merchantId, 'owner')
    expect(await troubleOf((tx) => changeRole(tx, second, { merchantId, personId, role: 'admin' }, now))).toBe('none')
    expect(await rolesOf(merchantId)).toEqual(['admin', 'owner'])
  })

  test('stays when two owners remove each other at once', async () => {
    const merchantId = await shop()
    const [one, other] = [await memberOf(merchantId, 'owner'), await memberOf(merchantId, 'owner')]
    // A third transaction holds the rows, so that both wait before either has counted the owners.
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const holding = inTransaction(db, async (tx) => {
      await sql`select from dashboard_members where merchant_id = ${merchantId} for update`.execute(tx)
      await held
    })
    const both = [
      inTransaction(db, (tx) => removeFromTeam(tx, one, { merchantId, personId: other.person.id }, now)),
      inTransaction(db, (tx) => removeFromTeam(tx, other, { merchantId, personId: one.person.id }, now)),
    ].map((removal) =>
      removal.then(
        () => 'removed',
        (error: unknown) => (error instanceof NotAllowed ? 'refused' : error),
      ),
    )
    const waiting = async (): Promise<number> =>
      (
        await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      ).rows.length
    await expect.poll(waiting, { timeout: 60_000 }).toBe(2)
    release()
    await holding
    expect((await Promise.all(both)).toSorted()).toEqual(['refused', 'removed'])
    expect(await rolesOf(merchantId)).toEqual(['owner'])
  })
})

describe('invitations of members', () => {
  const inviting = (session: Session, merchantId: string, email: string, at = now, role: Role = 'viewer') =>
    troubleOf((tx) => inviteMember(tx, session, { merchantId, email, role, language: 'en' }, DEPS, at))

  test('are at most three an hour to an address, and twenty for a merchant', async () => {
    const merchantId = await shop()
    const [owner, email] = [await memberOf(merchantId, 'owner'), newAddress()]
    for (let n = 0; n < 3; n += 1) expect(await inviting(owner, merchantId, email)).toBe('none')
    expect(await inviting(owner, merchantId, email)).toBe('limited')
    for (let n = 0; n < 17; n += 1) expect(await inviting(owner, merchantId, newAddress())).toBe('none')
    expect(await inviting(owner, merchantId, newAddress())).toBe('limited')
    expect(await inviting(owner, merchantId, email, nowAt(NOW + HOUR - 1))).toBe('limited')
    expect(await inviting(owner, merchantId, email, nowAt(NOW + HOUR))).toBe('none')
    const other = await shop()
    expect(await inviting(await memberOf(other, 'owner'), other, newAddress())).toBe('none')
  })

  test('reach one mailbox ten times an hour from all merchants, regardless of the spelling of the address', async () => {
    const mailbox = `victim-${randomUUID()}`
    const answers: string[] = []
    for (let n = 0; n < 12; n += 1) {
      const merchantId = await shop()
      answers.push(await inviting(await memberOf(merchantId, 'owner'), merchantId, `${mailbox}+${n}@shop.example`))
    }
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 'none'), 'limited', 'limited'])
  })

  test('answer an address with an account at another merchant as one without', async () => {
    const [merchantId, other] = [await shop(), await shop()]
    const [owner, known] = [await memberOf(merchantId, 'owner'), await memberOf(other, 'owner')]
    const unknown = newAddress()
    for (const email of [known.person.email, unknown]) expect(await inviting(owner, merchantId, email)).toBe('none')
    const { invitations } = await teamOf(merchantId)
    const { actions } = await readAudit(db, owner.person.id, { merchantId, before: null, most: 10 })
    const shown = [known.person.email, unknown].map((email) => ({
      invitation: invitations.filter((one) => one.email === email).map(({ role, invitedBy }) => ({ role, invitedBy })),
      actions: actions.filter((one) => one.about === email).map(({ by, action, role }) => ({ by, action, role })),
    }))
    expect(shown[0]!.actions).toHaveLength(1)
    expect(shown[0]).toEqual(shown[1])
    expect(await inviting(owner, merchantId, owner.person.email.toUpperCase())).toBe('member')
    expect(await inviting(owner, merchantId, 'no address')).toBe('address')
  })

  test('are not stored, and show no link, where no mail is sent', async () => {
    const merchantId = await shop()
    const owner = await memberOf(merchantId, 'owner')
    await announceSending(db, false, new Date(NOW))
    try {
      expect(await inviting(owner, merchantId, newAddress())).toBe('no-mail')
      expect((await teamOf(merchantId)).invitations).toEqual([])
    } finally {
      await announceSending(db, true, new Date(NOW))
    }
  })

  test('end with the right to send them: a removed member can not return by their own', async () => {
    const merchantId = await shop()
    const [owner, admin, second] = [
      await memberOf(merchantId, 'owner'),
      await memberOf(merchantId, 'admin'),
      await memberOf(merchantId, 'owner'),
    ]
    await inviting(admin, merchantId, newAddress())
    await inviting(second, merchantId, newAddress(), now, 'owner')
    await inviting(second, merchantId, newAddress())
    const open = async (): Promise<string[]> =>
      (await teamOf(merchantId)).invitations.map(({ role, invitedBy }) => `${role} by ${invitedBy}`).toSorted()
    const ofSecond = `viewer by ${second.person.email}`
    expect(await open()).toHaveLength(3)
    await inTransaction(db, (tx) =>
      changeRole(tx, owner, { merchantId, personId: second.person.id, role: 'admin' }, now),
    )
    expect(await open()).toEqual([`viewer by ${admin.person.email}`, ofSecond].toSorted())
    // The operator removes a member by command.
    await inTransaction(db, (tx) => removeMember(tx, { merchantId, email: admin.person.email, actor: 'cli:test' }, now))
    expect(await open()).toEqual([ofSecond])
    await inTransaction(db, (tx) => removeFromTeam(tx, owner, { merchantId, personId: second.person.id }, now))
    expect(await open()).toEqual([])
  })
})

test('the audit log is read in pages that neither repeat nor skip, and begin behind no row of another merchant', async () => {
  const [merchantId, other] = [await shop(), await shop()]
  const [owner, stranger] = [await memberOf(merchantId, 'owner'), await memberOf(other, 'owner')]
  // Seven actions, several at the same moment.
  for (let n = 0; n < 7; n += 1)
    await inTransaction(db, (tx) =>
      inviteMember(
        tx,
        owner,
        { merchantId, email: newAddress(), role: 'viewer', language: 'en' },
        DEPS,
        nowAt(NOW + Math.floor(n / 3)),
      ),
    )
  await inTransaction(db, (tx) =>
    inviteMember(tx, stranger, { merchantId: other, email: newAddress(), role: 'viewer', language: 'en' }, DEPS, now),
  )
  const page = (before: string | null) => readAudit(db, owner.person.id, { merchantId, before, most: 3 })
  const all = (await readAudit(db, owner.person.id, { merchantId, before: null, most: 100 })).actions
  const read: string[] = []
  let [before, hasMore]: [string | null, boolean] = [null, true]
  while (hasMore) {
    const got = await page(before)
    read.push(...got.actions.map(({ id }) => id))
    ;[before, hasMore] = [got.actions.at(-1)!.id, got.hasMore]
  }
  expect(all).toHaveLength(7)
  expect(read).toEqual(all.map(({ id }) => id))
  const theirs = (await readAudit(db, stranger.person.id, { merchantId: other, before: null, most: 1 })).actions[0]!.id
  const nothing = { actions: [], hasMore: false }
  expect([await page(theirs), await page(randomUUID())]).toEqual([nothing, nothing])
})
