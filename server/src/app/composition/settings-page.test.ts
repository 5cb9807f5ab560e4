/** The page Settings as owners and administrators use it. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { setSetting, settingsOf } from '../../merchants/accounts/index.ts'
import { nowOf, ROLES } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'

const { edge, memberOf, browse, statements } = useDashboard()
let owner: TestBrowser
let stranger: TestBrowser
const at = (more = ''): string => `/app/merchants/${edge.merchant.id}/settings${more}`
const stored = () => settingsOf(edge.db, edge.merchant.id)
const NAMES = ['shown', 'accent', 'supportUrl', 'supportEmail', 'redirectHosts', 'assetOrder', 'email'] as const
/** The fields of the form as a browser sends them. */
const formOf = async (browser: TestBrowser): Promise<Record<string, string>> => {
  const page = await browser.get(at('?lang=en'))
  const texts = NAMES.map((name) => {
    const field = new RegExp(`name="setting-${name}"[^>]*? value="([^"]*)"`).exec(page.text)
    return [`setting-${name}`, field![1]!] as const
  })
  const chosen = [...page.text.matchAll(/<select id="by-(setting-\w+)".*?<option value="(\w+)" selected>/g)]
  return Object.fromEntries([...texts, ...chosen.map(([, name, value]) => [name!, value!])])
}
const auditOf = async (): Promise<unknown[]> =>
  (await sql`select detail from dashboard_audit where action = 'changed settings' order by id`.execute(edge.db)).rows
const setByOperator = (name: string, value: string): Promise<unknown> => {
  const { moment } = nowOf(createTestRuntime(edge.db, () => edge.clock.ms))
  return inTransaction(edge.db, (tx) => setSetting(tx, edge.merchant.id, { name, value }, { actor: 'test' }, moment))
}

beforeAll(async () => {
  owner = await memberOf(edge.merchant.id, 'owner')
  stranger = await memberOf((await makeMerchant(edge.db, edge.clock.ms)).id, 'owner')
})

describe('the page Settings', () => {
  test('changes settings as the command does, once, with the values before and after in the audit log', async () => {
    const form = {
      ...(await formOf(owner)),
      'setting-accent': '#0B6B4F',
      'setting-supportUrl': 'https://shop.example/help',
      'setting-redirectHosts': 'shop.example, www.shop.example',
      'setting-activityMails': 'false',
      'setting-mailLanguage': 'kk',
    }
    const answers = await Promise.all([owner.post(at(), form), owner.post(at(), form)])
    expect(answers.some(({ status }) => status === 303)).toBe(true)
    expect(await stored()).toMatchObject({
      accent: '#0b6b4f',
      supportUrl: 'https://shop.example/help',
      redirectHosts: ['shop.example', 'www.shop.example'],
      activityMails: false,
      mailLanguage: 'kk',
      supportEmail: null,
    })
    const before = await auditOf()
    expect(before).toHaveLength(1)
    const audit = textOf(await owner.get(`/app/merchants/${edge.merchant.id}/audit?lang=en`))
    expect(audit).toContain('Changed the settings: accent, activityMails, mailLanguage, redirectHosts, supportUrl')
    expect(before[0]).toMatchObject({ detail: { accent: { before: '', after: '#0b6b4f' } } })
    await owner.post(at(), form)
    expect(await auditOf()).toHaveLength(1)
  })

  test('names all values that are not valid at once, keeps the typed texts, and changes nothing', async () => {
    const before = await stored()
    const form = {
      ...(await formOf(owner)),
      'setting-accent': 'green',
      'setting-supportUrl': 'javascript:alert(1)',
      'setting-supportEmail': 'help@shop.example',
      'setting-redirectHosts': 'https://shop.example/',
      'setting-email': '<b>',
      'setting-mailLanguage': 'xx',
    }
    const page = await owner.post(at('?lang=en'), form)
    expect(page.status).toBe(400)
    expect(page.text.match(/aria-invalid="true"/g)).toHaveLength(4)
    expect(page.text).toContain('value="green"')
    expect(page.text).toContain('value="help@shop.example"')
    expect(page.text).not.toContain('<b>')
    expect(await stored()).toEqual(before)
  })

  test('keeps a long list when another value is changed, also through a proof', async () => {
    const before = (await stored()).redirectHosts.join(', ')
    const hosts = (count: number): string[] =>
      Array.from({ length: count }, (_, at) => `shop-${at}.a-host-with-a-very-long-name-indeed.example`)
    for (const count of [40, 100]) {
      await setByOperator('redirectHosts', hosts(count).join(', '))
      const form = { ...(await formOf(owner)), 'setting-accent': `#0000${count - 30}` }
      expect((await owner.post(at(), form)).status).toBe(303)
      expect(await stored()).toMatchObject({ redirectHosts: hosts(count), accent: form['setting-accent'] })
      const signedOut = await browse().post(at('?lang=en'), {
        ...form,
        'setting-shown': (await formOf(owner))['setting-shown']!,
      })
      expect(signedOut.status).toBe(401)
      const isInForm = signedOut.text.includes('name="draft-setting-shown"')
      expect([count, isInForm, signedOut.text.includes(`value="${hosts(count).join(', ')}"`)]).toEqual([
        count,
        count < 100,
        isInForm,
      ])
    }
    await setByOperator('redirectHosts', before)
  })

  test('overwrites no change that was made after the form was opened', async () => {
    const form = await formOf(owner)
    await setByOperator('accent', '#111111')
    const page = await owner.post(at('?lang=en'), { ...form, 'setting-supportEmail': 'help@shop.example' })
    expect([page.status, textOf(page).includes('changed meanwhile')]).toEqual([409, true])
    expect(await stored()).toMatchObject({ accent: '#111111', supportEmail: null })
  })

  test('S6 needs a recent proof, which keeps the texts and the values from which the person started', async () => {
    const member = await memberOf(edge.merchant.id, 'admin')
    edge.clock.ms += 6 * 60_000
    const form: Record<string, string> = { ...(await formOf(member)), 'setting-supportEmail': 'help@shop.example' }
    const page = await member.post(at('?lang=en'), form)
    expect(page.status).toBe(403)
    // A person without a password proves it with a passkey, which needs the script.
    expect(page.headers['content-security-policy']).toContain('script-src')
    expect(fieldOf(page, 'draft-setting-supportEmail')).toBe('help@shop.example')
    expect(fieldOf(page, 'draft-setting-shown')).toBe(form['setting-shown'])
    expect((await stored()).supportEmail).toBeNull()
    owner = await memberOf(edge.merchant.id, 'owner')
  })

  test('is for owners and administrators of the merchant', async () => {
    const form = { ...(await formOf(owner)), 'setting-accent': '#222222' }
    for (const role of ROLES.filter((one) => one !== 'owner' && one !== 'admin')) {
      const member = await memberOf(edge.merchant.id, role)
      for (const answer of [await member.get(at()), await member.get(at('/preview')), await member.post(at(), form)])
        expect([role, answer.status]).toEqual([role, 403])
    }
    for (const answer of [
      await stranger.get(at()),
      await stranger.get(at('/preview')),
      await stranger.post(at(), form),
    ])
      expect(answer.status).toBe(404)
    expect((await owner.post(at(), form, ['origin', 'https://evil.example'])).status).toBe(400)
    expect((await browse().post(at(), form)).status).toBe(401)
    expect((await stored()).accent).not.toBe('#222222')
  })

  test('needs at most ten statements, and shows the limits that the operator sets', async () => {
    statements.length = 0
    const page = await owner.get(at('?lang=en'))
    expect(statements.length).toBeLessThanOrEqual(10)
    expect(textOf(page)).toContain('Share of the daily withdrawal limit 50 %')
  })
})

describe('the preview', () => {
  test('is a payment page with the values of the query, or with the stored ones, and stores nothing', async () => {
    await setByOperator('accent', '#1d4ed8')
    const before = await stored()
    const plain = await owner.get(at('/preview?lang=en'))
    expect(plain.text).toContain('#1d4ed8')
    const tried = await owner.get(at('/preview?lang=en&accent=%23c2410c&supportEmail=new%40shop.example'))
    expect(tried.text).toContain('#c2410c')
    expect(tried.text).toContain('new@shop.example')
    for (const accent of ['red;}', '</style><script>', 'x'.repeat(2_000)]) {
      const hostile = await owner.get(at(`/preview?accent=${encodeURIComponent(accent)}&supportUrl=javascript:1`))
      expect([hostile.status, hostile.text.includes(accent), hostile.text.includes('javascript:1')]).toEqual([
        200,
        false,
        false,
      ])
    }
    expect(await stored()).toEqual(before)
  })
})
