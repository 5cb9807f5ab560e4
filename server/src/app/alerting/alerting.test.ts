/** Alerts at real receivers: an SMTP server, and HTTP servers that answer as Alertmanager's openapi.yaml says. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { Webhook } from 'standardwebhooks'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { startTestMailServer } from '../../../../test/world/mail-server.ts'
import { createSmtpSender } from '../../adapters/mail/smtp.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import type { AlertKind } from '../../platform/runtime/alert-kinds.ts'
import { failingReceivers } from '../../platform/runtime/alert-notices.ts'
import { raiseAlert, resolveAlert } from '../../platform/runtime/alerts.ts'
import type { Runtime } from '../../platform/runtime/runtime.ts'
import { createReceivers, readAlertsFile } from '../composition/alerts-file.ts'
import { createAlertingJob } from './jobs.ts'

const MINUTE = 60_000
const { db } = useDb()
const clock = { ms: 0 }
const runtime: Runtime = {
  db,
  clock: { now: () => clock.ms, business: () => clock.ms } as Runtime['clock'],
  newId: () => uuidv7(clock.ms, randomBytes(10)),
  log: pino({ enabled: false }),
}
beforeEach(async () => {
  clock.ms = Date.UTC(2026, 10, 28, 12)
  await sql`truncate alerts, alert_notices, alert_receivers`.execute(db)
})

interface Received {
  path: string
  body: unknown
  raw: string
  headers: IncomingHttpHeaders
}
const startReceiver = async (statusOf: () => number = () => 200) => {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const chunk of request.setEncoding('utf8')) raw += chunk
    const status = statusOf()
    if (status === 200) received.push({ path: request.url!, body: JSON.parse(raw), raw, headers: request.headers })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
const jobOf = (file: object) => createAlertingJob(runtime, createReceivers(readAlertsFile(file), null))
const run = (job: ReturnType<typeof jobOf>) => job.run(new AbortController().signal)
const raise = (kind: AlertKind, subject = 'x') =>
  raiseAlert(db, { kind, subject, text: `text of ${kind}` }, { at: new Date(clock.ms), newId: runtime.newId })
const kindsOf = (received: readonly Received[]) =>
  received.map(({ body }) =>
    (body as { alerts: { kind: string; endedAt: string | null; isRepeated: boolean }[] }).alerts.map(
      ({ kind, endedAt, isRepeated }) => `${kind}${isRepeated ? ' again' : ''}${endedAt ? ' ended' : ''}`,
    ),
  )

test('a critical alert is sent at once, a warning when it has been open for a while, each once, and its end', async () => {
  const { url, received } = await startReceiver()
  const job = jobOf({ webhooks: [{ url }] })
  await raise('custody-shortage')
  clock.ms += 1
  await raise('hot-low')
  await run(job)
  await run(job)
  expect(kindsOf(received)).toEqual([['custody-shortage']])
  clock.ms += 10 * MINUTE
  await run(job)
  clock.ms += 24 * 60 * MINUTE - 10 * MINUTE
  await run(job)
  await resolveAlert(db, 'custody-shortage', 'x', new Date(clock.ms))
  await resolveAlert(db, 'hot-low', 'x', new Date(clock.ms))
  await run(job)
  await run(job)
  expect(kindsOf(received).slice(1)).toEqual([
    ['hot-low'],
    ['custody-shortage again'],
    ['custody-shortage again ended', 'hot-low again ended'],
  ])
})

test('a warning that ends before it was sent is not sent', async () => {
  const { url, received } = await startReceiver()
  const job = jobOf({ webhooks: [{ url }] })
  await raise('hot-low')
  await run(job)
  await resolveAlert(db, 'hot-low', 'x', new Date(clock.ms))
  clock.ms += 60 * MINUTE
  await run(job)
  expect(received).toEqual([])
})

test('a receiver that fails gets the alert later, delays no other one, and is named with the reason', async () => {
  let status = 503
  const [failing, well] = [await startReceiver(() => status), await startReceiver()]
  const job = jobOf({ webhooks: [{ url: failing.url }, { url: well.url }] })
  await raise('custody-shortage')
  await expect(run(job)).rejects.toThrow('HTTP 503')
  expect(kindsOf(well.received)).toEqual([['custody-shortage']])
  expect(await failingReceivers(db)).toMatchObject([{ failure: 'HTTP 503', since: new Date(clock.ms) }])
  status = 200
  clock.ms += MINUTE
  await run(job)
  expect(kindsOf(failing.received)).toEqual([['custody-shortage']])
  expect(await failingReceivers(db)).toEqual([])
  expect(well.received).toHaveLength(1)
})

test('two webhooks of one host get alerts, and fail, each for itself', async () => {
  const { url, received } = await startReceiver()
  const job = jobOf({ webhooks: [{ url: `${url}/first?token=one` }, { url: `${url}/second?token=two` }] })
  await raise('custody-shortage')
  await run(job)
  await run(job)
  expect(received.map(({ path }) => path)).toEqual(['/first?token=one', '/second?token=two'])
  const { rows } = await sql<{ name: string }>`select name from alert_receivers order by name`.execute(db)
  expect(rows.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^webhook 127\.0\.0\.1:\d+ [0-9a-f]{8}$/),
    expect.stringMatching(/^webhook 127\.0\.0\.1:\d+ [0-9a-f]{8}$/),
  ])
})

test('a node that is away makes one notice to people; its consequences are sent if they last, and go to Alertmanager at once', async () => {
  const [people, system] = [await startReceiver(), await startReceiver()]
  const job = jobOf({ webhooks: [{ url: people.url }], alertmanager: [system.url], warningsAfterMinutes: 0 })
  await raise('node-unavailable', 'ETHEREUM')
  await raise('node-unfit', 'ETHEREUM worker')
  await raise('chain-stale', 'ETHEREUM')
  await raise('fees-unknown', 'ETHEREUM')
  await raise('job-failing', 'payouts ETHEREUM')
  clock.ms += MINUTE
  await raise('chain-stale', 'BITCOIN')
  await raise('custody-shortage', 'ETHEREUM USDT')
  await run(job)
  // Alerts of one moment have no order.
  const first = kindsOf(people.received).map((kinds) => kinds.toSorted())
  expect(first).toEqual([['chain-stale', 'custody-shortage', 'node-unavailable']])
  expect((system.received[0]!.body as unknown[]).length).toBe(7)

  // The node is back, and has not caught up yet.
  await resolveAlert(db, 'node-unavailable', 'ETHEREUM', new Date(clock.ms))
  await resolveAlert(db, 'node-unfit', 'ETHEREUM worker', new Date(clock.ms))
  clock.ms += MINUTE
  await run(job)
  expect(kindsOf(people.received.slice(1))).toEqual([['node-unavailable again ended']])

  clock.ms += 10 * MINUTE
  await run(job)
  expect(kindsOf(people.received.slice(2))).toEqual([['chain-stale']])
})

test('while one worker sends to a receiver, another one does not', async () => {
  const held = Promise.withResolvers<void>()
  const sent: string[][] = []
  const receiver = {
    name: 'slow',
    send: async (alerts: readonly { kind: string }[]) => {
      sent.push(alerts.map(({ kind }) => kind))
      await held.promise
    },
  }
  const workers = [1, 2].map(() =>
    createAlertingJob(runtime, [{ receiver, repeatMs: 24 * 60 * MINUTE, waitMs: 0, causesOnly: true }]),
  )
  await raise('custody-shortage')
  const first = run(workers[0]!)
  await expect.poll(() => sent.length, { timeout: 30_000 }).toBe(1)
  await run(workers[1]!)
  held.resolve()
  await first
  await run(workers[1]!)
  expect(sent).toEqual([['custody-shortage']])
})

test('with a secret, a webhook is signed as the package standardwebhooks verifies it', async () => {
  const { url, received } = await startReceiver()
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const file = join(process.env['TMPDIR'] ?? '/tmp', `bursar-alert-secret-${process.pid}`)
  writeFileSync(file, secret, { mode: 0o600 })
  clock.ms = Date.now()
  await raise('custody-shortage')
  await run(jobOf({ webhooks: [{ url, secretFile: file }] }))
  const { raw, headers } = received[0]!
  expect(() => new Webhook(secret).verify(raw, headers as Record<string, string>)).not.toThrow()
})

test('Alertmanager gets every open alert each minute, with an end in five minutes, and the real end', async () => {
  const { url, received } = await startReceiver()
  const job = jobOf({ alertmanager: [url] })
  await raise('hot-low', 'USDT')
  await run(job)
  clock.ms += MINUTE
  await run(job)
  await resolveAlert(db, 'hot-low', 'USDT', new Date(clock.ms))
  await run(job)
  expect(received.map(({ path }) => path)).toEqual(Array(3).fill('/api/v2/alerts'))
  const startsAt = '2026-11-28T12:00:00.000Z'
  const labels = { alertname: 'hot-low', severity: 'warning', subject: 'USDT', job: 'bursar' }
  expect(received.map(({ body }) => body)).toMatchObject([
    [{ labels, startsAt, endsAt: '2026-11-28T12:05:00.000Z', annotations: { summary: 'text of hot-low' } }],
    [{ labels, startsAt, endsAt: '2026-11-28T12:06:00.000Z' }],
    [{ labels, startsAt, endsAt: '2026-11-28T12:01:00.000Z' }],
  ])
})

test('a mail has the alerts of one kind together, critical ones first, and names five of a kind', async () => {
  const server = await startTestMailServer()
  const sender = createSmtpSender({
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    user: null,
    password: null,
    ca: null,
  })
  onTestFinished(async () => {
    sender.close()
    await server.stop()
  })
  const mailing = { sender, from: { name: 'Bursar', address: 'bursar@example.com' }, newId: runtime.newId }
  const job = createAlertingJob(
    runtime,
    createReceivers(readAlertsFile({ mail: ['ops@example.com'], warningsAfterMinutes: 0 }), mailing),
  )
  for (let i = 0; i < 7; i += 1) await raise('sweep-failing', `address ${i}`)
  await raise('custody-shortage')
  await run(job)
  const [mail] = server.taken
  expect(mail!.to).toEqual(['ops@example.com'])
  expect(mail!.raw).toContain('Subject: Bursar: critical custody-shortage and 7 more')
  const text = mail!.raw.slice(mail!.raw.indexOf('Open: critical custody-shortage'))
  expect(text.indexOf('Open: warning sweep-failing')).toBeGreaterThan(0)
  expect(text).toContain('- and 2 more of this kind')
  expect(text).toContain('See docs/operating/sweeps.md')
})

test.each([
  [{ mail: ['no address'] }, /mail\[0\]: it is not a mail address/],
  [{ webhooks: [{ url: 'http://a/1' }, { url: 'http://a/1' }] }, /two of one kind have the same address/],
  [{ alertmanager: ['ftp://a'] }, /alertmanager\[0\]: write an http\(s\) address/],
])('the file %j is refused', (file, message) => {
  expect(() => readAlertsFile(file)).toThrow(message)
})
