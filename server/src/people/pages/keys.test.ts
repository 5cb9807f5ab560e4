/** The page Keys, with the rights of the api's database role. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { LANGUAGES } from '../../platform/base/language.ts'
import type { Role } from '../access/index.ts'

const { edge, memberOf, signInWith, join, codeAt } = useDashboard()

const at = (merchantId: string): string => `/app/merchants/${merchantId}/keys`
const shop = async (
  role: Role = 'owner',
): Promise<{ id: string; key: string; browser: TestBrowser; email: string }> => {
  const { id, privateKey } = await makeMerchant(edge.db, edge.clock.ms, { name: 'Kava' })
  const browser = await memberOf(id, role)
  return { id, key: privateKey, browser, email: browser.email }
}
const FORM = { do: 'create', 'key-name': 'Accounting', 'key-read': '1', 'key-addresses': '', 'key-days': '90' }
/** Fills in the form of the page, as it was shown. */
const create = async (browser: TestBrowser, merchantId: string, fields: Readonly<Record<string, string>> = {}) => {
  const form = fieldOf(await browser.get(at(merchantId)), 'form')
  return browser.post(at(merchantId), { ...FORM, form, ...fields })
}
const secretIn = (page: { text: string }): { id: string; secret: string } => {
  const [id, secret] = [...page.text.matchAll(/<span class="address"><bdi>([0-9a-f-]+)<\/bdi>/g)].map(
    ([, text]) => text!,
  )
  return { id: id!, secret: secret! }
}
const rowsOf = async (merchantId: string) =>
  (
    await sql<{
      id: string
      name: string
      scopes: string[]
      addresses: string[]
      expiresAt: Date | null
      revoked: boolean
    }>`
      select id, name, scopes, addresses, expires_at as "expiresAt", revoked_at is not null as revoked from api_keys
      where merchant_id = ${merchantId} order by created_at, id`.execute(edge.db)
  ).rows
const statusOf = async (merchantId: string, { id, secret }: { id: string; secret: string }, target: string) => {
  edge.directory.forget(merchantId)
  return (await edge.call('GET', target, undefined, { id: merchantId, key: secret, headers: ['key-id', id] })).status
}

describe('the page Keys', () => {
  test('makes a key that works at once, shows its secret in one answer only, and revokes it', async () => {
    const { id, browser, email } = await shop()
    const made = await create(browser, id, { 'key-invoices': '1', 'key-addresses': '127.0.0.1 192.0.2.0/24' })
    expect([made.status, made.headers['cache-control']]).toEqual([200, expect.stringContaining('no-store')])
    const key = secretIn(made)
    expect(await statusOf(id, key, '/merchants/balances?tickers=BTC')).toBe(200)
    expect(await rowsOf(id)).toEqual([
      {
        id: key.id,
        name: 'Accounting',
        scopes: ['read', 'invoices'],
        addresses: ['127.0.0.1/32', '192.0.2.0/24'],
        expiresAt: new Date(edge.clock.ms + 90 * 86_400_000),
        revoked: false,
      },
    ])
    const page = await browser.get(at(id))
    expect(page.text).not.toContain(key.secret)
    for (const text of [
      'Accounting',
      'read, invoices',
      'Only from 127.0.0.1/32, 192.0.2.0/24',
      `by ${email}`,
      'not used yet',
    ])
      expect(textOf(page)).toContain(text)

    const revoked = await browser.post(at(id), { do: 'revoke', id: key.id })
    expect([revoked.status, revoked.headers['location']]).toEqual([303, `${at(id)}?done=1`])
    expect(await statusOf(id, key, '/merchants/balances?tickers=BTC')).toBe(401)
    expect(textOf(await browser.get(at(id)))).toContain('revoked 20')
    const audit = textOf(await browser.get(`/app/merchants/${id}/audit`))
    for (const line of [`Revoked a key: Accounting ${email}`, `Made a key: Accounting ${email}`])
      expect(audit).toContain(line)
    const { rows: mails } = await sql<{ data: object }>`select data from mails where recipient = ${email}
      and kind = 'merchant-changed'`.execute(edge.db)
    expect(mails).toEqual([
      { data: expect.objectContaining({ event: 'key-added', by: email, detail: 'Accounting (read, invoices)' }) },
    ])
    expect(JSON.stringify(mails)).not.toContain(key.secret)
  })

  test('a form that is sent twice, or reloaded, makes one key and does not show the secret again', async () => {
    const { id, browser } = await shop()
    const form = fieldOf(await browser.get(at(id)), 'form')
    const answers = await Promise.all([1, 2, 3].map(() => browser.post(at(id), { ...FORM, form })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    const { secret } = secretIn(answers.find(({ status }) => status === 200)!)
    const again = await browser.post(at(id), { ...FORM, form })
    expect([again.status, again.text.includes(secret)]).toEqual([400, false])
    expect(textOf(again)).toContain('This key was made already.')
    expect(await rowsOf(id)).toHaveLength(1)
  })

  test('never makes a key for every address of a list that is long', async () => {
    const { id, browser } = await shop()
    const ranges = Array.from({ length: 20 }, (_, at) => `2001:db8:1234:5678:${1000 + at}::/80`)
    expect((await create(browser, id, { 'key-addresses': ranges.join(','.padEnd(60)) })).status).toBe(200)
    const [made] = await rowsOf(id)
    expect(made!.addresses).toHaveLength(20)
    expect((await create(browser, id, { 'key-addresses': 'x'.repeat(20_000) })).status).toBe(400)
    expect((await create(browser, id, { 'key-name': 'n'.repeat(1_001) })).status).toBe(400)
    expect(await rowsOf(id)).toHaveLength(1)
  })

  test('says all problems at once, and what was typed stays', async () => {
    const { id, browser } = await shop()
    const wrong = { 'key-name': ' ', 'key-read': '', 'key-addresses': '10.0.0.1/8 "x', 'key-days': '30' }
    const answer = await create(browser, id, wrong)
    expect(answer.status).toBe(400)
    for (const text of ['Enter a name', 'Choose at least one right.', 'An address or a range is not valid'])
      expect(textOf(answer)).toContain(text)
    expect(answer.text).toContain('value="10.0.0.1/8 &quot;x"')
    expect(answer.text).toContain('<option value="30" selected>')
    const typed = await create(browser, id, {
      'key-name': '<b>x',
      'key-read': '',
      'key-payouts': '1',
      'key-addresses': 'x',
    })
    expect(typed.text).toContain('value="&lt;b&gt;x"')
    expect(typed.text).toMatch(/name="key-payouts" value="1" checked/)
    expect(typed.text).not.toMatch(/name="key-read" value="1" checked/)
    expect(await rowsOf(id)).toEqual([])
  })

  test('S6 needs a recent proof, and keeps what was typed until it is given', async () => {
    const { id } = await makeMerchant(edge.db, edge.clock.ms)
    const person = await join(undefined, 'owner', id)
    const key = secretIn(await create(person.browser, id))
    edge.clock.ms += 6 * 60_000
    const asked = await create(person.browser, id, { 'key-name': 'Till', 'key-exchange': '1' })
    expect([asked.status, textOf(asked)]).toEqual([403, expect.stringContaining('First confirm that it is you.')])
    expect(asked.text).toContain('name="key-name" type="text" value="Till"')
    expect((await person.browser.post(at(id), { do: 'revoke', id: key.id })).status).toBe(403)
    expect((await rowsOf(id)).map(({ revoked }) => revoked)).toEqual([false])
    const proved = await person.browser.post('/app/security', {
      do: 'prove-password',
      next: at(id),
      'key-name': 'Till',
      'key-exchange': '1',
      password: 'orbit velvet cactus',
      code: codeAt(person.seed),
    })
    const back = await person.browser.get(proved.headers['location'] as string)
    expect(back.text).toContain('name="key-name" type="text" value="Till"')
    expect(back.text).toMatch(/name="key-exchange" value="1" checked/)
    expect((await create(person.browser, id, { 'key-name': 'Till' })).status).toBe(200)
  })

  test.each(['admin', 'developer'] as const)(
    '%s makes keys that read and invoice, but none that moves money',
    async (role) => {
      const { id, browser } = await shop(role)
      const page = await browser.get(at(id))
      expect(page.text).not.toMatch(/name="key-(payouts|exchange)"/)
      expect(textOf(page)).toContain('Keys that move money are made by an owner.')
      expect((await create(browser, id, { 'key-payouts': '1' })).status).toBe(403)
      expect((await create(browser, id, { 'key-exchange': '1' })).status).toBe(403)
      expect(await rowsOf(id)).toEqual([])
      expect((await create(browser, id)).status).toBe(200)
    },
  )

  test.each(['finance', 'approver', 'support', 'viewer'] as const)('%s sees no keys', async (role) => {
    const { id, browser } = await shop(role)
    expect((await browser.get(at(id))).status).toBe(403)
    expect((await browser.get(`/app/merchants/${id}/team`)).text).not.toContain(at(id))
    expect((await browser.post(at(id), { ...FORM, form: randomUUID() })).status).toBe(403)
    expect(await rowsOf(id)).toEqual([])
  })

  test('a member of one merchant reaches no key of another one', async () => {
    const [own, other] = [await shop(), await shop()]
    const key = secretIn(await create(other.browser, other.id))
    expect((await own.browser.post(at(other.id), { do: 'revoke', id: key.id })).status).toBe(404)
    expect((await own.browser.post(at(own.id), { do: 'revoke', id: key.id })).status).toBe(400)
    expect((await own.browser.get(at(other.id))).status).toBe(404)
    expect((await rowsOf(other.id)).map(({ revoked }) => revoked)).toEqual([false])
  })

  test('a form of another origin, an unknown action and a broken id change nothing', async () => {
    const { id, browser } = await shop()
    const key = secretIn(await create(browser, id))
    expect((await browser.post(at(id), { do: 'revoke', id: key.id }, ['origin', 'https://evil.example'])).status).toBe(
      400,
    )
    for (const fields of [{ do: 'drop', id: key.id }, { do: 'revoke', id: 'x' }, { do: 'revoke' }])
      expect((await browser.post(at(id), fields)).status).toBe(400)
    expect((await rowsOf(id)).map(({ revoked }) => revoked)).toEqual([false])
  })

  test('the members of a merchant make at most 20 keys an hour, and have at most 20 valid ones', async () => {
    const { id, browser } = await shop()
    for (let i = 0; i < 20; i += 1) expect((await create(browser, id, { form: randomUUID() })).status).toBe(200)
    expect(textOf(await create(browser, id))).toContain('Too many keys were made.')
    await sql`update api_keys set created_at = created_at - interval '2 hours' where merchant_id = ${id}`.execute(
      edge.db,
    )
    expect(textOf(await create(browser, id))).toContain('has 20 valid additional keys')
    const [first] = await rowsOf(id)
    await browser.post(at(id), { do: 'revoke', id: first!.id })
    expect((await create(browser, id)).status).toBe(200)
  })

  test.each(LANGUAGES)('is in %s, with every text', async (language) => {
    const { id, browser } = await shop()
    await create(browser, id)
    const text = textOf(await browser.get(`${at(id)}?lang=${language}`))
    expect(text).not.toMatch(/undefined|\[object/)
    expect(text).toContain('key-id')
  })
})

test('without a session the person signs in first, and the form stays filled in', async () => {
  const { id, browser, email } = await shop()
  browser.cookie = undefined
  const page = await browser.post(at(id), { ...FORM, form: randomUUID() })
  expect([page.status, fieldOf(page, 'draft-key-name'), fieldOf(page, 'next')]).toEqual([401, 'Accounting', at(id)])
  expect((await signInWith(browser, email, '000000')).status).toBe(400)
  expect(await rowsOf(id)).toEqual([])
})
