/** The pages Team and Audit log, with the rights of the api's database role. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createAuthenticator } from '../../../../test/world/authenticator.ts'
import { carriedFields, fieldOf, textOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import type { Role } from '../access/index.ts'

const { edge, browse, inviteTo, newAddress, origin } = useDashboard()
const MINUTE = 60_000

const shop = async (name = 'Shop'): Promise<string> => (await makeMerchant(edge.db, edge.clock.ms, { name })).id
const teamAt = (merchantId: string): string => `/app/merchants/${merchantId}/team`
const auditAt = (merchantId: string): string => `/app/merchants/${merchantId}/audit`

/** A person who has accepted an invitation with a passkey. */
const join = async (merchantId: string, role: Role = 'owner', email = newAddress(), given?: string) => {
  const [path, browser, key] = [
    given ?? (await inviteTo(email, role, merchantId)),
    browse(),
    createAuthenticator(origin),
  ]
  const answer = key.make(await browser.optionsOf(path, 'passkey'))
  expect((await browser.post(path, { do: 'passkey', name: 'Laptop', answer })).status).toBe(303)
  const { rows } = await sql<{ id: string }>`select id from dashboard_people where address = ${email}`.execute(edge.db)
  return { email, browser, key, id: rows[0]!.id }
}
/** The path of the link in the newest mail to an address. */
const linkTo = async (email: string): Promise<string> => {
  const { rows } = await sql<{ url: string }>`select data ->> 'joinUrl' as url from mails
    where recipient = ${email} and kind = 'dashboard-invitation' order by created_at desc, id desc limit 1`.execute(
    edge.db,
  )
  return new URL(rows[0]!.url).pathname
}
const invitationIdOf = async (email: string): Promise<string> =>
  (
    await sql<{ id: string }>`select id from dashboard_invitations where address = ${email}
      and withdrawn_at is null`.execute(edge.db)
  ).rows[0]!.id

describe('the page Team', () => {
  test('invites a person, who joins by the mail, changes their role, and removes them: all of it is in the audit log', async () => {
    const merchantId = await shop('Kava')
    const owner = await join(merchantId)
    const email = newAddress()
    const sent = await owner.browser.post(teamAt(merchantId), {
      do: 'invite',
      invitee: email,
      'invitee-role': 'finance',
    })
    expect([sent.status, sent.headers['location']]).toEqual([303, `${teamAt(merchantId)}?done=1`])
    const waiting = textOf(await owner.browser.get(teamAt(merchantId)))
    expect(waiting).toContain(`${email} finance, invited by ${owner.email}`)

    const person = await join(merchantId, 'finance', email, await linkTo(email))
    expect(textOf(await person.browser.get(teamAt(merchantId)))).toContain(`${email} (you) finance`)
    const change = { do: 'change-role', id: person.id, role: 'viewer' }
    expect((await owner.browser.post(teamAt(merchantId), change)).status).toBe(303)
    expect(textOf(await person.browser.get(teamAt(merchantId)))).toContain(`${email} (you) viewer`)
    expect((await owner.browser.post(teamAt(merchantId), { do: 'remove', id: person.id })).status).toBe(303)
    expect((await person.browser.get(teamAt(merchantId))).status).toBe(404)

    const audit = textOf(await owner.browser.get(auditAt(merchantId)))
    for (const line of [
      `Removed from a merchant: ${email} ${owner.email}`,
      `Changed the role: ${email} (finance → viewer) ${owner.email}`,
      `Joined a merchant (finance) ${email}`,
      `Invited: ${email} (finance) ${owner.email}`,
      `Invited: ${owner.email} (owner) operator`,
    ])
      expect(audit).toContain(line)
  })

  test('sends an open invitation again with another link, and withdraws it', async () => {
    const merchantId = await shop()
    const owner = await join(merchantId)
    const email = newAddress()
    await owner.browser.post(teamAt(merchantId), { do: 'invite', invitee: email, 'invitee-role': 'viewer' })
    const first = await linkTo(email)
    edge.clock.ms += 1
    const again = { do: 'resend', id: await invitationIdOf(email) }
    expect((await owner.browser.post(teamAt(merchantId), again)).status).toBe(303)
    const second = await linkTo(email)
    expect((await browse().get(first)).status).toBe(404)
    expect((await browse().get(second)).status).toBe(200)
    expect((await owner.browser.post(teamAt(merchantId), again)).status).toBe(400)
    const withdrawal = { do: 'withdraw', id: await invitationIdOf(email) }
    expect((await owner.browser.post(teamAt(merchantId), withdrawal)).status).toBe(303)
    expect((await browse().get(second)).status).toBe(404)
    expect(textOf(await owner.browser.get(teamAt(merchantId)))).not.toContain(email)
  })

  test('offers each role what it may do, and refuses the rest with a page', async () => {
    const merchantId = await shop()
    const [owner, admin, viewer] = [
      await join(merchantId),
      await join(merchantId, 'admin'),
      await join(merchantId, 'viewer'),
    ]
    const pages = await Promise.all([owner, admin, viewer].map(({ browser }) => browser.get(teamAt(merchantId))))
    const formsIn = ({ text }: { text: string }, does: string): number =>
      text.split(`name="do" value="${does}"`).length - 1
    expect(pages.map((page) => formsIn(page, 'remove'))).toEqual([3, 2, 0])
    expect(pages.map((page) => formsIn(page, 'invite'))).toEqual([1, 1, 0])
    expect(pages.map(({ text }) => text.includes('<option value="owner"'))).toEqual([true, false, false])
    expect(pages.map(({ text }) => text.includes(auditAt(merchantId)))).toEqual([true, true, false])
    expect(textOf(pages[2]!)).toContain(owner.email)
    for (const refused of [
      await viewer.browser.get(auditAt(merchantId)),
      await viewer.browser.post(teamAt(merchantId), { do: 'remove', id: owner.id }),
      await admin.browser.post(teamAt(merchantId), { do: 'change-role', id: owner.id, role: 'viewer' }),
      await admin.browser.post(teamAt(merchantId), { do: 'change-role', id: admin.id, role: 'owner' }),
    ])
      expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining('Your role does not allow this')])
    expect((await owner.browser.get(teamAt(merchantId))).status).toBe(200)
  })

  test('says why it refuses, and shows the typed text again', async () => {
    const merchantId = await shop()
    const owner = await join(merchantId)
    const sent = async (fields: Record<string, string>): Promise<string> => {
      const page = await owner.browser.post(teamAt(merchantId), fields)
      expect(page.status).toBe(400)
      return textOf(page)
    }
    const invite = { do: 'invite', 'invitee-role': 'support' }
    expect(await sent({ ...invite, invitee: owner.email })).toContain('is a member of this merchant already')
    const wrong = await owner.browser.post(teamAt(merchantId), { ...invite, invitee: 'olena at shop' })
    expect(textOf(wrong)).toContain('This is not a mail address')
    expect(wrong.text).toContain('value="olena at shop"')
    expect(wrong.text).toContain('<option value="support" selected>')
    expect(await sent({ do: 'remove', id: owner.id })).toContain('The merchant must have an owner')
    for (const fields of [{ do: 'reset-access', id: owner.id }, { ...invite, 'invitee-role': 'boss' }, {}])
      expect(await sent(fields as Record<string, string>)).toContain('nothing was changed')
  })

  test('without a recent proof keeps the typed text, and returns to it after the proof', async () => {
    const merchantId = await shop()
    const { browser, key } = await join(merchantId)
    edge.clock.ms += 5 * MINUTE + 1
    const email = newAddress()
    const typed = { do: 'invite', invitee: email, 'invitee-role': 'support' }
    const asked = await browser.post(teamAt(merchantId), typed)
    expect([asked.status, fieldOf(asked, 'next'), fieldOf(asked, 'draft-invitee')]).toEqual([
      403,
      teamAt(merchantId),
      email,
    ])
    const answer = key.use(await browser.optionsOf(teamAt(merchantId), 'prove-passkey'))
    const proved = await browser.post('/app/security', {
      do: 'prove-passkey',
      answer,
      next: fieldOf(asked, 'next'),
      ...carriedFields(asked),
    })
    const page = await browser.get(String(proved.headers['location']))
    expect([page.status, textOf(page)]).toEqual([200, expect.stringContaining('Confirmed')])
    expect(page.text).toContain(`value="${email}"`)
    expect(page.text).toContain('<option value="support" selected>')
    expect((await browser.post(teamAt(merchantId), typed)).status).toBe(303)
  })

  test('keeps the typed text when the session has ended, and returns to it after signing in', async () => {
    const merchantId = await shop()
    const { browser, key } = await join(merchantId)
    edge.clock.ms += 61 * MINUTE
    const email = newAddress()
    const asked = await browser.post(teamAt(merchantId), { do: 'invite', invitee: email, 'invitee-role': 'viewer' })
    expect([asked.status, fieldOf(asked, 'next'), fieldOf(asked, 'draft-invitee')]).toEqual([
      401,
      teamAt(merchantId),
      email,
    ])
    const answer = key.use(await browser.optionsOf('/app/sign-in', 'passkey'))
    const back = await browser.post('/app/sign-in', {
      do: 'passkey',
      answer,
      next: fieldOf(asked, 'next'),
      ...carriedFields(asked),
    })
    const page = await browser.get(String(back.headers['location']))
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`value="${email}"`)])
  })

  test('shows no text that a link of another site or of another person holds', async () => {
    const merchantId = await shop()
    const [owner, admin] = [await join(merchantId), await join(merchantId, 'admin')]
    const evil = 'thief@evil.example'
    const plain = new URLSearchParams({ invitee: evil, 'invitee-role': 'owner', proved: '1' }).toString()
    edge.clock.ms += 5 * MINUTE + 1
    const proving = admin.key.use(await admin.browser.optionsOf(teamAt(merchantId), 'prove-passkey'))
    const typed = { next: teamAt(merchantId), invitee: evil, 'invitee-role': 'admin' }
    const own = await admin.browser.post('/app/security', { do: 'prove-passkey', answer: proving, ...typed })
    const sealed = String(own.headers['location'])
    expect((await admin.browser.get(sealed)).text).toContain(evil)
    expect(sealed).not.toContain('evil.example')
    for (const path of [`${teamAt(merchantId)}?${plain}`, sealed, `/app/security?name=${evil}`]) {
      const page = await owner.browser.get(path)
      expect([path, page.status, page.text.includes(evil)]).toEqual([path, 200, false])
    }
  })

  test('takes no form from another site', async () => {
    const merchantId = await shop()
    const { browser } = await join(merchantId)
    const fields = { do: 'invite', invitee: newAddress(), 'invitee-role': 'viewer' }
    for (const headers of [['origin', 'https://evil.example'], ['origin', 'null'], []])
      expect((await browser.post(teamAt(merchantId), fields, headers)).status).toBe(400)
    expect(textOf(await browser.get(teamAt(merchantId)))).not.toContain(fields.invitee)
  })
})

describe('ids of another merchant', () => {
  test('in the path are answered as unknown ones, also when signed out', async () => {
    const [own, other] = [await shop(), await shop()]
    const [mine] = [await join(own), await join(other)]
    const unknown = '00000000-0000-7000-8000-000000000000'
    const fields = { do: 'invite', invitee: newAddress(), 'invitee-role': 'viewer' }
    const shown = async (browser: typeof mine.browser, id: string): Promise<string[]> =>
      (await Promise.all([browser.get(teamAt(id)), browser.get(auditAt(id)), browser.post(teamAt(id), fields)])).map(
        (answer) => {
          const text = textOf(answer).replace(/Request \S+/, '')
          return `${answer.status} ${String(answer.headers['location'])} ${text}`.replaceAll(id, 'ID')
        },
      )
    const theirs = await shown(mine.browser, other)
    expect(theirs).toEqual(await shown(mine.browser, unknown))
    expect(theirs.map((text) => text.slice(0, 3))).toEqual(['404', '404', '404'])
    expect(await shown(browse(), other)).toEqual(await shown(browse(), unknown))
  })

  test('in a form are answered as unknown ones, and nothing of the other merchant changes', async () => {
    const [own, other] = [await shop(), await shop()]
    const [mine, theirs] = [await join(own), await join(other)]
    const email = newAddress()
    await theirs.browser.post(teamAt(other), { do: 'invite', invitee: email, 'invitee-role': 'viewer' })
    const unknown = '00000000-0000-7000-8000-000000000000'
    const shown = async (fields: Record<string, string>): Promise<string> => {
      const { status, text } = await mine.browser.post(teamAt(own), fields)
      return `${status} ${/role="alert"><[^]*?<p>([^<]*)/.exec(text)?.[1]}`
    }
    for (const [fields, id] of [
      [{ do: 'remove' }, theirs.id],
      [{ do: 'change-role', role: 'viewer' }, theirs.id],
      [{ do: 'resend' }, await invitationIdOf(email)],
      [{ do: 'withdraw' }, await invitationIdOf(email)],
    ] as const) {
      const answer = await shown({ ...fields, id })
      expect(answer).toMatch(/^400 There is no such member/)
      expect(answer).toBe(await shown({ ...fields, id: unknown }))
    }
    expect(textOf(await theirs.browser.get(teamAt(other)))).toContain(`${email} viewer`)
    expect(textOf(await mine.browser.get(auditAt(own)))).not.toContain(email)
  })
})

test('the audit log is shown in pages, the newest first', async () => {
  const merchantId = await shop()
  const { browser } = await join(merchantId)
  // Raw: more actions than the limits of invitations allow in an hour.
  await sql`insert into dashboard_audit(id, at, merchant_id, person_id, actor, action, detail)
    select gen_random_uuid(), ${new Date(edge.clock.ms)}::timestamptz + n * interval '1 second', ${merchantId}, null,
      'cli:root', 'invited', jsonb_build_object('email', 'p-' || n || '@shop.example', 'role', 'viewer')
    from generate_series(1, 60) n`.execute(edge.db)
  const first = await browser.get(auditAt(merchantId))
  expect(textOf(first)).toContain('Invited: p-60@shop.example (viewer) operator')
  expect(textOf(first)).not.toContain('root')
  expect(textOf(first)).not.toContain('p-10@shop.example')
  const older = /href="([^"]*\?before=[^"]*)"/.exec(first.text)![1]!
  const second = await browser.get(older)
  expect(textOf(second)).toContain('p-10@shop.example')
  expect(textOf(second)).not.toContain('p-11@shop.example')
  expect(second.text).not.toContain('?before=')
})

test.each(LANGUAGES)('pages in %s have texts for every action and role', async (language) => {
  const merchantId = await shop()
  const owner = await join(merchantId)
  const email = newAddress()
  await owner.browser.post(teamAt(merchantId), { do: 'invite', invitee: email, 'invitee-role': 'viewer' })
  await owner.browser.post(teamAt(merchantId), { do: 'withdraw', id: await invitationIdOf(email) })
  const [team, audit, security] = [
    await owner.browser.get(`${teamAt(merchantId)}?lang=${language}`),
    await owner.browser.get(`${auditAt(merchantId)}?lang=${language}`),
    await owner.browser.get(`/app/security?lang=${language}`),
  ]
  for (const page of [team, audit, security]) expect(page.text).toContain(`<html lang="${language}">`)
  if (language === 'en') return
  for (const word of ['withdrew', 'invited', 'joined', 'viewer', 'owner', 'operator'])
    expect(textOf(audit)).not.toMatch(new RegExp(String.raw`\b${word}\b`))
})
