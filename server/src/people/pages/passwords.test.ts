/** Passwords, sessions and forms over the pages of the dashboard. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { fieldOf, seedOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { dashboardRoutes } from './index.ts'

const { edge, deps, browse, inviteTo, newAddress, codeAt, origin } = useDashboard()
const [MINUTE, HOUR] = [60_000, 3_600_000]
const PASSWORD = 'orbit velvet cactus'

/** A person who has accepted an invitation with a password. */
const join = async (email = newAddress()) => {
  const [path, browser] = [await inviteTo(email), browse()]
  const page = await browser.get(path)
  const [seed, sealed] = [seedOf(page), fieldOf(page, 'seed')]
  const joined = await browser.post(path, { do: 'password', password: PASSWORD, seed: sealed, code: codeAt(seed) })
  const codes = [...joined.text.matchAll(/<li class="address">([A-Z2-7-]+)</g)].map(([, code]) => code!)
  return { email, path, browser, seed, codes, joined }
}
const signInWith = (browser: TestBrowser, email: string, code: string, password = PASSWORD) =>
  browser.post('/app/sign-in', { do: 'password', email, password, code })

// Each one-time code is accepted once.
beforeEach(() => {
  edge.clock.ms += 2 * MINUTE
})

describe('an invitation', () => {
  test('is accepted with a password and a one-time code: ten recovery codes are shown once', async () => {
    const { email, joined, codes, browser } = await join()
    expect([joined.status, codes.length]).toEqual([200, 10])
    expect((await browser.get('/app')).status).toBe(200)
    const { rows } = await sql<{ row: string }>`select p::text || w::text || coalesce(r::text, '') as row
      from dashboard_people p join dashboard_passwords w on w.person_id = p.id
      join dashboard_recovery_codes r on r.person_id = p.id where p.address = ${email}`.execute(edge.db)
    expect(rows).toHaveLength(10)
    for (const { row } of rows) for (const secret of [PASSWORD, ...codes]) expect(row).not.toContain(secret)
  })

  test('stays open when the password is weak or the code is wrong, with the same secret for the app', async () => {
    const [path, browser] = [await inviteTo(newAddress()), browse()]
    const page = await browser.get(path)
    const [seed, sealed] = [seedOf(page), fieldOf(page, 'seed')]
    const weak = await browser.post(path, { do: 'password', password: 'short', seed: sealed, code: codeAt(seed) })
    expect([weak.status, seedOf(weak).equals(seed)]).toEqual([400, true])
    const wrong = await browser.post(path, { do: 'password', password: PASSWORD, seed: sealed, code: '000000' })
    expect([wrong.status, seedOf(wrong).equals(seed)]).toEqual([400, true])
    const other = fieldOf(await browse().get(await inviteTo(newAddress())), 'seed')
    const foreign = await browser.post(path, { do: 'password', password: PASSWORD, seed: other, code: codeAt(seed) })
    expect(foreign.status).toBe(400)
    const joined = await browser.post(path, { do: 'password', password: PASSWORD, seed: sealed, code: codeAt(seed) })
    expect(joined.status).toBe(200)
  })
})

test.each([
  ['en', 'Set a password', 'instead'],
  ['uk', 'Установити пароль', 'Користуватися паролем'],
  ['ru', 'Установить пароль', 'Использовать пароль'],
  ['kk', 'Құпиясөз орнату', 'Құпиясөзді қолдану'],
])('in %s, where no passkey can be offered, an invitation says %j', async (lang, said, notSaid) => {
  const path = '/app/join/{token}'
  const token = (await inviteTo(newAddress())).split('/').at(-1)!
  const page = dashboardRoutes({ ...deps, party: undefined }).find((one) => one.path === path && one.method === 'GET')!
  const request = { method: 'GET', params: { token }, query: { lang }, headers: {}, requestId: 'x' } as const
  const answer = await page.handle({ ...request, url: `/app/join/${token}`, body: Buffer.alloc(0) })
  const text = 'body' in answer ? String(answer.body) : ''
  expect(text).toContain(`<summary>${said}</summary>`)
  expect(text).toContain(`<button class="second">${said}</button>`)
  expect(textOf({ text })).not.toContain(notSaid)
})

describe('signing in with a password', () => {
  test('S3 takes each one-time code once, also from two requests at the same moment', async () => {
    const { email, seed } = await join()
    edge.clock.ms += MINUTE
    const code = codeAt(seed)
    const both = await Promise.all([browse(), browse()].map(async (one) => (await signInWith(one, email, code)).status))
    expect(both.toSorted((a, b) => a - b)).toEqual([303, 400])
    expect((await signInWith(browse(), email, codeAt(seed, -1))).status).toBe(400)
  })

  test('S3 takes each recovery code once, and mails the person', async () => {
    const { email, codes } = await join()
    expect((await signInWith(browse(), email.toUpperCase(), codes[0]!.toLowerCase())).status).toBe(303)
    expect((await signInWith(browse(), email, codes[0]!)).status).toBe(400)
    const { rows } = await sql<{ event: string }>`select data ->> 'event' as event from mails
      where recipient = ${email} and kind = 'dashboard-notice'`.execute(edge.db)
    expect(rows).toEqual([{ event: 'recovery-used' }])
  })

  test('answers alike for an unknown address, a wrong password, a wrong code and a blocked address', async () => {
    const { email, seed, codes } = await join()
    const answers = [
      await signInWith(browse(), 'nowhere@shop.example', codeAt(seed, 1)),
      await signInWith(browse(), 'not an address', codeAt(seed, 1)),
      await signInWith(browse(), email, codeAt(seed, 1), 'orbit velvet cactuS'),
      await signInWith(browse(), email, '123456'),
    ]
    for (let n = 0; n < 5; n += 1) answers.push(await signInWith(browse(), email, '123456'))
    answers.push(await signInWith(browse(), email, codes[1]!))
    const shown = answers.map((answer) => {
      const typed = ['nowhere@shop.example', 'not an address', email]
      const text = typed.reduce((all, one) => all.replaceAll(one, 'EMAIL'), answer.text)
      return `${answer.status} ${text.replaceAll(/data-options="[^"]*"/g, '')}`
    })
    expect(new Set(shown).size).toBe(1)
    expect(answers[0]!.status).toBe(400)
  })

  test('is blocked after five failures, for twice as long after each further one, and not by the work of others', async () => {
    const { email, seed, codes } = await join()
    for (let n = 0; n < 5; n += 1) await signInWith(browse(), email, '000000')
    expect((await signInWith(browse(), email, codes[2]!)).status).toBe(400)
    edge.clock.ms += MINUTE
    expect((await signInWith(browse(), email, '000000')).status).toBe(400)
    edge.clock.ms += MINUTE
    expect((await signInWith(browse(), email, codes[2]!)).status).toBe(400)
    edge.clock.ms += MINUTE
    expect((await signInWith(browse(), email, codes[2]!)).status).toBe(303)
    edge.clock.ms += MINUTE
    expect((await signInWith(browse(), email, codeAt(seed))).status).toBe(303)
  })

  test('S3 checks five of many guesses at once', async () => {
    const { email, codes } = await join()
    await Promise.all(Array.from({ length: 12 }, () => signInWith(browse(), email, '000000')))
    const { rows } = await sql<{ most: number }>`select max(failed) as most from dashboard_attempts
      where blocked_until > ${new Date(edge.clock.ms)}`.execute(edge.db)
    expect(rows).toEqual([{ most: 5 }])
    expect((await signInWith(browse(), email, codes[3]!)).status).toBe(400)
  })
})

test('the addresses whose attempts share a row can not be computed: success with one would end the count of the other', async () => {
  const hashOf = (address: string): number =>
    createHash('sha256').update(`attempts|${address}`).digest().readUInt16BE(0)
  const attacked = 'olena@attacked.example'
  let n = 0
  while (hashOf(`own-${n}@attacker.example`) !== hashOf(attacked)) n += 1
  const [theirs, own] = [await join(attacked), await join(`own-${n}@attacker.example`)]
  for (let round = 0; round < 2; round += 1) {
    for (let failure = 0; failure < 4; failure += 1) await signInWith(browse(), attacked, '000000')
    expect((await signInWith(browse(), own.email, own.codes[round]!)).status).toBe(303)
  }
  expect((await signInWith(browse(), attacked, theirs.codes[0]!)).status).toBe(400)
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

describe('a session', () => {
  test('is a new one at each sign-in, never the one that the browser had', async () => {
    const { email, codes, browser: first } = await join()
    const planted = browse()
    planted.cookie = 'A'.repeat(43)
    await signInWith(planted, email, codes[0]!)
    expect(planted.cookie).not.toBe('A'.repeat(43))
    const before = first.cookie!
    await signInWith(first, email, codes[1]!)
    const copied = browse()
    copied.cookie = before
    expect([first.cookie === before, (await copied.get('/app')).status]).toEqual([false, 303])
  })

  test('of another person ends when the browser accepts an invitation', async () => {
    const { browser } = await join()
    const before = browse()
    before.cookie = browser.cookie
    const path = await inviteTo(newAddress())
    const page = await browser.get(path)
    const form = { do: 'password', password: PASSWORD, seed: fieldOf(page, 'seed'), code: codeAt(seedOf(page)) }
    expect((await browser.post(path, form)).status).toBe(200)
    expect(browser.cookie).not.toBe(before.cookie)
    expect((await before.get('/app')).status).toBe(303)
    expect((await browser.get('/app')).status).toBe(200)
  })

  test('ends an hour after its last use, and twelve hours after its start', async () => {
    const [idle, used] = [await join(), await join()]
    for (let minutes = 0; minutes < 12 * 60; minutes += 50) {
      expect((await used.browser.get('/app')).status).toBe(200)
      if (minutes === 100) expect((await idle.browser.get('/app')).status).toBe(303)
      edge.clock.ms += 50 * MINUTE
    }
    expect((await used.browser.get('/app')).headers['location']).toBe('/app/sign-in?next=%2Fapp')
  })

  test('ends when the person signs out, in every tab', async () => {
    const { browser } = await join()
    const tab = browse()
    tab.cookie = browser.cookie
    const out = await browser.post('/app/sign-out', {})
    expect(out.headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-bursar=; .*Max-Age=0$/)])
    expect((await tab.post('/app/security', { do: 'end-others' })).status).toBe(401)
  })

  test('that ends in the middle of a form costs none of the typed text', async () => {
    const { email, codes, browser } = await join()
    edge.clock.ms += 2 * HOUR
    const asked = await browser.post('/app/security', { do: 'add-passkey', name: '<Laptop> of "Оля"', answer: '{}' })
    expect([asked.status, fieldOf(asked, 'name'), fieldOf(asked, 'next')]).toEqual([
      401,
      '<Laptop> of "Оля"',
      '/app/security',
    ])
    const back = await browser.post('/app/sign-in', {
      do: 'password',
      email,
      password: PASSWORD,
      code: codes[0]!,
      name: fieldOf(asked, 'name'),
      next: fieldOf(asked, 'next'),
    })
    const page = await browser.get(String(back.headers['location']))
    expect(page.text).toContain('value="&lt;Laptop&gt; of &quot;Оля&quot;"')
  })

  test('S3 renews the recovery codes after a proof only: the old ones end', async () => {
    const { email, codes, seed, browser } = await join()
    edge.clock.ms += 6 * MINUTE
    expect((await browser.post('/app/security', { do: 'renew-codes' })).status).toBe(403)
    const proof = { do: 'prove-password', password: PASSWORD, code: codeAt(seed) }
    expect((await browser.post('/app/security', { ...proof, password: 'wrong' })).status).toBe(400)
    expect((await browser.post('/app/security', proof)).status).toBe(303)
    const renewed = await browser.post('/app/security', { do: 'renew-codes' })
    expect(renewed.text).not.toContain(codes[0])
    expect((await signInWith(browse(), email, codes[0]!)).status).toBe(400)
  })
})

describe('a form', () => {
  test.each([
    ['another site', ['origin', 'https://evil.example']],
    ['a sandboxed frame', ['origin', 'null']],
    ['no browser', []],
    ['another port', ['origin', 'https://pay.example:8443']],
    ['plain HTTP', ['origin', 'http://pay.example']],
  ])('from %s changes nothing', async (_from, headers) => {
    const { email, codes, browser } = await join()
    for (const [path, fields] of [
      ['/app/sign-out', {}],
      ['/app/security', { do: 'end-others' }],
      ['/app/sign-in', { do: 'password', email, password: PASSWORD, code: codes[0]! }],
    ] as const)
      expect((await browser.post(path, fields, headers)).status).toBe(400)
    expect((await browser.get('/app')).status).toBe(200)
    expect((await signInWith(browse(), email, codes[0]!)).status).toBe(303)
  })

  test('returns to pages of the dashboard only', async () => {
    const { email, codes, browser } = await join()
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/app/../x',
      '/app/security?x',
      '/docs',
      'javascript:1',
    ]) {
      const page = await browse().get(`/app/sign-in?next=${encodeURIComponent(next)}`)
      expect(fieldOf(page, 'next')).toBe('/app')
    }
    const fields = { do: 'password', email, password: PASSWORD, code: codes[0]!, next: '//evil.example' }
    expect((await browser.post('/app/sign-in', fields)).headers['location']).toBe('/app')
  })

  test('that was sent twice changes once', async () => {
    const { path, browser, seed } = await join()
    const again = await browser.post(path, { do: 'password', password: PASSWORD, seed: 'x', code: codeAt(seed) })
    expect(again.status).toBe(404)
  })
})

test('pages keep no copy, are framed by none, and send their address to no other site', async () => {
  const page = await browse().get('/app/sign-in?lang=kk')
  expect(page.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  })
  expect(String(page.headers['content-security-policy'])).not.toMatch(/unsafe|\*/)
  expect(page.text).toContain('<html lang="kk">')
  expect(page.text).toContain('action="/app/sign-in?lang=kk"')
  expect(origin).toBe('https://pay.example')
})

test('the log has neither tokens nor addresses nor codes', async () => {
  const { email, codes, path, browser } = await join()
  await signInWith(browse(), email, codes[0]!)
  await signInWith(browse(), email, codes[1]!, 'a wrong password')
  await browser.post('/app/security', { do: 'end-others' }, [])
  // A mail program may spoil the link.
  for (const spoilt of [`${path}/x`, `/app/.${path}`, `/app/join${path}`]) await browser.get(spoilt)
  const log = edge.logged.join('\n')
  for (const secret of [email, codes[0]!, path.split('/').at(-1)!, browser.cookie!, PASSWORD])
    expect(log).not.toContain(secret)
})
