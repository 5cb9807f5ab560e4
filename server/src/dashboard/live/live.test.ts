/** The stream of a merchant's changes over HTTP, and the marks of the pages that follow it. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { useDashboard, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { NOW } from '../../../../test/world/edge.ts'
import { giveMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { nowOf, removeMember } from '../../people/access/index.ts'
import { inTransaction } from '../../platform/db/index.ts'

const { edge, deps, memberOf, browse } = useDashboard()
const at = (page: string, merchantId: string = edge.merchant.id): string => `/app/merchants/${merchantId}/${page}`
const MINUTE = 60_000

const notify = (merchantId: string): Promise<void> =>
  inTransaction(edge.db, (tx) =>
    emit(
      tx,
      [{ merchantId, objectId: randomUUID(), kind: 'Replenish', status: 'Done', body: {} }],
      nowOf(deps.runtime).moment,
    ),
  )

const openStream = (path: string, cookie: string | undefined) => {
  let text = ''
  let isEnded = false
  const socket = connect(edge.port, '127.0.0.1', () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nCookie: __Host-bursar=${cookie}\r\n\r\n`,
    ),
  )
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.once('close', () => (isEnded = true))
  onTestFinished(() => void socket.destroy())
  return {
    text: () => text,
    isEnded: () => isEnded,
    versions: () => [...text.matchAll(/^data: ([0-9a-f]{32})$/gm)].map(([, version]) => version!),
  }
}
/** A beat, and with it the check of a session, comes after 20 s. */
const PATIENCE = { timeout: 40_000 }
const versionIn = ({ text }: { text: string }): string | undefined => /data-version="([0-9a-f]{32})"/.exec(text)?.[1]
const mayChange = async (browser: TestBrowser, change: () => Promise<unknown>): Promise<boolean> => {
  const before = versionIn(await browser.get(at('home')))
  await change()
  return versionIn(await browser.get(at('home'))) !== before
}

describe('the stream of a merchant', () => {
  test('tells each change of the merchant, and none of another', { timeout: 60_000 }, async () => {
    const { id } = await makeMerchant(edge.db, NOW)
    const member = await memberOf(edge.merchant.id, 'viewer')
    const stranger = await memberOf(id, 'owner')
    const [own, other] = [openStream(at('live'), member.cookie), openStream(at('live', id), stranger.cookie)]
    await expect.poll(() => [own.versions().length, other.versions().length], PATIENCE).toEqual([1, 1])
    expect(own.text()).toMatch(/^HTTP\/1\.1 200 [^]*content-type: text\/event-stream/i)
    expect(own.versions()[0]).toBe(versionIn(await member.get(at('home'))))
    await notify(id)
    await expect.poll(() => other.versions().length, PATIENCE).toBe(2)
    await notify(edge.merchant.id)
    await expect.poll(() => own.versions().length, PATIENCE).toBe(2)
    // The change of the other merchant was sent in an earlier round.
    expect(own.versions()[1]).toBe(versionIn(await member.get(at('home'))))
  })

  test('is refused without a session, and to a member of another merchant', async () => {
    const { id } = await makeMerchant(edge.db, NOW)
    const stranger = await memberOf(id, 'owner')
    expect((await browse().get(at('live'))).status).toBe(303)
    const [refused, unknown] = [await stranger.get(at('live')), await stranger.get(at('live', randomUUID()))]
    expect([refused.status, unknown.status]).toEqual([404, 404])
  })

  test('ends before the next change when the member was removed', { timeout: 60_000 }, async () => {
    const member = await memberOf(edge.merchant.id, 'viewer')
    const stream = openStream(at('live'), member.cookie)
    await expect.poll(() => stream.versions().length, PATIENCE).toBe(1)
    // The removal is a recorded action, and so a change itself.
    await inTransaction(edge.db, (tx) =>
      removeMember(tx, { merchantId: edge.merchant.id, email: member.email, actor: 'cli:test' }, nowOf(deps.runtime)),
    )
    await expect.poll(stream.isEnded, PATIENCE).toBe(true)
    expect(stream.versions()).toHaveLength(1)
  })

  test('ends when the session ends, although nothing changes', { timeout: 60_000 }, async () => {
    const member = await memberOf(edge.merchant.id, 'viewer')
    const stream = openStream(at('live'), member.cookie)
    await expect.poll(() => stream.versions().length, PATIENCE).toBe(1)
    await member.post('/app/sign-out', {})
    await expect.poll(stream.isEnded, PATIENCE).toBe(true)
    expect(stream.versions()).toHaveLength(1)
  })

  test('is limited for each person', { timeout: 60_000 }, async () => {
    const [member, other] = [await memberOf(edge.merchant.id, 'viewer'), await memberOf(edge.merchant.id, 'viewer')]
    const all = Array.from({ length: 20 }, () => openStream(at('live'), member.cookie))
    await expect.poll(() => all.every(({ text }) => text().includes('retry: ')), PATIENCE).toBe(true)
    expect((await member.get(at('live'))).status).toBe(429)
    const stream = openStream(at('live'), other.cookie)
    await expect.poll(() => stream.versions().length, PATIENCE).toBe(1)
  })
})

describe('the version of a page', () => {
  test('changes with a notification, a balance, a setting, and with nothing else', async () => {
    const owner = await memberOf(edge.merchant.id, 'owner')
    const { id } = await makeMerchant(edge.db, NOW)
    expect(await mayChange(owner, () => notify(edge.merchant.id))).toBe(true)
    expect(
      await mayChange(owner, () =>
        giveMoney(
          createTestRuntime(edge.db, () => edge.clock.ms),
          { merchantId: edge.merchant.id, asset: 'BTC' },
          1_000n,
        ),
      ),
    ).toBe(true)
    const policy = {
      do: 'add',
      'address-name': 'a',
      network: 'BITCOIN',
      address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
    }
    expect(await mayChange(owner, () => owner.post(at('payouts/addresses'), policy))).toBe(true)
    expect(await mayChange(owner, () => notify(id))).toBe(false)
    expect(await mayChange(owner, async () => {})).toBe(false)
  })

  test('is on the pages that follow it, with their script, and not on the answer of a form', async () => {
    const owner = await memberOf(edge.merchant.id, 'owner')
    for (const page of ['home', 'payments', 'payouts']) {
      const { text, status } = await owner.get(at(page))
      expect([page, status, versionIn({ text }) !== undefined]).toEqual([page, 200, true])
      expect(text).toContain(`data-follow="${at('live')}"`)
      expect(text).toContain('new EventSource(')
    }
    const { text } = await owner.get(at('payouts/new'))
    expect([versionIn({ text }), text.includes('new EventSource(')]).toEqual([undefined, false])
  })
})

test('a page that a script requests, and a stream, are no use of the session', async () => {
  const member = await memberOf(edge.merchant.id, 'viewer')
  const seenAt = async (): Promise<number> => {
    const { rows } = await sql<{ at: Date }>`select max(s.seen_at) as at from dashboard_sessions s
      join dashboard_people p on p.id = s.person_id where p.address = ${member.email}`.execute(edge.db)
    return rows[0]!.at.getTime()
  }
  const before = await seenAt()
  edge.clock.ms += 5 * MINUTE
  const asked = ['accept', 'text/html', 'cookie', `__Host-bursar=${member.cookie}`, 'bursar-live', '1']
  expect((await edge.raw('GET', at('home'), asked)).status).toBe(200)
  const stream = openStream(at('live'), member.cookie)
  await expect.poll(() => stream.text()).toContain('retry: ')
  expect(await seenAt()).toBe(before)
  await member.get(at('home'))
  expect(await seenAt()).toBe(before + 5 * MINUTE)
})
