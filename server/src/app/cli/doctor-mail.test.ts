import { pino } from 'pino'
import { expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { startTestMailServer } from '../../../../test/world/mail-server.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { announceSending, queueMails } from '../../merchants/mail/index.ts'
import { underpaid } from '../../../../test/world/mail.ts'
import { makeMerchant, momentAt, newId } from '../../../../test/world/merchant.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { reportMail } from './doctor-mail.ts'
import type { Opened } from '../installation/open.ts'

const { db } = useDb()
const NOW = 1_800_000_000_000
let now = NOW

const reported = async (port: number | null): Promise<[boolean, string][]> => {
  const lines: [boolean, string][] = []
  const smtp = port === null ? null : { host: '127.0.0.1', port, tls: 'none' as const, user: null }
  const config = {
    smtp,
    smtpPassword: null,
    smtpCa: null,
    mailFrom: { name: '', address: 'pay@shop.example' },
  } as Opened['config']
  const runtime = { db, newId, clock: createClock(() => now), log: pino({ level: 'silent' }) }
  await reportMail({ config, runtime }, (good, text) => lines.push([good, text]))
  return lines
}

test('the doctor reports whether mail is sent, and what prevents it', async () => {
  expect(await reported(null)).toEqual([
    [true, 'mail: BURSAR_SMTP_URL is not set, so none is written or sent'],
    [true, 'mail: 0 waiting, 0 failed in 90 days'],
  ])
  const server = await startTestMailServer()
  const { port } = server
  expect((await reported(port))[0]).toEqual([false, expect.stringContaining('no worker was started')])
  await announceSending(db, true, new Date(now))
  expect((await reported(port))[0]).toEqual([true, `mail: 127.0.0.1:${port} accepts mail from pay@shop.example`])
  expect((await reported(null))[0]).toEqual([false, expect.stringContaining('a worker sends it')])
  const { id } = await makeMerchant(db, now)
  await inTransaction(db, (tx) => queueMails(tx, [underpaid(id)], momentAt(now)))
  now += 20 * 60_000
  expect((await reported(port))[1]).toEqual([false, 'mail: 1 waiting, the oldest for 20 min, 0 failed in 90 days'])
  await server.stop()
  expect((await reported(port))[0]).toEqual([false, expect.stringContaining('ECONNREFUSED')])
})
