/** Sessions over the pages of the dashboard, and the forms that they protect. */
import { beforeEach, describe, expect, test } from 'vitest'
import { carriedFields, fieldOf, PASSWORD, seedOf, useDashboard } from '../../../../test/world/dashboard.ts'

const { edge, browse, inviteTo, join, signInWith, newAddress, codeAt } = useDashboard()
const [MINUTE, HOUR] = [60_000, 3_600_000]

// Each one-time code is accepted once.
beforeEach(() => {
  edge.clock.ms += 2 * MINUTE
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
    expect([asked.status, fieldOf(asked, 'draft-name'), fieldOf(asked, 'next')]).toEqual([
      401,
      '<Laptop> of "Оля"',
      '/app/security',
    ])
    const back = await browser.post('/app/sign-in', {
      do: 'password',
      email,
      password: PASSWORD,
      code: codes[0]!,
      ...carriedFields(asked),
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
    expect((await browser.post('/app/sign-in', fields)).headers['location']).toMatch(
      /^\/app\/merchants\/[0-9a-f-]{36}\/home$/,
    )
  })

  test('that was sent twice changes once', async () => {
    const { path, browser, seed } = await join()
    const again = await browser.post(path, { do: 'password', password: PASSWORD, seed: 'x', code: codeAt(seed) })
    expect(again.status).toBe(404)
  })
})
