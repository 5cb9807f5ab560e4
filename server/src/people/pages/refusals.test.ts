/** Refused sign-ins: the audit, the count of attempts of a browser, and the names of browsers. */
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { PASSWORD, textOf, useDashboard } from '../../../../test/world/dashboard.ts'

const { edge, browse, join, signInWith, newAddress, codeAt } = useDashboard()
const MINUTE = 60_000

// Each one-time code is accepted once.
beforeEach(() => {
  edge.clock.ms += 2 * MINUTE
})

describe('refused sign-ins', () => {
  const refusals = async (email: string) =>
    (
      await sql<{ action: string; method: string; agent: string }>`select action, detail ->> 'method' as method,
          detail ->> 'agent' as agent
        from dashboard_audit a join dashboard_people p on p.id = a.person_id
        where p.address = ${email} and action in ('sign-in refused', 'sign-in blocked') order by a.at, a.id`.execute(
        edge.db,
      )
    ).rows
  const all = async (): Promise<number> =>
    (await sql<{ count: number }>`select count(*)::int as count from dashboard_audit`.execute(edge.db)).rows[0]!.count

  test('are in the audit of the person, with the browser, and so is the beginning of a block', async () => {
    const { email, seed, browser } = await join()
    const typed: [string, string][] = [
      ['000000', PASSWORD],
      [codeAt(seed, 1), 'wrong'],
      ['000000', 'wrong'],
      ['000000', PASSWORD],
      ['000000', PASSWORD],
      // Blocked: it is not recorded again.
      ['000000', PASSWORD],
    ]
    for (const [code, password] of typed) {
      edge.clock.ms += 1
      await signInWith(browse('curl/8'), email, code, password)
    }
    const refused = { action: 'sign-in refused', method: 'password', agent: 'curl/8' }
    expect(await refusals(email)).toEqual([
      refused,
      refused,
      refused,
      refused,
      { ...refused, action: 'sign-in blocked' },
    ])
    const shown = textOf(await browser.get('/app/security'))
    expect(shown).toContain('passwords were blocked for a while')
    expect(shown).toContain('Set up sign-in')
  })

  test('with an address that has no account are in no audit', async () => {
    const before = await all()
    for (const email of [newAddress(), 'no address', '']) await signInWith(browse(), email, '000000')
    expect(await all()).toBe(before)
  })
})

describe('a browser in which the person has signed in before', () => {
  const block = async (email: string): Promise<void> => {
    for (let n = 0; n < 5; n += 1) expect((await signInWith(browse(), email, '000000')).status).toBe(400)
  }

  test('can sign in while failures of others have blocked the address, and does not end the block for them', async () => {
    const { email, codes, browser } = await join()
    await browser.get('/app')
    await browser.post('/app/sign-out', {})
    await block(email)
    expect((await signInWith(browse(), email, codes[0]!)).status).toBe(400)
    expect((await signInWith(browser, email, codes[0]!)).status).toBe(303)
    expect((await signInWith(browse(), email, codes[1]!)).status).toBe(400)
  })

  test('stays known as the browser of each person who has signed in there', async () => {
    const [first, second] = [await join(), await join()]
    const { browser } = first
    await browser.get('/app')
    await browser.post('/app/sign-out', {})
    expect((await signInWith(browser, second.email, second.codes[0]!)).status).toBe(303)
    await browser.get('/app')
    await browser.post('/app/sign-out', {})
    for (const { email, codes } of [first, second]) {
      await block(email)
      expect((await signInWith(browser, email, codes[1]!)).status).toBe(303)
      await browser.post('/app/sign-out', {})
    }
  })

  test('keeps at most four cookies of people, the newest', async () => {
    const people = [await join(), await join(), await join(), await join(), await join()]
    const browser = browse()
    for (const { email, codes } of people) {
      await signInWith(browser, email, codes[0]!)
      await browser.get('/app')
      await browser.post('/app/sign-out', {})
    }
    expect(browser.device).toMatch(/^[\w-]{48}(\.[\w-]{48}){3}$/)
    await block(people[0]!.email)
    expect((await signInWith(browser, people[0]!.email, people[0]!.codes[1]!)).status).toBe(400)
    await block(people[1]!.email)
    expect((await signInWith(browser, people[1]!.email, people[1]!.codes[1]!)).status).toBe(303)
  })

  test('is blocked by its own failures, and then blocks no other browser', async () => {
    const { email, codes, browser } = await join()
    await browser.get('/app')
    const device = browser.device
    for (let n = 0; n < 5; n += 1) {
      const copy = browse()
      copy.device = device
      expect((await signInWith(copy, email, '000000')).status).toBe(400)
    }
    expect((await signInWith(browser, email, codes[0]!)).status).toBe(400)
    expect((await signInWith(browse(), email, codes[0]!)).status).toBe(303)
  })

  test.each<[string, (device: string) => string]>([
    ['of another person', (device) => device],
    ['that was changed', (device) => `${device.startsWith('A') ? 'B' : 'A'}${device.slice(1)}`],
    ['that was made up', () => 'A'.repeat(48)],
    ['that is none', () => 'x'],
  ])('is known by no cookie %s', async (_which, change) => {
    const [victim, other] = [await join(), await join()]
    await other.browser.get('/app')
    await block(victim.email)
    const attacker = browse()
    attacker.device = change(other.browser.device!)
    expect((await signInWith(attacker, victim.email, victim.codes[0]!)).status).toBe(400)
  })

  test('keeps its cookie when the person signs out, and gets one only from a page with a session', async () => {
    const { browser } = await join()
    expect((await browse().get('/app/sign-in')).headers['set-cookie']).toBeUndefined()
    const page = await browser.get('/app')
    expect(page.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-bursar-device=[\w-]{48}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
      ),
    ])
    expect((await browser.get('/app')).headers['set-cookie']).toBeUndefined()
    await browser.post('/app/sign-out', {})
    expect(browser.device).toBeDefined()
  })

  test('has one cookie in a session: a stolen session gives one count of attempts, not many', async () => {
    const { browser } = await join()
    await browser.get('/app')
    const first = browser.device
    const thief = browse()
    thief.cookie = browser.cookie
    await thief.get('/app')
    expect([thief.device, first]).toEqual([first, expect.stringMatching(/^[\w-]{48}$/)])
    const devices: (string | undefined)[] = []
    for (let n = 0; n < 3; n += 1) {
      thief.device = undefined
      await thief.get('/app')
      devices.push(thief.device)
    }
    expect(devices).toEqual([first, first, first])
  })
})

test('a name of a browser is recorded in printable ASCII', async () => {
  const { email } = await join()
  await signInWith(browse('curl/8\t\u00e9(x)'), email, '000000')
  const { rows } = await sql<{ agent: string }>`select a.detail ->> 'agent' as agent from dashboard_audit a
    join dashboard_people p on p.id = a.person_id where p.address = ${email} and a.action = 'sign-in refused'`.execute(
    edge.db,
  )
  expect(rows).toEqual([{ agent: 'curl/8(x)' }])
})

test('a long name of a browser is cut in every row and mail', async () => {
  const { email, codes } = await join()
  expect((await signInWith(browse(`X${'y'.repeat(5_000)}`), email, codes[0]!)).status).toBe(303)
  await signInWith(browse(`Z${'y'.repeat(5_000)}`), email, '000000')
  const { rows } = await sql<{ most: number }>`select max(length(t)) as most from (
      select a.detail::text as t from dashboard_audit a join dashboard_people p on p.id = a.person_id where p.address = ${email}
      union all select agent from dashboard_sessions
      union all select data::text from mails where recipient = ${email} and kind = 'dashboard-notice') texts`.execute(
    edge.db,
  )
  expect(rows[0]!.most).toBeLessThan(500)
})
