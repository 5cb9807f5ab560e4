import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeWithChromium, useChromium } from '../../test/setup/chromium/index.ts'
import { temporaryFolder } from '../../test/setup/temporary.ts'
import { startControl } from '../control/index.ts'
import type { SandboxServer } from '../http/server.ts'
import { startInbox } from '../inbox/index.ts'
import type { Inbox } from '../inbox/index.ts'
import { startMailbox } from './index.ts'
import type { Mailbox } from './index.ts'

const folder = temporaryFolder('mailbox')
let n = 0
let mailbox: Mailbox
let control: SandboxServer
let inbox: Inbox
const file = () => join(folder, `mail-${n}.jsonl`)
const start = () => startMailbox({ port: 0, file: file(), now: () => new Date('2026-01-02T03:04:05.678Z') })

beforeEach(async () => {
  n += 1
  mailbox = await start()
  control = await startControl({ port: 0, chains: [], mails: mailbox.mails })
  inbox = await startInbox({ port: 0, file: join(folder, `inbox-${n}.jsonl`), mails: mailbox.mails })
})
afterEach(async () => {
  await Promise.all([mailbox.stop(), control.stop(), inbox.stop()])
})

const send = (to: string, more: object = {}) =>
  createTransport({ host: '127.0.0.1', port: mailbox.port, ignoreTLS: true }).sendMail({
    messageId: '<one@shop.example>',
    from: { name: 'Крамниця', address: 'pay@shop.example' },
    to,
    subject: 'Чек',
    text: 'Дякуємо',
    html: '<html><head></head><p>Дякуємо</p></html>',
    ...more,
  })
const list = async (query = '') => {
  const answer = await fetch(`${control.url}/mail${query}`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>[] & { description: string } }
}

test('keeps every mail, and lists mails by address and from a position', async () => {
  const pdf = Buffer.from('%PDF-\0\xff', 'latin1')
  await send('Payer@Example.com', { attachments: [{ filename: 'чек.pdf', content: pdf }] })
  await send('other@example.com')
  expect((await list('?to=payer@example.com')).body).toEqual([
    {
      seq: 1,
      receivedAt: '2026-01-02T03:04:05.678Z',
      messageId: '<one@shop.example>',
      from: 'Крамниця <pay@shop.example>',
      to: ['Payer@example.com'],
      subject: 'Чек',
      text: 'Дякуємо',
      html: '<html><head></head><p>Дякуємо</p></html>\n',
      attachments: [{ name: 'чек.pdf', type: 'application/pdf', size: pdf.length }],
    },
  ])
  expect((await list()).body.map(({ seq }) => seq)).toEqual([1, 2])
  expect((await list('?after=1')).body.map(({ to }) => to)).toEqual([['other@example.com']])
  expect((await list('?after=x')).body.description).toContain('send the seq')
  expect((await list('?too=x')).status).toBe(400)
  const attachment = await fetch(`${inbox.url}/mails/1/attachments/0`)
  expect(Buffer.from(await attachment.arrayBuffer())).toEqual(pdf)
  for (const path of ['/mails/3/html', '/mails/0/html', '/mails/1/attachments/1'])
    expect((await fetch(`${inbox.url}${path}`)).status).toBe(404)
})

test('continues after a restart, and after a kill in the middle of a line', async () => {
  await send('payer@example.com')
  await mailbox.stop()
  appendFileSync(file(), '{"receivedAt":"2026')
  mailbox = await start()
  await send('payer@example.com', { subject: 'Другий' })
  expect((await mailbox.mails.after(0)).map(({ seq, subject }) => [seq, subject])).toEqual([
    [1, 'Чек'],
    [2, 'Другий'],
  ])
})

describeWithChromium('the inbox', () => {
  const visit = useChromium()

  test('is a page on which the link of a mail can be clicked, and nothing in a mail runs', async () => {
    await send('payer@example.com', {
      subject: '<b>Claim</b>',
      html: `<html><head></head><script>document.title='ran'</script><img src="${inbox.url}/seen"><a href="${inbox.url}/messages">the claim link</a></html>`,
    })
    await fetch(inbox.notificationsUrl('shop'), {
      method: 'POST',
      body: '{"kind":"Replenish","status":"Done","meta":"<img src=x>"}',
    })
    const context = await visit()
    const page = await context.newPage()
    const asked: string[] = []
    page.on('response', (response) => asked.push(response.url()))
    await page.goto(inbox.url)
    expect(await page.locator('summary').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('<b>Claim</b>'), expect.stringContaining('Replenish Done')]),
    )
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.frameLocator('iframe').getByText('the claim link').click(),
    ])
    await opened.waitForLoadState()
    expect(await opened.textContent('body')).toContain('Replenish')
    expect(await page.title()).toBe('Inbox')
    expect(asked).toContain(`${inbox.url}/mails/1/html`)
    expect(asked.filter((url) => url.endsWith('/seen') || url.endsWith('/x'))).toEqual([])
  })
})
