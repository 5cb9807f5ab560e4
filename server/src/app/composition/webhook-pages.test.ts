/** The pages of webhooks as members see them, with the worker's delivery to a real receiver. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { setSetting } from '../../merchants/accounts/index.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { nowOf, type Role } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { useHook } from './test-webhooks.ts'

const dashboard = useDashboard()
const { edge, memberOf, browse, statements } = dashboard
const hook = useHook(dashboard, { good: 'fine', bad: 'the shop is <closed>' }, ({ url }) => ({
  untilSettled: true,
  endpointOf: async () => ({ url, signingKey: 'private-key', webhookSecrets: ['whsec_c2VjcmV0'] }),
}))
const { received, runtime } = hook
let owner: TestBrowser
let colleague: TestBrowser
let stranger: TestBrowser
let other: string

const at = (path = '', merchantId = edge.merchant.id): string => `/app/merchants/${merchantId}/webhooks${path}`
const deliver = (): Promise<void> => runUntilIdle([hook.delivery.job])
/** Stores a notification. @returns its sequence */
const notify = async (objectId: string = randomUUID(), merchantId = edge.merchant.id): Promise<number> => {
  const moment = nowOf(runtime()).moment
  const body = { kind: 'Replenish', status: 'Done', id: objectId, note: '<b>"&' }
  await inTransaction(edge.db, (tx) =>
    emit(tx, [{ merchantId, objectId, kind: 'Replenish', status: 'Done', body }], moment),
  )
  const { rows } = await sql<{ sequence: number }>`select max(sequence) as sequence from events
    where merchant_id = ${merchantId}`.execute(edge.db)
  return rows[0]!.sequence
}
const press = async (browser: TestBrowser, sequence: number, seen?: string) =>
  browser.post(at(`/${sequence}`), { seen: seen ?? fieldOf(await browser.get(at(`/${sequence}`)), 'seen') })
const auditOf = async (action: string): Promise<unknown[]> =>
  (await sql`select detail from dashboard_audit where action = ${action}`.execute(edge.db)).rows

beforeAll(async () => {
  const moment = nowOf(runtime()).moment
  const set = { name: 'notificationsUrl', value: 'https://shop.example/hook' }
  await inTransaction(edge.db, (tx) => setSetting(tx, edge.merchant.id, set, { actor: 'test' }, moment))
  owner = await memberOf(edge.merchant.id, 'owner')
  colleague = await memberOf(edge.merchant.id, 'admin')
  other = (await makeMerchant(edge.db, edge.clock.ms)).id
  stranger = await memberOf(other, 'owner')
})

describe('the page Webhooks', () => {
  test('is empty at first, and names the endpoint', async () => {
    const text = textOf(await owner.get(at('?lang=en')))
    expect(text).toContain('https://shop.example/hook')
    expect(text).toContain('No notifications yet')
    expect(textOf(await stranger.get(`/app/merchants/${other}/webhooks?lang=en`))).toContain('No URL yet')
  })

  test('lists notifications with their states, which are filters', async () => {
    const delivered = await notify()
    await deliver()
    hook.judge = () => 503
    const failing = await notify()
    await deliver()
    const due = await notify()
    const linked = async (query: string): Promise<number[]> =>
      [...(await owner.get(at(`?lang=en${query}`))).text.matchAll(/\/webhooks\/(\d+)\?/g)].map(([, one]) => Number(one))
    expect(await linked('')).toEqual([due, failing, delivered])
    expect(await linked('&state=delivered')).toEqual([delivered])
    expect(await linked('&state=failing')).toEqual([failing])
    expect(await linked('&state=due')).toEqual([due])
    expect(await linked('&kind=Withdraw')).toEqual([])
    const text = textOf(await owner.get(at('?lang=en')))
    expect(text).toContain('1 of the newest 2 attempts were not accepted')
    expect(text).toContain('2 objects, of these 1 after failed attempts')
    const wrong = await owner.get(at('?lang=en&state=none&object=7&from=yesterday'))
    expect(textOf(wrong)).toContain('A filter is not valid')
    expect(wrong.status).toBe(200)
  })

  test('sends everything that waits, once, when the endpoint works again', async () => {
    hook.judge = () => 200
    const before = received.length
    const page = await owner.get(at())
    expect(page.text).toContain('value="wake"')
    const answer = await owner.post(at(), { do: 'wake' })
    expect(answer.status).toBe(303)
    expect(textOf(await owner.get(`${String(answer.headers['location'])}&lang=en`))).toContain(
      'of 1 objects are sent now',
    )
    await owner.post(at(), { do: 'wake' })
    await deliver()
    expect(received.length - before).toBe(2)
    expect(await auditOf('woke webhooks')).toHaveLength(1)
    expect((await owner.get(at())).text).not.toContain('value="wake"')
  })

  test('needs at most ten statements, and few bytes with a full page', async () => {
    for (let i = 0; i < 40; i += 1) await notify()
    statements.length = 0
    const page = await owner.get(at())
    expect(statements.length).toBeLessThanOrEqual(10)
    expect(page.text.length).toBeLessThan(60_000)
    const next = /href="([^"]*)" rel="next"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
    expect(textOf(await owner.get(next))).toContain('Replenish Done')
    await deliver()
  })
})

describe('the page of a notification', () => {
  test('shows its body, its headers without signatures, and each attempt with the beginning of the answer', async () => {
    const objectId = randomUUID()
    hook.judge = () => 500
    const sequence = await notify(objectId)
    await deliver()
    hook.judge = () => 200
    const page = await owner.get(at(`/${sequence}?lang=en`))
    const text = textOf(page)
    for (const shown of [objectId, '"note": "<b>\\"&"', 'the shop is <closed>', '500', 'Next attempt', 'webhook-id'])
      expect(text).toContain(shown)
    expect(page.text).not.toMatch(/signature"|v1,|whsec_|private-key/i)
    expect(page.text).toContain(`/payments/deposit/${objectId}`)
  })

  test('sends it again with the same bytes; pressed twice, from two tabs or by the way back, it is sent once', async () => {
    const sequence = await notify()
    await deliver()
    const seen = fieldOf(await owner.get(at(`/${sequence}`)), 'seen')
    const before = received.length
    const answers = await Promise.all([owner, colleague, colleague].map((browser) => press(browser, sequence, seen)))
    expect(answers.map((answer) => String(answer.headers['location']).split('=')[1]).toSorted()).toEqual([
      'scheduled',
      'waiting',
      'waiting',
    ])
    await deliver()
    expect(received.length - before).toBe(1)
    expect(received.at(-1)!.rawBody).toBe(received[before - 1]!.rawBody)
    const late = await press(owner, sequence, seen)
    expect(late.headers['location']).toContain('changed')
    expect(textOf(await owner.get(`${String(late.headers['location'])}&lang=en`))).toContain('Nothing was done')
    await deliver()
    expect(received.length - before).toBe(1)
    expect(await auditOf('replayed webhook')).toEqual([{ detail: { sequence } }])
    // Once its newest attempt is shown, it may be sent again.
    expect((await press(owner, sequence)).headers['location']).toContain('scheduled')
    await deliver()
    expect(received.length - before).toBe(2)
  })

  test('is that of its merchant only, and of a sequence that exists', async () => {
    const sequence = await notify()
    for (const path of [`/${sequence + 1_000}`, '/0', '/-1', '/abc', '/9999999999999999', '/1e3'])
      expect([path, (await owner.get(at(path))).status]).toEqual([path, 404])
    expect((await stranger.get(at(`/${sequence}`))).status).toBe(404)
    expect((await stranger.get(`/app/merchants/${other}/webhooks/${sequence}`)).status).toBe(404)
    expect((await stranger.post(at(`/${sequence}`), { seen: '0' })).status).toBe(404)
    expect((await stranger.post(`/app/merchants/${other}/webhooks/${sequence}`, { seen: '0' })).status).toBe(404)
    for (const seen of ['', 'x', '-1', '1e3']) expect((await owner.post(at(`/${sequence}`), { seen })).status).toBe(404)
  })

  test('a form of another origin is refused, and without a session the person signs in first', async () => {
    const sequence = await notify()
    const foreign = await owner.post(at(`/${sequence}`), { seen: '0' }, ['origin', 'https://evil.example'])
    expect(foreign.status).toBe(400)
    expect((await browse().post(at(`/${sequence}`), { seen: '0' })).status).toBe(401)
    expect((await browse().get(at())).headers['location']).toContain('/app/sign-in')
    expect(await auditOf('replayed webhook')).toHaveLength(2)
  })

  test.each<[Role, boolean]>([
    ['admin', true],
    ['support', true],
    ['developer', true],
    ['finance', false],
    ['approver', false],
    ['viewer', false],
  ])('%s may see and send again: %s', async (role, may) => {
    const member = await memberOf(edge.merchant.id, role)
    const sequence = await notify()
    await deliver()
    expect((await member.get(at())).status).toBe(may ? 200 : 403)
    expect((await member.get(at(`/${sequence}`))).status).toBe(may ? 200 : 403)
    const before = await auditOf('replayed webhook')
    const seen = fieldOf(await owner.get(at(`/${sequence}`)), 'seen')
    expect((await press(member, sequence, seen)).status).toBe(may ? 303 : 403)
    expect((await member.post(at(), { do: 'wake' })).status).toBe(may ? 303 : 403)
    expect((await auditOf('replayed webhook')).length - before.length).toBe(may ? 1 : 0)
  })
})
