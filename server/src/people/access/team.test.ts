/** Commands about a team: its last owner, the limits of invitations, and the audit log. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { announceSending } from '../../merchants/mail/index.ts'
import { inTransaction, type Tx } from '../../platform/db/index.ts'
import {
  acceptSignedIn,
  changeRole,
  findInvitation,
  invite,
  inviteMember,
  NotAllowed,
  readAudit,
  removeFromTeam,
  removeMember,
  TeamProblem,
  type Role,
  type Session,
} from './index.ts'
import { insertMember } from './people.ts'
import { DEPS, newAddress, NOW, now, nowAt, useTeams } from './test-teams.ts'

const { db, shop, newPerson, memberOf, teamOf, rolesOf } = useTeams()
const HOUR = 3_600_000

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
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = inTransaction(db, async (tx) => {
      await sql`select from dashboard_members where merchant_id = ${merchantId} for update`.execute(tx)
      locked.resolve()
      await released.promise
    })
    await locked.promise
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
    await expect
      .poll(waiting, { timeout: 60_000 })
      .toBe(2)
      .finally(() => released.resolve())
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

  test('count as three to one address, however the mailbox is spelled', async () => {
    const merchantId = await shop()
    const owner = await memberOf(merchantId, 'owner')
    const name = randomUUID()
    const spellings = [
      `${name}@shop.example`,
      `${name}+a@shop.example`,
      `${name}+b@Shop.Example`,
      `${name}+c@shop.example`,
    ]
    const answers: string[] = []
    for (const email of spellings) answers.push(await inviting(owner, merchantId, email))
    expect(answers).toEqual(['none', 'none', 'none', 'limited'])
    // Dots do not make another mailbox of Gmail, whose second domain is the same; elsewhere they do.
    const dotted = ['a.bc', 'ab.c', 'a.b.c', 'abc'].map((dots) => `${dots}${name}`)
    const gmail: string[] = []
    for (const [i, dots] of dotted.entries())
      gmail.push(await inviting(owner, merchantId, `${dots}@${i % 2 === 0 ? 'gmail.com' : 'googlemail.com'}`))
    expect(gmail).toEqual(['none', 'none', 'none', 'limited'])
    for (const dots of dotted) expect(await inviting(owner, merchantId, `${dots}@shop.example`)).toBe('none')
  })

  test('are at most a hundred open ones of a merchant; one that replaces another one is none more', async () => {
    const merchantId = await shop()
    const owner = await memberOf(merchantId, 'owner')
    const first = newAddress()
    const hours = [...Array.from({ length: 5 }).keys()]
    for (const hour of hours)
      for (let n = 0; n < 20; n += 1)
        expect(await inviting(owner, merchantId, hour + n === 0 ? first : newAddress(), nowAt(NOW + hour * HOUR))).toBe(
          'none',
        )
    const [later, expired] = [nowAt(NOW + 5 * HOUR), nowAt(NOW + 7 * 24 * HOUR)]
    expect(await inviting(owner, merchantId, newAddress(), later)).toBe('full')
    expect(await inviting(owner, merchantId, first, later)).toBe('none')
    expect(await inviting(owner, merchantId, newAddress(), expired)).toBe('none')
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

test('a member of two merchants keeps the role at one while it changes, or ends, at the other', async () => {
  const [merchantId, other] = [await shop(), await shop()]
  const [owner, member] = [await memberOf(merchantId, 'owner'), await memberOf(other, 'finance')]
  const personId = member.person.id
  await inTransaction(db, (tx) => insertMember(tx, { merchantId, personId, role: 'viewer' }, now.real))
  await inTransaction(db, (tx) => changeRole(tx, owner, { merchantId, personId, role: 'admin' }, now))
  expect([await rolesOf(merchantId), await rolesOf(other)]).toEqual([['admin', 'owner'], ['finance']])
  await inTransaction(db, (tx) => removeFromTeam(tx, owner, { merchantId, personId }, now))
  expect([await rolesOf(merchantId), await rolesOf(other)]).toEqual([['owner'], ['finance']])
})

test('owners are mailed about a person who joins, and about a role that may approve payouts', async () => {
  const merchantId = await shop()
  const [owner, admin] = [await memberOf(merchantId, 'owner'), await memberOf(merchantId, 'admin')]
  const person = await newPerson()
  const { email } = person.person
  const mails = async (): Promise<unknown[]> =>
    (
      await sql`select recipient as "to", data ->> 'event' as event, data ->> 'detail' as detail, data ->> 'by' as by
        from mails where merchant_id = ${merchantId} and kind = 'merchant-changed' order by created_at, id`.execute(db)
    ).rows
  const accept = async (role: Role, actor: string): Promise<void> => {
    const given = { merchantId, email, role, language: 'en', actor } as const
    const { url } = await inTransaction(db, (tx) => invite(tx, given, DEPS, now))
    const invitation = (await findInvitation(db, new URL(url).pathname.split('/').at(-1)!, now.real))!
    expect(await acceptSignedIn({ db }, invitation, person, now)).toBe(true)
  }
  await accept('finance', `person:${admin.person.id}`)
  const joined = { to: owner.person.email, event: 'member-joined', by: admin.person.email }
  const expected: object[] = [{ ...joined, detail: `${email} (finance)` }]
  expect(await mails()).toEqual(expected)
  for (const [before, role] of [
    ['finance', 'viewer'],
    ['viewer', 'approver'],
    ['approver', 'admin'],
    ['admin', 'support'],
    ['support', 'owner'],
  ] as const) {
    await inTransaction(db, (tx) => changeRole(tx, owner, { merchantId, personId: person.person.id, role }, now))
    const detail = `${email} (${before} → ${role})`
    if (role !== 'viewer' && role !== 'support')
      expected.push({ to: owner.person.email, event: 'role-changed', detail, by: owner.person.email })
    expect(await mails()).toEqual(expected)
  }
  await inTransaction(db, (tx) => removeMember(tx, { merchantId, email, actor: 'cli:test' }, now))
  await accept('owner', 'cli:test')
  expect(await mails()).toEqual([...expected, { ...joined, detail: `${email} (owner)`, by: null }])
})

test('two invitations of an address that are open at once make it a member once: the second changes no role', async () => {
  const merchantId = await shop()
  const owner = await memberOf(merchantId, 'owner')
  const person = await newPerson()
  const { email } = person.person
  const invitedIn = async (tx: Tx, role: Role): Promise<string> => {
    const given = { merchantId, email, role, language: 'en', actor: 'cli:test' } as const
    return new URL((await invite(tx, given, DEPS, now)).url).pathname.split('/').at(-1)!
  }
  const invited = (role: Role): Promise<string> => inTransaction(db, (tx) => invitedIn(tx, role))
  // Two operators invite at once: neither sees the invitation of the other, so neither withdraws it.
  const [asOwner, asViewer] = await inTransaction(db, async (tx) => [
    await invitedIn(tx, 'owner'),
    await invited('viewer'),
  ])
  const accept = async (token: string): Promise<boolean> =>
    acceptSignedIn({ db }, (await findInvitation(db, token, now.real))!, person, now)
  expect(await accept(asOwner!)).toBe(true)
  await inTransaction(db, (tx) => removeFromTeam(tx, owner, { merchantId, personId: owner.person.id }, now))
  expect(await accept(asViewer!)).toBe(false)
  expect(await rolesOf(merchantId)).toEqual(['owner'])
  // An invitation after the person was removed makes them a member again.
  await inTransaction(db, (tx) => removeMember(tx, { merchantId, email, actor: 'cli:test' }, now))
  expect(await accept(await invited('viewer'))).toBe(true)
  expect(await rolesOf(merchantId)).toEqual(['viewer'])
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
