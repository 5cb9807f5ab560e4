/** Passwords over the pages of the dashboard: joining, signing in, and the count of attempts. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { fieldOf, PASSWORD, seedOf, textOf, useDashboard } from '../../../../test/world/dashboard.ts'
import { dashboardRoutes } from './index.ts'

const { edge, deps, browse, inviteTo, join, signInWith, newAddress, codeAt, origin } = useDashboard()
const MINUTE = 60_000

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
