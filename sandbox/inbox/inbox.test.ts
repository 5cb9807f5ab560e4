import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startInbox } from './index.ts'
import type { Inbox, Message } from './index.ts'

let dir: string
let inbox: Inbox

const start = () =>
  startInbox({ port: 0, file: join(dir, 'inbox.jsonl'), now: () => new Date('2026-01-02T03:04:05.678Z') })

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bursar-inbox-'))
  inbox = await start()
})

afterEach(async () => {
  await inbox.stop()
  rmSync(dir, { recursive: true, force: true })
})

const send = (merchantId: string, body: string, headers: Record<string, string> = {}) =>
  fetch(inbox.notificationsUrl(merchantId), { method: 'POST', headers, body })

async function messages(query = ''): Promise<Message[]> {
  return (await (await fetch(`${inbox.url}/messages${query}`)).json()) as Message[]
}

const behave = (behaviour: object) =>
  fetch(`${inbox.url}/behaviour`, { method: 'PUT', body: JSON.stringify(behaviour) })

test('keeps every request byte for byte, with its headers and address', async () => {
  const body = '{"amount" : "1.50",\n "meta":"ї"}'
  expect((await send('shop', body, { signature: 'abc' })).status).toBe(200)
  const [message] = await messages()
  expect(message).toMatchObject({
    seq: 1,
    receivedAt: '2026-01-02T03:04:05.678Z',
    merchantId: 'shop',
    url: `${inbox.url}/merchant/shop`,
    headers: { signature: 'abc' },
    body,
    answered: 200,
  })
})

test('lists after a number, and of one merchant', async () => {
  await send('one', 'a')
  await send('two', 'b')
  await send('one', 'c')
  expect((await messages('?after=1')).map((message) => message.body)).toEqual(['b', 'c'])
  expect((await messages('?merchantId=one')).map((message) => message.seq)).toEqual([1, 3])
  expect(await messages('?after=1&merchantId=one')).toHaveLength(1)
  expect(await messages('?after=3')).toEqual([])
})

test('continues after a restart, and after a kill in the middle of a line', async () => {
  await send('shop', 'a')
  await inbox.stop()
  appendFileSync(join(dir, 'inbox.jsonl'), '{"seq":2,"rece')
  inbox = await start()
  await send('shop', 'b')
  expect((await messages()).map(({ seq, body }) => [seq, body])).toEqual([
    [1, 'a'],
    [2, 'b'],
  ])
  await inbox.stop()
  inbox = await start()
  expect(await messages('?after=1')).toMatchObject([{ seq: 2, body: 'b' }])
})

test('fails as often as set, then answers as set, for that merchant alone', async () => {
  await behave({ merchantId: 'shop', status: 202, failNext: 2 })
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await send('shop', 'x')).status)
  expect(statuses).toEqual([500, 500, 202])
  expect((await send('other', 'x')).status).toBe(200)
  expect((await messages('?merchantId=shop')).map((message) => message.answered)).toEqual([500, 500, 202])
})

test('answers late when set to, and does not hold up a stop', async () => {
  await behave({ merchantId: 'slow', delayMs: 200 })
  const started = performance.now()
  await send('slow', 'x')
  expect(performance.now() - started).toBeGreaterThan(190)
  await behave({ merchantId: 'hung', delayMs: 600_000 })
  const hung = send('hung', 'x')
  await expect.poll(() => messages('?merchantId=hung')).toHaveLength(1)
  await Promise.all([inbox.stop(), expect(hung).rejects.toThrow('fetch failed')])
  inbox = await start()
})

test('names the expected request', async () => {
  const refusals: [Response, string][] = [
    [await behave({ merchantId: 'shop', status: 20 }), 'status: send a whole number from 200 to 599'],
    [await behave({ status: 200 }), 'merchantId: send a string'],
    [
      await behave({ merchantId: 'shop', speed: 1 }),
      'speed: unknown; the fields are merchantId, status, delayMs, failNext',
    ],
    [await fetch(`${inbox.url}/behaviour`, { method: 'PUT', body: '{' }), 'send a JSON body'],
    [await fetch(`${inbox.url}/messages?after=-1`), 'after: send the seq of the last message you have, or 0'],
  ]
  for (const [response, description] of refusals) {
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ code: 100, description })
  }
  const lost = await fetch(`${inbox.url}/nothing`)
  expect(lost.status).toBe(404)
  expect(await lost.json()).toMatchObject({
    description: expect.stringContaining(
      'POST /merchant/<merchantId>, GET /, GET /mails/<seq>/html, GET /mails/<seq>/attachments/<place>, GET /messages',
    ),
  })
})
