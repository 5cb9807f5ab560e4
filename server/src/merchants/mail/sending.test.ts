import { sql } from 'kysely'
import PostalMime from 'postal-mime'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyTables } from '../../../../test/setup/empty-tables.ts'
import { useDb } from '../../../../test/world/database.ts'
import type { MailSender, OutgoingMail, SendOutcome } from '../../adapters/mail/port.ts'
import { createSmtpSender } from '../../adapters/mail/smtp.ts'
import { startTestMailServer, type TestMailServer } from '../../../../test/world/mail-server.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { LETTERS } from '../../../../test/world/letters.ts'
import { makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'
import { announceSending, createMailPruneJob, createSendJob, listMails, queueMails, type Mail } from './index.ts'
import { mailMoves, type MailState } from './machine.ts'
import { nextTry } from './schedule.ts'
import { claimMail, moveClaimed } from './store.ts'
import { underpaid } from '../../../../test/world/mail.ts'

const { db, pool } = useDb()
const START = 1_800_000_000_000
const HOUR = 3_600_000
let merchantId: string
let now = START
let server: TestMailServer | undefined
beforeEach(async () => {
  now = START
  await emptyTables(db)
  merchantId = (await makeMerchant(db, START)).id
  await announceSending(db, true, new Date(START))
})
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const lines: string[] = []
const runtime = () => ({
  db,
  newId,
  clock: { now: () => now, business: () => now },
  log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
})
const queue = (mails: Mail[]) => inTransaction(db, (tx) => queueMails(tx, mails, momentAt(now)))
const from = { name: 'Bursar', address: 'pay@shop.example' }
type Options = { pause?: (name: string) => Promise<void>; receipt?: () => Promise<Uint8Array> }
const jobWith = (
  sender: MailSender,
  { pause = async () => {}, receipt = async () => Buffer.from('%PDF') }: Options = {},
) => createSendJob({ runtime: runtime(), sender, from, receipt, statements: async () => [], pause })
const send = (sender: MailSender, options?: Options) => jobWith(sender, options).run(new AbortController().signal)
/** A sender that answers from a list, the last answer for ever. */
const answering = (...outcomes: SendOutcome[]): MailSender & { sent: OutgoingMail[] } => {
  const sent: OutgoingMail[] = []
  const send = async (mail: OutgoingMail): Promise<SendOutcome> => {
    sent.push(mail)
    return outcomes.length > 1 ? outcomes.shift()! : outcomes[0]!
  }
  return { sent, send, check: async () => {}, close: () => {} }
}
const states = async () => (await listMails(db, {})).map(({ state }) => state)
const openAlerts = async () =>
  (await pool.query<{ kind: string }>('select kind from alerts where resolved_at is null')).rows.map(({ kind }) => kind)

describe('a queued mail', () => {
  test('reaches the mail server, with its receipt attached, and is sent once', async () => {
    server = await startTestMailServer()
    const sender = createSmtpSender({
      host: '127.0.0.1',
      port: server.port,
      tls: 'none',
      user: null,
      password: null,
      ca: null,
    })
    await queue([
      {
        ...LETTERS.receipt,
        merchantId,
        about: LETTERS.receipt.data.receipt.id,
        to: 'payer@example.com',
        language: 'uk',
      },
    ])
    await send(sender)
    await send(sender)
    sender.close()
    expect(server.taken).toHaveLength(1)
    const read = await PostalMime.parse(server.taken[0]!.raw)
    const [mail] = await listMails(db, {})
    expect(mail).toMatchObject({ state: 'sent', attempts: 1, problem: null })
    expect(read).toMatchObject({
      messageId: `<${mail!.id}@shop.example>`,
      subject: 'Квитанція: 1 300 USDT сплачено Кав’ярня «Зерно» Ltd',
    })
    expect(read.attachments).toMatchObject([
      { filename: `receipt-${LETTERS.receipt.data.receipt.id}.pdf`, mimeType: 'application/pdf' },
    ])
  })

  test('that is refused for good has failed; one put off is tried again, later and later, as the same mail', async () => {
    await queue([underpaid(merchantId, { about: 'a' }), underpaid(merchantId, { about: 'b' })])
    const sender = answering(
      { kind: 'refused', reason: '550 no such mailbox' },
      { kind: 'later', reason: '451 busy', mayHaveArrived: false },
      { kind: 'accepted' },
    )
    await send(sender)
    expect((await states()).toSorted()).toEqual(['failed', 'queued'])
    now += 29_000
    await send(sender)
    expect(sender.sent).toHaveLength(2)
    now += 1_000
    await send(sender)
    expect((await states()).toSorted()).toEqual(['failed', 'sent'])
    expect(sender.sent[2]!.id).toBe(sender.sent[1]!.id)
  })

  test.each([
    ['mail-claimed', 1],
    ['mail-sent', 2],
  ] as const)(
    'of a worker that died at %s is sent by another when its lease is over: %i times the same mail',
    async (point, times) => {
      await queue([underpaid(merchantId)])
      const sender = answering({ kind: 'accepted' })
      const killed = new Error('killed')
      await expect(
        send(sender, { pause: async (name) => (name === point ? Promise.reject(killed) : undefined) }),
      ).rejects.toBe(killed)
      expect(await states()).toEqual(['sending'])
      await send(sender)
      expect(sender.sent).toHaveLength(times - 1)
      now += 2 * 60_000
      await send(sender)
      expect(await states()).toEqual(['sent'])
      expect(new Set(sender.sent.map(({ id }) => id)).size).toBe(1)
      expect(sender.sent).toHaveLength(times)
    },
  )

  test('that is taken over is not written by the worker it was taken from', async () => {
    await queue([underpaid(merchantId)])
    const sender = answering({ kind: 'refused', reason: 'too slow' }, { kind: 'accepted' })
    const slow = jobWith(sender, {
      pause: async (name) => {
        if (name !== 'mail-sent') return
        now += 11 * 60_000
        await send(answering({ kind: 'accepted' }))
      },
    })
    await slow.run(new AbortController().signal)
    expect(await states()).toEqual(['sent'])
  })

  test('that another worker has by now is not moved by the one that lost it, even while nothing is known of it', async () => {
    await queue([underpaid(merchantId)])
    const claimAt = (ms: number) =>
      claimMail(db, { at: new Date(ms), now: new Date(ms), leaseUntil: new Date(ms + 1_000) })
    const [lost, mine] = [(await claimAt(now))!, (await claimAt(now + 1_000))!]
    const move = (mail: typeof lost, event: 'refused' | 'accepted') =>
      inTransaction(db, (tx) => moveClaimed(tx, mail, event, { at: new Date(now), problem: null }))
    expect(await move(lost, 'refused')).toBe(false)
    expect(await states()).toEqual(['sending'])
    expect(await move(mine, 'accepted')).toBe(true)
    expect(await states()).toEqual(['sent'])
  })

  test('that a worker is just claiming keeps no other from claiming the next', async () => {
    await queue([underpaid(merchantId, { about: 'a' }), underpaid(merchantId, { about: 'b' })])
    const times = { at: new Date(now), now: new Date(now), leaseUntil: new Date(now + 1_000) }
    await db.transaction().execute(async (tx) => {
      const first = await claimMail(tx, times)
      const second = await claimMail(db, times)
      expect([first!.about, second!.about].toSorted()).toEqual(['a', 'b'])
      expect(await claimMail(db, times)).toBeUndefined()
    })
  })

  test('is taken by one of many workers', async () => {
    await queue(Array.from({ length: 5 }, (_, i) => underpaid(merchantId, { about: `i${i}` })))
    const senders = [1, 2, 3].map(() => answering({ kind: 'accepted' }))
    await Promise.all(senders.map((sender) => send(sender)))
    expect(senders.flatMap(({ sent }) => sent.map(({ id }) => id)).toSorted()).toEqual(
      (await listMails(db, {})).map(({ id }) => id).toSorted(),
    )
  })

  test('that can not be written fails alone, and nothing of it is sent', async () => {
    await queue([
      { ...LETTERS.receipt, merchantId, about: 'r', to: 'payer@example.com', language: 'en' },
      underpaid(merchantId),
    ])
    const sender = answering({ kind: 'accepted' })
    await send(sender, { receipt: async () => Promise.reject(new Error('no font')) })
    expect(sender.sent).toHaveLength(1)
    expect((await listMails(db, { about: 'r' }))[0]).toMatchObject({
      state: 'failed',
      problem: "it can't be written: no font",
    })
  })

  test('older than 3 days is given up; ended ones are removed after 90 days', async () => {
    await queue([underpaid(merchantId)])
    const sender = answering({ kind: 'down', reason: 'ECONNREFUSED', mayHaveArrived: false })
    for (let tries = 0; (await states())[0] === 'queued' && tries < 200; tries += 1) {
      await send(sender)
      now += HOUR
    }
    expect(await states()).toEqual(['failed'])
    expect(now - START).toBeGreaterThanOrEqual(72 * HOUR)
    expect(now - START).toBeLessThan(76 * HOUR)
    now += 89 * 24 * HOUR
    await createMailPruneJob(runtime()).run(new AbortController().signal)
    expect(await states()).toEqual(['failed'])
    now += 2 * 24 * HOUR
    await createMailPruneJob(runtime()).run(new AbortController().signal)
    expect(await states()).toEqual([])
  })
})

test('one mail is claimed at a time, however the database plans the statement', async () => {
  await queue(['a', 'b', 'c'].map((about) => underpaid(merchantId, { about })))
  await inTransaction(db, async (tx) => {
    for (const plan of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material'])
      await sql.raw(`set local enable_${plan} = off`).execute(tx)
    await claimMail(tx, { at: new Date(now), now: new Date(now), leaseUntil: new Date(now + HOUR) })
  })
  expect((await listMails(db, {})).map(({ attempts }) => attempts).toSorted()).toEqual([0, 0, 1])
})

describe('a mail server that is not there', () => {
  test('is left alone for a while, costs no other mail a try, and has an alert after 5 minutes, until it is back', async () => {
    await queue([
      underpaid(merchantId, { about: 'a' }),
      underpaid(merchantId, { about: 'b' }),
      underpaid(merchantId, { about: 'c' }),
    ])
    const down = answering({ kind: 'down', reason: 'connect ECONNREFUSED', mayHaveArrived: false })
    const job = jobWith(down)
    await job.run(new AbortController().signal)
    expect(down.sent).toHaveLength(1)
    expect((await listMails(db, {})).map(({ attempts }) => attempts).toSorted()).toEqual([0, 0, 1])
    now += 29_000
    await job.run(new AbortController().signal)
    expect(down.sent).toHaveLength(1)
    expect(await openAlerts()).toEqual([])
    now += 6 * 60_000
    await job.run(new AbortController().signal)
    expect(await openAlerts()).toEqual(['mail-not-sent'])
    now += HOUR
    down.send = async () => ({ kind: 'accepted' })
    await job.run(new AbortController().signal)
    expect(await openAlerts()).toEqual([])
    expect(await states()).toEqual(['sent', 'sent', 'sent'])
  })
})

test('no log line holds an address', () => {
  expect(lines.length).toBeGreaterThan(3)
  expect(lines.join()).toContain('p***@example.com')
  expect(lines.join()).not.toContain('payer@')
})

describe('the states', () => {
  test('sent and failed are ends; nothing leaves the queue but by being taken', () => {
    const ends = (Object.keys(mailMoves) as MailState[]).filter((state) => Object.keys(mailMoves[state]).length === 0)
    expect(ends).toEqual(['sent', 'failed'])
    expect(Object.keys(mailMoves.queued)).toEqual(['taken'])
    expect(mailMoves.sending.accepted!.to).toBe('sent')
  })

  test('pauses double up to an hour', () => {
    const pauses = [1, 2, 3, 7, 8, 50].map(
      (attempts) => nextTry({ attempts, createdAt: new Date(START) }, START)!.getTime() - START,
    )
    expect(pauses).toEqual([30_000, 60_000, 120_000, 1_920_000, HOUR, HOUR])
  })
})
