/** The URL of a merchant's endpoint and tests of it, by members, with the worker and a real receiver. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifyWebhook } from '@bursar/sdk'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { box, makeMerchant } from '../../../../test/world/merchant.ts'
import { createEndpoints, setSetting, settingsOf } from '../../merchants/accounts/index.ts'
import { createDelivery, listEvents } from '../../merchants/webhooks/index.ts'
import { nowOf, type Role } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { useHook } from './test-webhooks.ts'

const dashboard = useDashboard()
const { edge, memberOf, statements } = dashboard
const hook = useHook(dashboard, { good: 'thanks', bad: 'out of <order>' }, ({ runtime }) => ({
  endpointOf: createEndpoints(edge.directory, runtime().clock),
}))
const { received, runtime } = hook
const MINUTE = 60_000
let [owner, colleague, stranger]: TestBrowser[] = []
let ownerAddress: string
let other: string
let url: string

const at = (path = '', merchantId = edge.merchant.id): string => `/app/merchants/${merchantId}/webhooks${path}`
const urlNow = async (merchantId = edge.merchant.id) => (await settingsOf(edge.db, merchantId)).notificationsUrl
/** The merchant has this URL, whatever it had before. */
const given = (value: string): Promise<unknown> =>
  inTransaction(edge.db, (tx) =>
    setSetting(tx, edge.merchant.id, { name: 'notificationsUrl', value }, { actor: 'test' }, nowOf(runtime()).moment),
  )
const save = (browser: TestBrowser, typed: string, shown: string, merchantId?: string) =>
  browser.post(at('/url', merchantId), { 'webhook-url': typed, shown })
const auditOf = async (action: string): Promise<unknown[]> =>
  (await sql`select detail from dashboard_audit where action = ${action}`.execute(edge.db)).rows
const mailsOf = async (): Promise<{ recipient: string; data: unknown }[]> =>
  (
    await sql<{ recipient: string; data: unknown }>`select recipient, data from mails
      where kind = 'merchant-changed' and data ->> 'event' = 'webhook-url' order by created_at, id`.execute(edge.db)
  ).rows

beforeAll(async () => {
  url = hook.url
  const member = await memberOf(edge.merchant.id, 'owner')
  ;[owner, ownerAddress] = [member, member.email]
  colleague = await memberOf(edge.merchant.id, 'developer')
  other = (await makeMerchant(edge.db, edge.clock.ms)).id
  stranger = await memberOf(other, 'owner')
})

describe('the URL', () => {
  test('S6 is changed by a member with a recent proof; the change is audited, and owners are mailed', async () => {
    expect((await colleague!.get(at('/url?lang=en'))).status).toBe(200)
    const answer = await save(colleague!, url, '')
    expect(answer.status).toBe(303)
    expect(textOf(await colleague!.get(`${String(answer.headers['location'])}&lang=en`))).toContain('The URL is saved.')
    expect(await urlNow()).toBe(url)
    expect(await auditOf('changed webhook URL')).toEqual([{ detail: { before: '', after: url } }])
    expect(await mailsOf()).toEqual([
      { recipient: ownerAddress, data: expect.objectContaining({ event: 'webhook-url', detail: url }) },
    ])
    const { rows } = await sql`select actor, action from merchant_audit where action = 'set notificationsUrl'`.execute(
      edge.db,
    )
    expect(rows).toEqual([{ actor: expect.stringMatching(/^person:/), action: 'set notificationsUrl' }])
  })

  test.each([
    'ftp://shop.example/hook',
    'shop.example',
    'https://user:secret@shop.example/hook',
    'https://shop.example/hook#part',
    'javascript:alert(1)',
    'https://',
    '',
    `https://shop.example/${'x'.repeat(2_100)}`,
  ])('%s is refused, with the typed text', async (typed) => {
    await given(url)
    const answer = await save(owner!, typed, url)
    expect(answer.status).toBe(400)
    if (typed.length < 1_000) expect(fieldValue(answer.text)).toBe(typed)
    expect(await urlNow()).toBe(url)
  })

  test('a second click and the form of an old tab change nothing', async () => {
    await given(url)
    const next = `${url}?v=2`
    expect((await save(owner!, next, url)).status).toBe(303)
    const mails = (await mailsOf()).length
    expect((await save(owner!, next, url)).status).toBe(400)
    const old = await save(colleague!, `${url}?v=3`, url)
    expect(old.status).toBe(400)
    expect(fieldValue(old.text)).toBe(`${url}?v=3`)
    expect(fieldOf(old, 'shown')).toBe(next)
    expect(await urlNow()).toBe(next)
    expect(await mailsOf()).toHaveLength(mails)
    expect((await owner!.post(at('/url'), { do: 'clear', shown: next })).status).toBe(303)
    expect(await urlNow()).toBeNull()
    expect((await save(owner!, url, '')).status).toBe(303)
  })

  test('S6 needs a proof of the last five minutes; the typed text stays', async () => {
    await given(url)
    edge.clock.ms += 6 * MINUTE
    const answer = await save(owner!, `${url}?late`, url)
    expect(answer.status).toBe(403)
    expect(fieldValue(answer.text)).toBe(`${url}?late`)
    expect(answer.text).toContain('prove-password')
    expect(await urlNow()).toBe(url)
    // The text is with the form of the proof, which returns to this page; a link can't fill the form.
    expect(fieldOf(answer, 'draft-webhook-url')).toBe(`${url}?late`)
    expect(fieldOf(answer, 'next')).toBe(at('/url'))
    expect(fieldValue((await owner!.get(at('/url?webhook-url=https://thief.example/'))).text)).toBe(url)
  })

  test.each<[Role, boolean]>([
    ['admin', true],
    ['support', false],
    ['finance', false],
    ['approver', false],
    ['viewer', false],
  ])('%s may change it: %s', async (role, may) => {
    const member = await memberOf(edge.merchant.id, role)
    const before = await urlNow()
    expect((await member.get(at('/url'))).status).toBe(may ? 200 : 403)
    expect((await save(member, `${url}?${role}`, before ?? '')).status).toBe(may ? 303 : 403)
    expect(await urlNow()).toBe(may ? `${url}?${role}` : before)
  })

  test('is that of the own merchant only', async () => {
    const before = await urlNow()
    expect((await save(stranger!, 'https://thief.example/', before ?? '')).status).toBe(404)
    expect(await urlNow()).toBe(before)
    expect(await urlNow(other)).toBeNull()
  })
})

/** The value of the field of the URL. */
const fieldValue = (text: string): string | undefined =>
  /name="webhook-url"[^>]* value="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&').replaceAll('&#39;', "'")

describe('a test', () => {
  const ask = async (browser: TestBrowser, id?: string) =>
    browser.post(at(), { do: 'test', id: id ?? fieldOf(await browser.get(at()), 'id') })
  const shown = async (): Promise<string> => textOf(await owner!.get(at('?lang=en')))

  test('is sent once with the signature of the merchant, is not in the list, and its answer is shown', async () => {
    await given(`${url}?kind=test`)
    const sequences = (await listEvents(edge.db, edge.merchant.id, 0, 10)).length
    const id = fieldOf(await owner!.get(at()), 'id')
    const [first, second] = [await ask(owner!, id), await ask(owner!, id)]
    expect([first.status, second.status]).toEqual([303, 303])
    expect(await shown()).toContain('It is being sent.')
    await runUntilIdle([hook.delivery.testing])
    expect(received).toHaveLength(1)
    const [{ headers, rawBody }] = received as [(typeof received)[number]]
    expect(JSON.parse(rawBody)).toEqual({
      kind: 'Test',
      id,
      merchantId: edge.merchant.id,
      status: 'Test',
      time: edge.clock.ms,
    })
    expect(headers['x-event-sequence']).toBeUndefined()
    expect(headers['webhook-id']).toBe(id)
    const verified = verifyWebhook({
      headers,
      rawBody,
      url: (await urlNow())!,
      privateKeys: edge.merchant.privateKey,
      now: () => edge.clock.ms,
    })
    expect(verified).toMatchObject({ kind: 'Test' })
    expect(await shown()).toMatch(/200: accepted thanks/)
    expect(await listEvents(edge.db, edge.merchant.id, 0, 10)).toHaveLength(sequences)
    expect(await auditOf('tested webhook')).toHaveLength(1)
  })

  test('shows a refusal, and a connection that ends', async () => {
    hook.judge = () => 503
    edge.clock.ms += 1
    await ask(colleague!)
    await runUntilIdle([hook.delivery.testing])
    expect(await shown()).toMatch(/503 out of <order>/)
    hook.judge = () => 'reset'
    edge.clock.ms += 1
    await ask(colleague!)
    await runUntilIdle([hook.delivery.testing])
    expect(await shown()).toMatch(/no answer/)
    hook.judge = () => 200
  })

  test('of a worker that dies is sent by another one, at most three times', async () => {
    const asked = fieldOf(await owner!.get(at()), 'id')
    edge.clock.ms += MINUTE
    await ask(owner!, asked)
    const before = received.length
    // A worker that never stores its result.
    const dead = { clock: runtime().clock, log: runtime().log, newId: runtime().newId, db: edge.db }
    const never = createDelivery({
      runtime: dead,
      database: { url: edge.pool.options.connectionString! },
      outbound: { post: () => new Promise(() => {}), close: async () => {} },
      box,
      endpointOf: createEndpoints(edge.directory, runtime().clock),
    })
    void never.testing.run(new AbortController().signal)
    await expect
      .poll(async () => (await sql`select from webhook_tests where id = ${asked} and claims = 1`.execute(edge.db)).rows)
      .toHaveLength(1)
    await runUntilIdle([hook.delivery.testing])
    expect(received).toHaveLength(before)
    edge.clock.ms += MINUTE
    await runUntilIdle([hook.delivery.testing])
    expect(received).toHaveLength(before + 1)
    expect(received.at(-1)!.headers['x-delivery-attempt']).toBe('2')
    // Raw: three workers have died with it.
    await sql`update webhook_tests set sent_at = null, claims = 3, leased_until = '-infinity' where id = ${asked}`.execute(
      edge.db,
    )
    await runUntilIdle([hook.delivery.testing])
    expect(received).toHaveLength(before + 1)
    expect(await shown()).toContain('It could not be sent')
    await never.close()
  })

  test('is refused without a URL, beyond thirty an hour, to strangers, and with an id that is none', async () => {
    expect((await stranger!.post(at('', other), { do: 'test', id: randomUUID() })).headers['location']).toContain(
      'test-no-url',
    )
    expect((await stranger!.post(at(), { do: 'test', id: randomUUID() })).status).toBe(404)
    expect((await owner!.post(at(), { do: 'test', id: 'x' })).status).toBe(404)
    expect((await owner!.post(at(), { do: 'none', id: randomUUID() })).status).toBe(404)
    for (let i = 0; i < 30; i += 1) await ask(owner!, randomUUID())
    expect((await ask(owner!, randomUUID())).headers['location']).toContain('test-limited')
    edge.clock.ms += 61 * MINUTE
    const members: TestBrowser[] = []
    while (members.length < 36) members.push(await memberOf(edge.merchant.id, 'owner'))
    const atOnce = await Promise.all(members.map((member) => ask(member, randomUUID())))
    expect(atOnce.filter(({ headers }) => String(headers['location']).includes('test-limited'))).toHaveLength(6)
    edge.clock.ms += 61 * MINUTE
  })

  test('the page needs at most ten statements', async () => {
    const viewer = await memberOf(edge.merchant.id, 'support')
    statements.length = 0
    expect((await viewer.get(at())).status).toBe(200)
    expect(statements.length).toBeLessThanOrEqual(10)
  })
})
