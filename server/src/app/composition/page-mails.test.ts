/** Members mail payment pages to payers, with the rights of the api. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fieldOf, textOf, type TestBrowser } from '../../../../test/world/dashboard.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createErasingJob } from '../../dashboard/payers/index.ts'
import { runUntilIdle } from '../../platform/jobs/index.ts'
import { at, idIn, INVOICE, send, useInvoicing } from './test-invoicing.ts'
import { writeLetter, type LetterContent } from '../../merchants/mail-templates/index.ts'

const { edge, memberOf, shop, newLink } = useInvoicing()

interface Row {
  to: string
  language: 'en'
  kind: string
  data: unknown
  audience: string
}
const mailsOf = async (merchantId: string): Promise<Row[]> =>
  (
    await sql<Row>`select recipient as "to", language, kind, data, audience from mails
      where merchant_id = ${merchantId} and kind = 'payment-request' order by created_at, id`.execute(edge.db)
  ).rows
const auditOf = async (merchantId: string): Promise<unknown[]> =>
  (
    await sql<{ detail: unknown }>`select detail from dashboard_audit where merchant_id = ${merchantId}
      and action = 'mailed payment page' order by at, id`.execute(edge.db)
  ).rows.map(({ detail }) => detail)

/** Where the page of an invoice or a link sends its form of mail. */
const formOf = (path: string): string => (path.includes('/links/') ? `${path}/mail` : path)

const mail = async (browser: TestBrowser, path: string, to: string, more: Readonly<Record<string, string>> = {}) => {
  const page = await browser.get(path)
  const key = fieldOf(page, 'mail-key')
  expect(page.text).toMatch(
    new RegExp(`action="${formOf(path)}(\\?[^"]*)?" novalidate><input type="hidden" name="mail-key"`),
  )
  return browser.post(`${formOf(path)}?lang=en`, { 'mail-key': key, 'mail-to': to, 'mail-language': 'kk', ...more })
}

test('a link is mailed to a payer once, however often the form is sent, and the audit log has no address', async () => {
  const merchantId = await shop()
  const member = await memberOf(merchantId, 'support')
  const { id, path: payersPath } = await newLink(member, merchantId, {
    name: 'Pay at https://evil.example',
    amount: '5',
  })
  const path = at(merchantId, `links/${id}`)
  const key = fieldOf(await member.get(path), 'mail-key')
  const form = { 'mail-key': key, 'mail-to': ' Payer@Example.com ', 'mail-language': 'kk' }
  const answers = await Promise.all([1, 2, 3].map(() => member.post(formOf(path), form)))
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
  expect(textOf(await member.get(`${path}?mailed=1&lang=en`))).toContain('The mail is being sent.')
  const [queued, ...others] = await mailsOf(merchantId)
  expect(others).toEqual([])
  expect(queued).toMatchObject({ language: 'kk', kind: 'payment-request', audience: 'payer' })
  expect(queued!.to.toLowerCase()).toBe('payer@example.com')
  const { text, html } = writeLetter({ kind: queued!.kind, data: queued!.data } as LetterContent, 'en')
  expect(text).toContain(`https://pay.example${payersPath}`)
  expect(text).toMatch(/5.USDT/)
  expect([...html.matchAll(/href="([^"]*)"/g)].every(([, url]) => url!.startsWith('https://pay.example/'))).toBe(true)
  expect(await auditOf(merchantId)).toEqual([
    { kind: 'link', id, to: expect.stringMatching(/^.\*\*\*@example\.com$/i) },
  ])
  const again = await mail(member, path, 'payer@example.com')
  expect([again.status, textOf(again).includes('This address was sent this page already.')]).toEqual([400, true])
  expect(again.text).toContain(`href="${path}/print`)
  expect(again.text).not.toContain('/mail/')
  const reloaded = await member.get(formOf(path))
  expect([reloaded.status, reloaded.text.includes(`href="${path}/print`)]).toEqual([200, true])
})

test('an invoice is mailed while it can be paid, and a wrong address stays in the form', async () => {
  const merchantId = await shop()
  const member = await memberOf(merchantId, 'finance')
  const made = await send(member, at(merchantId, 'invoices/new'), { ...INVOICE, email: 'known@example.com' })
  const path = at(merchantId, `invoices/crypto/${idIn(made)}`)
  expect((await member.get(path)).text).toMatch(/name="mail-to" value="known@example.com"/)
  const wrong = await mail(member, path, '<b>payer')
  expect([wrong.status, wrong.text.includes('value="&lt;b&gt;payer"')]).toEqual([400, true])
  expect((await mail(member, path, 'other@example.com')).status).toBe(303)
  expect((await mailsOf(merchantId)).map(({ to }) => to)).toEqual(['other@example.com'])
  await sql`update crypto_invoices set state = 'expired' where merchant_id = ${merchantId}`.execute(edge.db)
  expect((await member.get(path)).text).not.toContain('mail-to')
  const form = { 'mail-key': randomUUID(), 'mail-to': 'third@example.com' }
  await member.post(path, form)
  expect(await mailsOf(merchantId)).toHaveLength(1)
  await sql`update crypto_invoices set state = 'created' where merchant_id = ${merchantId}`.execute(edge.db)
})

test('mails of a merchant and to a mailbox are limited, and other roles send none', async () => {
  const merchantId = await shop()
  const member = await memberOf(merchantId, 'owner')
  const links: { id: string }[] = []
  for (let n = 0; n < 6; n += 1) links.push(await newLink(member, merchantId))
  const at5 = []
  for (const { id } of links) at5.push((await mail(member, at(merchantId, `links/${id}`), 'one@example.com')).status)
  expect(at5).toEqual([303, 303, 303, 303, 303, 400])
  // Raw: sixty forms are slow.
  await sql`insert into mails(merchant_id, id, kind, about, recipient, mailbox, audience, language, data, next_at, created_at, updated_at)
    select ${merchantId}::uuid, gen_random_uuid(), 'payment-request', i, 'p' || i || '@example.com', 'p' || i || '@example.com',
      'payer', 'en', '{}', now(), ${new Date(edge.clock.ms)}::timestamptz, now() from generate_series(1, 55) i`.execute(
    edge.db,
  )
  const limited = await mail(member, at(merchantId, `links/${links[5]!.id}`), 'two@example.com')
  expect([limited.status, textOf(limited).includes('Too many mails were sent')]).toEqual([400, true])
  edge.clock.ms += 3_600_001
  const later = await memberOf(merchantId, 'admin')
  expect((await mail(later, at(merchantId, `links/${links[5]!.id}`), 'two@example.com')).status).toBe(303)
  const viewer = await memberOf(merchantId, 'viewer')
  const path = at(merchantId, `links/${links[5]!.id}`)
  expect((await viewer.get(path)).text).not.toContain('mail-to')
  const form = { 'mail-key': randomUUID(), 'mail-to': 'x@example.com' }
  expect((await viewer.post(formOf(path), form)).status).toBe(403)
})

test('erasing the address does not reset the limits of mails to it', async () => {
  const merchantId = await shop()
  const owner = await memberOf(merchantId, 'owner')
  const links: { id: string }[] = []
  for (let n = 0; n < 6; n += 1) links.push(await newLink(owner, merchantId))
  const mailAll = async (): Promise<number[]> => {
    const statuses = []
    for (const { id } of links)
      statuses.push((await mail(owner, at(merchantId, `links/${id}`), 'victim@example.com')).status)
    return statuses
  }
  expect(await mailAll()).toEqual([303, 303, 303, 303, 303, 400])
  const erase = { do: 'erase', form: randomUUID(), 'payer-email': 'victim@example.com' }
  expect((await owner.post(at(merchantId, 'payers/erase'), erase)).status).toBe(303)
  await runUntilIdle([
    createErasingJob(
      createTestRuntime(edge.db, () => edge.clock.ms),
      1,
    ),
  ])
  expect(await mailAll()).toEqual([400, 400, 400, 400, 400, 400])
})

test('a member does not write a link to another site into the mail', () => {
  const { text, html } = writeLetter(
    {
      kind: 'payment-request',
      data: {
        company: { name: 'Kava', url: null },
        name: 'Your account is locked. Open https://evil.example/login within an hour',
        amount: null,
        pageUrl: 'https://pay.example/pay/x',
      },
    },
    'en',
  )
  // Programs for mail make a link of each text that looks like one.
  expect(`${text} ${html}`).not.toContain('https://evil.example/login')
})
