/** Passkeys over the pages of the dashboard, with a double of the authenticator. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createAuthenticator, type Answering } from '../../../../test/world/authenticator.ts'
import { fieldOf, seedOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { nowOf, removeMember } from '../access/index.ts'

const { edge, deps, browse, inviteTo, newAddress, codeAt, origin } = useDashboard()
const HOUR = 3_600_000

/** A person who has accepted an invitation with a passkey. */
const join = async (how?: Answering) => {
  const email = newAddress()
  const [path, browser, key] = [await inviteTo(email), browse(), createAuthenticator(origin)]
  const answer = key.make(await browser.optionsOf(path, 'passkey'), how)
  const joined = await browser.post(path, { do: 'passkey', name: 'Laptop', answer })
  return { email, path, browser, key, answer, joined }
}
const signInWith = async (browser: TestBrowser, key: ReturnType<typeof createAuthenticator>, how?: Answering) => {
  const options = await browser.optionsOf('/app/sign-in', 'passkey')
  return browser.post('/app/sign-in', { do: 'passkey', answer: key.use(options, how) })
}
const rowsOf = async (email: string) =>
  (
    await sql<{ counter: number; name: string }>`select k.counter::int as counter, k.name from dashboard_passkeys k
      join dashboard_people p on p.id = k.person_id where p.address = ${email}`.execute(edge.db)
  ).rows

describe('an invitation', () => {
  test('is accepted with a new passkey: the person is signed in, a member, and can sign in again', async () => {
    const { email, browser, key, joined } = await join()
    expect([joined.status, joined.headers['location']]).toEqual([303, '/app'])
    expect(joined.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-bursar=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ])
    expect(textOf(await browser.get('/app'))).toMatch(/Shop owner/)
    expect(await rowsOf(email)).toEqual([{ counter: 1, name: 'Laptop' }])
    const other = browse()
    expect((await signInWith(other, key)).status).toBe(303)
    expect(textOf(await other.get('/app/security'))).toContain('Laptop')
  })

  test('is used once, also by two browsers at the same moment', async () => {
    const { path, browser, answer } = await join()
    const again = await browse().post(path, { do: 'passkey', answer, name: 'again' })
    expect([again.status, textOf(again)]).toEqual([404, expect.stringContaining('can not be used')])
    expect((await browser.get(path)).status).toBe(404)

    const email = newAddress()
    const twice = await inviteTo(email)
    const browsers = [browse(), browse()]
    const forms: { answer: string; name: string }[] = []
    for (const one of browsers)
      forms.push({ answer: createAuthenticator(origin).make(await one.optionsOf(twice, 'passkey')), name: 'one' })
    const both = await Promise.all(
      browsers.map(async (one, i) => (await one.post(twice, { do: 'passkey', ...forms[i]! })).status),
    )
    expect(both.toSorted((a, b) => a - b)).toEqual([303, 404])
    expect(await rowsOf(email)).toHaveLength(1)
  })

  test('takes no passkey that a certificate attests: the server would fetch the revocation lists that it names', async () => {
    const email = newAddress()
    const [path, browser] = [await inviteTo(email), browse()]
    const answer = createAuthenticator(origin).make(await browser.optionsOf(path, 'passkey'), { attested: true })
    expect((await browser.post(path, { do: 'passkey', name: 'one', answer })).status).toBe(400)
    expect(await rowsOf(email)).toEqual([])
    const plain = createAuthenticator(origin).make(await browser.optionsOf(path, 'passkey'))
    expect((await browser.post(path, { do: 'passkey', name: 'one', answer: plain })).status).toBe(303)
  })

  test('unknown, malformed, withdrawn and expired ones are answered alike', async () => {
    const email = newAddress()
    const withdrawn = await inviteTo(email)
    const expired = await inviteTo(email)
    const known = await browse().get(expired)
    expect(known.status).toBe(200)
    edge.clock.ms += 7 * 24 * HOUR + 1
    const answers = await Promise.all(
      [withdrawn, expired, `/app/join/${'A'.repeat(43)}`, '/app/join/x'].map((path) => browse().get(path)),
    )
    expect(new Set(answers.map((answer) => `${answer.status} ${textOf(answer)}`)).size).toBe(1)
    expect(answers[0]!.status).toBe(404)
  })

  test('S3 to a person who has an account needs their session: the link alone adds no way to sign in', async () => {
    const { email, browser } = await join()
    await inTransaction(edge.db, (tx) =>
      removeMember(tx, { merchantId: edge.merchant.id, email, actor: 'cli:test' }, nowOf(deps.runtime)),
    )
    expect(textOf(await browser.get('/app'))).toContain('You are a member of no merchant')
    const path = await inviteTo(email, 'viewer')
    const thief = browse()
    const page = await thief.get(path)
    expect(page.text).not.toContain('data-options')
    expect(textOf(page)).toContain('Sign in, and open the link again')
    for (const form of [
      { do: 'accept' },
      { do: 'passkey', answer: '{}' },
      { do: 'password', password: 'x'.repeat(20) },
    ])
      expect((await thief.post(path, form)).status).toBe(200)
    expect(thief.cookie).toBeUndefined()
    expect((await browser.post(path, { do: 'accept' })).status).toBe(303)
    expect(textOf(await browser.get('/app'))).toMatch(/Shop viewer/)
    expect((await browser.post(path, { do: 'accept' })).status).toBe(404)
  })
})

describe('a passkey is refused', () => {
  test.each<[string, Answering]>([
    ['for another origin', { origin: 'https://pay.example.evil' }],
    ['for another host', { rpId: 'evil.example' }],
    ['without the person verified', { unverified: true }],
    ['with a counter that went back', { counter: 1 }],
    ['with a counter that is zero after one that was not', { counter: 0 }],
  ])('%s', async (_why, how) => {
    const { key } = await join()
    const browser = browse()
    const answer = await signInWith(browser, key, how)
    expect([answer.status, browser.cookie]).toEqual([400, undefined])
    expect(textOf(answer)).toContain('The passkey was not used')
  })

  test('when its answer is sent again, and when two requests send it at once', async () => {
    const { key } = await join()
    const browser = browse()
    const answer = key.use(await browser.optionsOf('/app/sign-in', 'passkey'))
    const statuses = await Promise.all(
      [browse(), browse()].map(async (one) => (await one.post('/app/sign-in', { do: 'passkey', answer })).status),
    )
    expect(statuses.toSorted((a, b) => a - b)).toEqual([303, 400])
    expect((await browser.post('/app/sign-in', { do: 'passkey', answer })).status).toBe(400)
  })

  test('when its answer is sent again, also by an authenticator that does not count', async () => {
    const { key } = await join({ counter: 0 })
    const answer = key.use(await browse().optionsOf('/app/sign-in', 'passkey'), { counter: 0 })
    expect((await browse().post('/app/sign-in', { do: 'passkey', answer })).status).toBe(303)
    expect((await browse().post('/app/sign-in', { do: 'passkey', answer })).status).toBe(400)
    expect((await signInWith(browse(), key, { counter: 0 })).status).toBe(303)
  })

  test('with a challenge of another page or another time, or an answer that is none', async () => {
    const { browser, key } = await join()
    const adding = await browser.optionsOf('/app/security', 'add-passkey')
    const wrong = key.use({ ...adding, rpId: 'pay.example' })
    expect((await browse().post('/app/sign-in', { do: 'passkey', answer: wrong })).status).toBe(400)
    const old = key.use(await browse().optionsOf('/app/sign-in', 'passkey'))
    edge.clock.ms += 15 * 60_000 + 1
    expect((await browse().post('/app/sign-in', { do: 'passkey', answer: old })).status).toBe(400)
    for (const answer of [
      '',
      '{}',
      'null',
      '[',
      '{"id":"x","response":{"clientDataJSON":"x"}}',
      `"${'x'.repeat(20_000)}"`,
    ])
      expect((await browse().post('/app/sign-in', { do: 'passkey', answer })).status).toBe(400)
  })
})

test('refused answers of a known passkey are in the audit of its person, at most twenty an hour', async () => {
  const { email, key } = await join()
  const recorded = async () =>
    (
      await sql<{ action: string; method: string }>`select action, detail ->> 'method' as method from dashboard_audit a
        join dashboard_people p on p.id = a.person_id where p.address = ${email} and action = 'sign-in refused'`.execute(
        edge.db,
      )
    ).rows
  const fail = () => signInWith(browse(), key, { origin: 'https://evil.example' })
  expect((await fail()).status).toBe(400)
  expect(await recorded()).toEqual([{ action: 'sign-in refused', method: 'passkey' }])
  for (let n = 0; n < 21; n += 1) await fail()
  expect(await recorded()).toHaveLength(20)
  edge.clock.ms += HOUR
  await fail()
  expect(await recorded()).toHaveLength(21)
})

describe('the page Security', () => {
  test('adds and removes passkeys within five minutes of a proof, mails each, and never removes the last way in', async () => {
    const { email, browser, key } = await join()
    const second = createAuthenticator(origin)
    edge.clock.ms += 1
    const answer = second.make(await browser.optionsOf('/app/security', 'add-passkey'))
    expect((await browser.post('/app/security', { do: 'add-passkey', name: 'Phone', answer })).status).toBe(303)
    expect((await browser.post('/app/security', { do: 'add-passkey', name: 'Phone', answer })).status).toBe(400)

    edge.clock.ms += 5 * 60_000 + 1
    const page = await browser.get('/app/security')
    const ids = [...page.text.matchAll(/value="remove-passkey"><input type="hidden" name="id" value="([^"]+)"/g)]
    expect(ids).toHaveLength(2)
    const remove = { do: 'remove-passkey', id: ids[0]![1]! }
    expect((await browser.post('/app/security', remove)).status).toBe(403)
    const third = createAuthenticator(origin).make(await browser.optionsOf('/app/security', 'add-passkey'))
    const stale = await browser.post('/app/security', { do: 'add-passkey', name: 'Tablet of Ivan', answer: third })
    expect([stale.status, stale.text]).toEqual([403, expect.stringContaining('value="Tablet of Ivan"')])

    const before = browser.cookie
    const proof = key.use(await browser.optionsOf('/app/security', 'prove-passkey'))
    expect((await browser.post('/app/security', { do: 'prove-passkey', answer: proof })).status).toBe(303)
    expect(browser.cookie).not.toBe(before)
    const copied = browse()
    copied.cookie = before
    expect((await copied.get('/app/security')).status).toBe(303)
    expect((await browser.post('/app/security', remove)).status).toBe(303)
    const last = await browser.post('/app/security', { do: 'remove-passkey', id: ids[1]![1]! })
    expect([last.status, textOf(last)]).toEqual([400, expect.stringContaining('your only way to sign in')])
    expect(await rowsOf(email)).toEqual([{ counter: 1, name: 'Phone' }])
    expect((await signInWith(browse(), key)).status).toBe(400)
    const { rows } = await sql<{ event: string }>`select data ->> 'event' as event from mails
      where recipient = ${email} and kind = 'dashboard-notice' order by created_at, id`.execute(edge.db)
    expect(rows.map(({ event }) => event)).toEqual(['passkey-added', 'passkey-removed'])
  })

  test('cuts a long name of a passkey between characters', async () => {
    const { email, browser } = await join()
    edge.clock.ms += 1
    const answer = createAuthenticator(origin).make(await browser.optionsOf('/app/security', 'add-passkey'))
    const name = `${'x'.repeat(59)}🔑`
    expect((await browser.post('/app/security', { do: 'add-passkey', name, answer })).status).toBe(303)
    expect((await rowsOf(email)).map((row) => row.name)).toEqual(['Laptop', name])
  })

  test('sets a password for a person who has a passkey only, after a proof: the other sessions end, and the person is mailed', async () => {
    const { email, browser, key } = await join()
    const tablet = browse()
    expect((await signInWith(tablet, key)).status).toBe(303)
    edge.clock.ms += 5 * 60_000 + 1
    const unproved = await browser.get('/app/security')
    expect(textOf(unproved)).toContain('Set a password Confirm first that it is you.')
    expect(unproved.text).not.toContain('value="set-password"')
    const proof = key.use(await browser.optionsOf('/app/security', 'prove-passkey'))
    expect((await browser.post('/app/security', { do: 'prove-passkey', answer: proof })).status).toBe(303)

    const page = await browser.get('/app/security')
    const [seed, sealed] = [seedOf(page), fieldOf(page, 'seed')]
    const form = { do: 'set-password', password: 'orbit velvet cactus', seed: sealed, code: codeAt(seed) }
    const weak = await browser.post('/app/security', { ...form, password: 'short' })
    expect([weak.status, seedOf(weak).equals(seed)]).toEqual([400, true])
    const wrong = await browser.post('/app/security', { ...form, code: '000000' })
    expect([wrong.status, seedOf(wrong).equals(seed)]).toEqual([400, true])
    // The secret of another session, or none.
    const other = fieldOf(await (await join()).browser.get('/app/security'), 'seed')
    for (const foreign of [other, 'x'])
      expect((await browser.post('/app/security', { ...form, seed: foreign })).status).toBe(400)
    const set = await browser.post('/app/security', form)
    expect([set.status, [...set.text.matchAll(/<li class="address">/g)].length]).toEqual([200, 10])

    expect((await tablet.get('/app')).status).toBe(303)
    expect((await browser.get('/app')).status).toBe(200)
    const typed = { do: 'password', email, password: 'orbit velvet cactus' }
    // The code that was typed when the password was set is spent.
    expect((await browse().post('/app/sign-in', { ...typed, code: codeAt(seed) })).status).toBe(400)
    expect((await browse().post('/app/sign-in', { ...typed, code: codeAt(seed, 1) })).status).toBe(303)
    const { rows } = await sql<{ event: string }>`select data ->> 'event' as event from mails
      where recipient = ${email} and kind = 'dashboard-notice'`.execute(edge.db)
    expect(rows.map(({ event }) => event)).toContain('password-set')
  })

  test('takes no proof, no passkey and no session of another person', async () => {
    const [mine, other] = [await join(), await join()]
    edge.clock.ms += 5 * 60_000 + 1
    const challenge = await mine.browser.optionsOf('/app/security', 'prove-passkey')
    const answer = other.key.use(challenge)
    expect((await mine.browser.post('/app/security', { do: 'prove-passkey', answer })).status).toBe(400)
    const proof = mine.key.use(await mine.browser.optionsOf('/app/security', 'prove-passkey'))
    expect((await mine.browser.post('/app/security', { do: 'prove-passkey', answer: proof })).status).toBe(303)
    const theirs = (
      await sql<{ key: string; session: string }>`select k.id as key, s.id as session from dashboard_people p
        join dashboard_passkeys k on k.person_id = p.id join dashboard_sessions s on s.person_id = p.id
        where p.address = ${other.email}`.execute(edge.db)
    ).rows[0]!
    const unknown = '00000000-0000-7000-8000-000000000000'
    const shown = async (form: Record<string, string>) => {
      const { status, text } = await mine.browser.post('/app/security', form)
      return `${status} ${/role="alert"><[^]*?<p>([^<]*)/.exec(text)?.[1]}`
    }
    for (const [does, id] of [
      ['remove-passkey', theirs.key],
      ['end-session', theirs.session],
    ] as const)
      expect(await shown({ do: does, id })).toBe(await shown({ do: does, id: unknown }))
    expect(await rowsOf(other.email)).toHaveLength(1)
    expect((await other.browser.get('/app/security')).status).toBe(200)
  })

  test('lists the sessions with their browsers, and ends one or all others', async () => {
    const { browser, key } = await join()
    const [phone, tablet] = [
      browse('Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1 Version/26.0 Safari/604.1'),
      browse('Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36'),
    ]
    for (const one of [phone, tablet]) expect((await signInWith(one, key)).status).toBe(303)
    const page = await browser.get('/app/security')
    expect(textOf(page)).toMatch(/Firefox, Linux \(this session\)/)
    expect(textOf(page)).toMatch(/Safari, iOS/)
    const id = new RegExp(
      'value="end-session"><input type="hidden" name="id" value="([^"]+)"><button[^>]*Safari, iOS',
    ).exec(page.text)![1]!
    expect((await browser.post('/app/security', { do: 'end-session', id })).status).toBe(303)
    expect((await phone.get('/app')).status).toBe(303)
    expect((await tablet.get('/app')).status).toBe(200)
    expect((await browser.post('/app/security', { do: 'end-others' })).status).toBe(303)
    expect((await tablet.get('/app')).status).toBe(303)
    expect((await browser.get('/app')).status).toBe(200)
  })
})
