/** Additional endpoints by members on their pages, with the worker and real receivers. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifyStandardWebhook } from '@bursar/sdk'
import { fieldOf, textOf, useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import type { Answer } from '../../../../test/world/edge.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { emit, listEndpoints } from '../../merchants/webhooks/index.ts'
import { nowOf, type Role } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { useHook } from './test-webhooks.ts'

const dashboard = useDashboard()
const { edge, memberOf, statements } = dashboard
const hook = useHook(dashboard, { good: 'thanks', bad: 'out of <order>' }, () => ({
  untilSettled: true,
  endpointOf: () => null,
}))
const { received, runtime } = hook
let [owner, colleague, stranger]: TestBrowser[] = []
let ownerAddress: string
let other: string
let url: string

const at = (path = '', merchantId = edge.merchant.id): string => `/app/merchants/${merchantId}/webhooks${path}`
const deliver = (): Promise<void> => runUntilIdle([hook.delivery.job, hook.delivery.additional, hook.delivery.testing])
const notify = async (kind = 'Replenish'): Promise<number> => {
  const [merchantId, objectId] = [edge.merchant.id, randomUUID()]
  const body = { kind, status: 'Done', id: objectId }
  await inTransaction(edge.db, (tx) =>
    emit(tx, [{ merchantId, objectId, kind, status: 'Done', body }], nowOf(runtime()).moment),
  )
  const { rows } = await sql<{ sequence: number }>`select max(sequence) as sequence from events
    where merchant_id = ${merchantId}`.execute(edge.db)
  return rows[0]!.sequence
}
const endpoints = () => listEndpoints(edge.db, edge.merchant.id)
const secretIn = (answer: Answer): string | undefined => /whsec_[A-Za-z0-9+/=]+/.exec(answer.text)?.[0]
const ALL = { 'endpoint-all': '1' }
const add = async (
  browser: TestBrowser,
  fields: Readonly<Record<string, string>>,
): Promise<{ id: string; answer: Answer }> => {
  const id = randomUUID()
  return { id, answer: await browser.post(at('/endpoints/new'), { form: id, ...fields }) }
}
const actions = async (): Promise<string[]> =>
  (
    await sql<{
      action: string
    }>`select action from dashboard_audit where action like '%webhook%' order by at, id`.execute(edge.db)
  ).rows.map(({ action }) => action)
const mails = async (): Promise<{ recipient: string; event: string; detail: string }[]> =>
  (
    await sql<{
      recipient: string
      event: string
      detail: string
    }>`select recipient, data ->> 'event' as event, data ->> 'detail' as detail
      from mails where kind = 'merchant-changed' and data ->> 'event' like 'webhook%' order by created_at, id`.execute(
      edge.db,
    )
  ).rows

beforeAll(async () => {
  url = hook.url
  const member = await memberOf(edge.merchant.id, 'owner')
  ;[owner, ownerAddress] = [member, member.email]
  colleague = await memberOf(edge.merchant.id, 'developer')
  other = (await makeMerchant(edge.db, edge.clock.ms)).id
  stranger = await memberOf(other, 'owner')
})

describe('an additional endpoint', () => {
  let id: string
  let secret: string

  test('is added by a form that shows its secret once; sent twice, it makes one; owners are mailed', async () => {
    expect((await colleague!.get(at('/endpoints/new?lang=en'))).status).toBe(200)
    const made = await add(colleague!, { 'endpoint-url': url, 'endpoint-description': 'accounts <b>', ...ALL })
    expect(made.answer.status).toBe(200)
    ;[id, secret] = [made.id, secretIn(made.answer)!]
    const again = await colleague!.post(at('/endpoints/new?lang=en'), { form: id, 'endpoint-url': url, ...ALL })
    expect([again.status, secretIn(again)]).toEqual([400, undefined])
    expect(textOf(again)).toContain('This form has done its work already')
    expect(await endpoints()).toMatchObject([{ id, url, description: 'accounts <b>', kinds: null, isOn: true }])
    expect(await mails()).toEqual([{ recipient: ownerAddress, event: 'webhook-endpoint', detail: url }])
    const { rows } = await sql<{ detail: string }>`select detail::text as detail from dashboard_audit
      where action = 'added webhook endpoint'`.execute(edge.db)
    expect(rows).toHaveLength(1)
    expect(rows[0]!.detail).not.toContain('whsec_')
    for (const path of ['/endpoints', `/endpoints/${id}`, `/endpoints/${id}/change`])
      expect(secretIn(await owner!.get(at(path)))).toBeUndefined()
  })

  test('gets notifications with a signature of its secret, which its page and that of the notification show', async () => {
    const sequence = await notify()
    await deliver()
    const { headers, rawBody } = received.at(-1)!
    const verify = () =>
      verifyStandardWebhook({
        headers: headers as Record<string, string>,
        rawBody,
        secrets: [secret],
        now: () => edge.clock.ms,
      })
    expect(verify).not.toThrow()
    expect(headers['signature']).toBeUndefined()
    statements.length = 0
    const page = await owner!.get(at(`/endpoints/${id}?lang=en`))
    expect(statements.length).toBeLessThanOrEqual(10)
    expect(textOf(page)).toContain('200: accepted')
    expect(page.text).toContain(`/webhooks/${sequence}?`)
    expect(page.text).toContain('accounts &lt;b&gt;')
    const one = await owner!.get(at(`/${sequence}?lang=en`))
    expect(one.text).toContain(`name="endpoint" value="${id}"`)
    expect(textOf(one)).toContain('accounts <b>')
  })

  test('gets a notification again, once for each state that was shown; no other one does', async () => {
    const sequence = await notify()
    await deliver()
    const before = received.length
    const { rows } = await sql<{
      epoch: number
    }>`select epoch from endpoint_attempts where sequence = ${sequence}`.execute(edge.db)
    const press = (endpoint: string) => owner!.post(at(`/${sequence}`), { seen: String(rows[0]!.epoch), endpoint })
    expect((await press(id)).headers['location']).toContain('scheduled')
    expect((await press(id)).headers['location']).toContain('waiting')
    await deliver()
    expect((await press(id)).headers['location']).toContain('changed')
    expect(received.length - before).toBe(1)
    for (const endpoint of [randomUUID(), 'x']) expect((await press(endpoint)).status).toBe(404)
  })

  test('gets a test of its own', async () => {
    const before = received.length
    const form = { do: 'test', id: randomUUID() }
    for (let i = 0; i < 2; i += 1) expect((await owner!.post(at(`/endpoints/${id}`), form)).status).toBe(303)
    await deliver()
    expect(received.length - before).toBe(1)
    expect(JSON.parse(received.at(-1)!.rawBody)).toMatchObject({ kind: 'Test', id: form.id })
    expect(textOf(await owner!.get(at(`/endpoints/${id}?lang=en`)))).toContain('thanks')
    expect(textOf(await owner!.get(at('?lang=en')))).not.toContain('thanks')
  })

  test('that fails is shown so, and everything that waits is sent when it works again', async () => {
    hook.judge = () => 503
    await notify()
    await deliver()
    const page = textOf(await owner!.get(at(`/endpoints/${id}?lang=en`)))
    expect(page).toContain('1 objects, of these 1 after failed attempts')
    expect(page).toContain('out of <order>')
    hook.judge = () => 200
    const answer = await owner!.post(at(`/endpoints/${id}`), { do: 'wake' })
    expect(answer.headers['location']).toContain('woken=1')
    await deliver()
    expect(textOf(await owner!.get(at('/endpoints?lang=en')))).toContain('0 objects')
  })

  test('is changed as it was shown; the form of an old tab changes nothing; owners are mailed about a URL', async () => {
    const shown = fieldOf(await owner!.get(at(`/endpoints/${id}/change`)), 'shown')
    const fields = {
      do: 'change',
      shown,
      'endpoint-url': `${url}?v=2`,
      'endpoint-description': 'books',
      'endpoint-Withdraw': '1',
    }
    expect((await colleague!.post(at(`/endpoints/${id}/change`), fields)).status).toBe(303)
    expect(await endpoints()).toMatchObject([
      { url: `${url}?v=2`, kinds: ['Withdraw'], isOn: false, description: 'books' },
    ])
    const old = await owner!.post(at(`/endpoints/${id}/change?lang=en`), { ...fields, 'endpoint-url': `${url}?v=3` })
    expect(old.status).toBe(400)
    expect(textOf(old)).toContain('was changed meanwhile')
    expect(old.text).toContain(`${url}?v=3`)
    expect((await mails()).filter(({ event }) => event === 'webhook-url')).toEqual([
      { recipient: ownerAddress, event: 'webhook-url', detail: `${url}?v=2` },
    ])
    expect((await mails()).filter(({ event }) => event === 'webhook-endpoint-off')).toEqual([
      { recipient: ownerAddress, event: 'webhook-endpoint-off', detail: `${url}?v=2` },
    ])
    const before = received.length
    await notify('Withdraw')
    await notify('Replenish')
    await deliver()
    expect(received).toHaveLength(before)
    const now = fieldOf(await owner!.get(at(`/endpoints/${id}/change`)), 'shown')
    await owner!.post(at(`/endpoints/${id}/change`), { ...fields, shown: now, 'endpoint-on': '1' })
    await deliver()
    expect(received.slice(before).map(({ rawBody }) => (JSON.parse(rawBody) as { kind: string }).kind)).toEqual([
      'Withdraw',
    ])
  })

  test('gets a new secret once for each form, and keeps the one before for a day', async () => {
    const form = { do: 'replace', form: randomUUID() }
    const anew = secretIn(await owner!.post(at(`/endpoints/${id}/change`), form))
    expect(anew).toBeDefined()
    const again = await owner!.post(at(`/endpoints/${id}/change`), form)
    expect([again.status, secretIn(again)]).toEqual([400, undefined])
    expect((await mails()).filter(({ event }) => event === 'webhook-secret')).toEqual([
      { recipient: ownerAddress, event: 'webhook-secret', detail: `${url}?v=2` },
    ])
    await notify('Withdraw')
    await deliver()
    const { headers, rawBody } = received.at(-1)!
    for (const one of [secret, anew!])
      expect(() =>
        verifyStandardWebhook({
          headers: headers as Record<string, string>,
          rawBody,
          secrets: [one],
          now: () => edge.clock.ms,
        }),
      ).not.toThrow()
    expect(textOf(await owner!.get(at(`/endpoints/${id}?lang=en`)))).toContain('The secret before is valid until')
  })

  test('gets no other secret by a form that has shown an older one', async () => {
    const forms = await Promise.all([1, 2].map(() => owner!.get(at(`/endpoints/${id}/change`))))
    const [first, second] = forms.map((page) => ({
      do: 'replace',
      form: fieldOf(page, 'form'),
      after: fieldOf(page, 'after'),
    }))
    const replace = async (form: Record<string, string>) =>
      (await owner!.post(at(`/endpoints/${id}/change`), form)).status
    expect([await replace(first!), await replace(second!), await replace(first!)]).toEqual([200, 400, 400])
  })

  test('names every problem of a form at once, with the typed text', async () => {
    const { answer } = await add(owner!, { 'endpoint-url': 'ftp://shop', 'endpoint-description': 'y'.repeat(101) })
    expect(answer.status).toBe(400)
    for (const text of ['ftp://shop', 'yyy', 'no URL of an endpoint', 'at most 100', 'at least one type'])
      expect(answer.text).toContain(text)
  })

  test('of another merchant does not exist on any page or form', async () => {
    for (const merchantId of [other, edge.merchant.id])
      for (const path of [`/endpoints/${id}`, `/endpoints/${id}/change`])
        expect([path, (await stranger!.get(at(path, merchantId))).status]).toEqual([path, 404])
    const before = await endpoints()
    for (const fields of [{ do: 'wake' }, { do: 'test', id: randomUUID() }])
      expect((await stranger!.post(at(`/endpoints/${id}`, other), fields)).status).toBe(404)
    for (const fields of [
      { do: 'remove' },
      { do: 'replace', form: randomUUID() },
      { do: 'change', 'endpoint-url': url, ...ALL },
    ])
      expect((await stranger!.post(at(`/endpoints/${id}/change`, other), fields)).status).toBe(404)
    for (const path of ['/endpoints/none', '/endpoints/1', `/endpoints/${randomUUID()}`])
      expect((await owner!.get(at(path))).status).toBe(404)
    expect(await endpoints()).toEqual(before)
  })

  test.each<[Role, number, number]>([
    ['admin', 200, 200],
    ['support', 200, 403],
    ['finance', 403, 403],
    ['approver', 403, 403],
    ['viewer', 403, 403],
  ])('%s: the page answers %d, and a form that adds one %d', async (role, page, form) => {
    const member = await memberOf(edge.merchant.id, role)
    for (const path of ['/endpoints', `/endpoints/${id}`]) expect((await member.get(at(path))).status).toBe(page)
    for (const path of ['/endpoints/new', `/endpoints/${id}/change`])
      expect((await member.get(at(path))).status).toBe(form)
    expect((await add(member, { 'endpoint-url': url, ...ALL })).answer.status).toBe(form)
    const shown = await owner!.get(at(`/endpoints/${id}/change`))
    const replacing = { do: 'replace', form: randomUUID(), after: fieldOf(shown, 'after') }
    const replaced = await member.post(at(`/endpoints/${id}/change`), replacing)
    expect(replaced.status).toBe(form)
  })

  test('needs a proof of the last five minutes for each change; the typed text stays', async () => {
    edge.clock.ms += 6 * 60_000
    const before = await endpoints()
    const { answer } = await add(owner!, { 'endpoint-url': `${url}?late`, ...ALL })
    expect(answer.status).toBe(403)
    expect(fieldOf(answer, 'draft-endpoint-url')).toBe(`${url}?late`)
    for (const fields of [
      { do: 'remove' },
      { do: 'replace', form: randomUUID() },
      { do: 'change', 'endpoint-url': url, ...ALL },
    ])
      expect((await owner!.post(at(`/endpoints/${id}/change`), fields)).status).toBe(403)
    expect(await endpoints()).toEqual(before)
  })

  test('is removed once, with what waits for it', async () => {
    const member = await memberOf(edge.merchant.id, 'admin')
    const remove = () => member.post(at(`/endpoints/${id}/change`), { do: 'remove' })
    expect((await remove()).status).toBe(303)
    expect((await remove()).status).toBe(404)
    expect((await mails()).filter(({ event }) => event === 'webhook-endpoint-removed')).toMatchObject([
      { recipient: ownerAddress },
    ])
    const before = received.length
    await notify('Withdraw')
    await deliver()
    // The one that the administrator has added gets it.
    expect(received).toHaveLength(before + 1)
    expect((await owner!.get(at(`/endpoints/${id}`))).status).toBe(404)
    expect((await actions()).filter((action) => action === 'removed webhook endpoint')).toHaveLength(1)
  })
})
