import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { OutgoingMail } from '../../adapters/mail/port.ts'
import { useDb } from '../../../../test/world/database.ts'
import { catalogueOn } from '../../../../test/world/catalogue.ts'
import { giveMoney, spendMoney } from '../../../../test/world/ledger.ts'
import { makeMerchant } from '../../../../test/world/merchant.ts'
import { readPdf } from '../../../../test/world/pdf.ts'
import { createTestRuntime } from '../../../../test/world/runtime.ts'
import { createDocumentMaker } from '../../merchants/documents/index.ts'
import { announceSending, createSendJob } from '../../merchants/mail/index.ts'
import { createMonthlyMailsJob, createStatementMaker } from './index.ts'

const { db } = useDb()
const END = Date.UTC(2026, 10, 1)
const MINUTE = 60_000
const DAY = 86_400_000
let now = 0
const runtime = createTestRuntime(db, () => now)
const catalogue = catalogueOn('TRON', { USDT: { decimals: 6, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' } })
const newJob = () => createMonthlyMailsJob({ runtime, catalogue, publicUrl: 'https://pay.example' })
const runAt = async (ms: number, job = newJob()): Promise<void> => {
  now = ms
  await job.run(new AbortController().signal)
}
const mails = async (): Promise<{ merchantId: string; about: string; recipient: string; data: unknown }[]> =>
  (
    await sql<{ merchantId: string; about: string; recipient: string; data: unknown }>`
      select merchant_id as "merchantId", about, recipient, data from mails where kind = 'month-ended' order by created_at`.execute(
      db,
    )
  ).rows

beforeEach(async () => {
  await sql`truncate mails cascade`.execute(db)
  // Raw: merchants of other tests want no mails any more.
  await sql`update merchants set disabled_at = now() where disabled_at is null`.execute(db)
  now = END - DAY
  await announceSending(db, true, new Date(now))
})
const wanting = async (email = 'boss@shop.example'): Promise<string> =>
  (await makeMerchant(db, now, { settings: { email, monthlyMails: true } })).id

test('a month is mailed once, also by workers at once, with the balances that are not 0', async () => {
  const merchantId = await wanting()
  await makeMerchant(db, now, { settings: { email: 'other@shop.example' } })
  const owned = { merchantId, asset: 'USDT' }
  now = END - 40 * DAY
  await giveMoney(runtime, owned, 5_000_000n)
  now = END - DAY
  await spendMoney(runtime, owned, 1_500_000n)
  now = END + MINUTE
  await giveMoney(runtime, owned, 9_000_000n)
  await runAt(END + 4 * MINUTE)
  // Five minutes after its end, October is complete. September ended too long ago.
  expect(await mails()).toEqual([])
  await Promise.all([runAt(END + 5 * MINUTE), runAt(END + 5 * MINUTE)])
  await runAt(END + DAY)
  const { scale } = catalogue.find('USDT')!
  const shown = (units: number): string => String(units / 10 ** scale)
  expect(await mails()).toEqual([
    {
      merchantId,
      about: '2026-10',
      recipient: 'boss@shop.example',
      data: {
        merchant: expect.any(String),
        month: '2026-10',
        balances: [{ ticker: 'USDT', opening: shown(5_000_000), closing: shown(3_500_000) }],
        pageUrl: `https://pay.example/app/merchants/${merchantId}/balances`,
      },
    },
  ])
})

test('a merchant that wants mails more than three days after the end gets those of the next month', async () => {
  await wanting()
  await runAt(END + 3 * DAY + MINUTE)
  expect(await mails()).toEqual([])
  await runAt(Date.UTC(2026, 11, 1) + 5 * MINUTE)
  expect((await mails()).map(({ about }) => about)).toEqual(['2026-11'])
})

test('while no worker sends mail, a month waits', async () => {
  await wanting()
  await announceSending(db, false, new Date(now))
  const job = newJob()
  await runAt(END + DAY, job)
  expect(await mails()).toEqual([])
  await announceSending(db, true, new Date(now))
  await runAt(END + 2 * DAY, job)
  expect(await mails()).toHaveLength(1)
})

const documents = createDocumentMaker()
afterAll(() => documents.close())

test('the mail has the statement of each of its balances as PDF, also when it is sent later', async () => {
  const merchantId = await wanting()
  now = END - DAY
  await giveMoney(runtime, { merchantId, asset: 'USDT' }, 5_000_000n)
  await runAt(END + DAY)
  now = END + 2 * DAY
  await giveMoney(runtime, { merchantId, asset: 'USDT' }, 9_000_000n)
  const sent: OutgoingMail[] = []
  const sending = createSendJob({
    runtime,
    sender: {
      send: async (mail) => {
        sent.push(mail)
        return { kind: 'accepted' }
      },
      check: async () => {},
      close: () => {},
    },
    from: { name: 'Bursar', address: 'pay@shop.example' },
    receipt: async () => Buffer.alloc(0),
    statements: createStatementMaker({ runtime, catalogue, documents }),
    pause: async () => {},
  })
  await sending.run(new AbortController().signal)
  expect(sent.map(({ attachments }) => attachments.map(({ name, type }) => [name, type]))).toEqual([
    [['statement-USDT-2026-10.pdf', 'application/pdf']],
  ])
  const [file] = sent[0]!.attachments
  const text = (await readPdf(file!.bytes)).sheets.join(' ')
  const { scale } = catalogue.find('USDT')!
  expect(text).toContain('2026-10')
  expect(text).toContain(String(5_000_000 / 10 ** scale))
  expect(text).not.toContain(String(9_000_000 / 10 ** scale))
})
