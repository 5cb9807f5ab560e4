/**
 * Every setting takes effect: one process of all roles, started as an operator does with every setting changed, and
 * what is different then.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { sign } from '../../../../test/world/signed-request.ts'
import { queueMails } from '../../merchants/mail/index.ts'
import { underpaid } from '../../../../test/world/mail.ts'
import { createMerchant, setSetting } from '../../merchants/accounts/index.ts'
import { keyDeps, momentAt, newId } from '../../../../test/world/merchant.ts'
import { createSecretBox } from '../../platform/config/secrets.ts'
import { emit } from '../../merchants/webhooks/index.ts'
import { openInstallation, type Opened, type ServerConfig } from '../installation/open.ts'
import { runCommand } from './index.ts'
import { captured } from './test-output.ts'
import { changeSettings, DATA_KEY, HOT_ADDRESSES, PUBLIC_URL, type ChangedSettings } from './test-settings.ts'
import { worldOf } from '../installation/world.ts'

const { url: databaseUrl, db } = useDb()

let changed: ChangedSettings
let role: ChildProcess
let log = ''
let merchant: { id: string; privateKey: string }

const tell = (merchantId: string): Promise<void> =>
  inTransaction(db, (tx) =>
    emit(
      tx,
      [{ merchantId, objectId: newId(), kind: 'Replenish', status: 'Done', body: { id: 'x' } }],
      momentAt(Date.now()),
    ),
  )

const makeMerchant = (hook: string) =>
  inTransaction(db, async (tx) => {
    const moment = momentAt(Date.now())
    const created = await createMerchant(
      tx,
      { name: 'Shop', companyName: 'Shop Ltd', companyUrl: 'https://shop.example' },
      { ...keyDeps, box: createSecretBox(DATA_KEY) },
      moment,
    )
    await setSetting(tx, created.id, { name: 'notificationsUrl', value: hook }, { actor: 'test' }, moment)
    return created
  })

beforeAll(async () => {
  changed = await changeSettings(databaseUrl)
  merchant = await makeMerchant(`http://127.0.0.1:${changed.ports.hub}/hook`)
  await sql`update business_clock set offset_ms = 3600000`.execute(db)
  role = fork(new URL('../../main.ts', import.meta.url), ['serve', '--role', 'all'], {
    env: { PATH: process.env['PATH'], ...changed.env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  role.stdout!.on('data', (chunk: Buffer) => (log += chunk.toString()))
  await Promise.race([
    once(role, 'message'),
    once(role, 'exit').then(() => Promise.reject(new Error(`it ended while it started: ${log}`))),
  ])
})
afterAll(async () => {
  role.kill('SIGTERM')
  if (role.exitCode === null) await once(role, 'exit')
  await changed.close()
})

interface Sent {
  headers?: Record<string, string>
  body?: string
  /** seconds beside now */
  at?: number
}

const url = (path: string): string => `http://127.0.0.1:${changed.ports.api}${path}`
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address })
const signed = (method: string, path: string, { body = '', at = 0, headers = {} }: Sent = {}): Promise<Response> => {
  const timestamp = Math.floor(Date.now() / 1_000) + at
  return fetch(url(path), {
    method,
    headers: {
      'merchant-id': merchant.id,
      signature: sign(merchant.privateKey, method, path, body, timestamp),
      timestamp: String(timestamp),
      ...headers,
    },
    ...(body === '' ? {} : { body }),
  })
}
const assets = (sent: Sent = {}): Promise<Response> => signed('GET', '/merchants/assets/crypto', sent)
const times = async (count: number, ask: () => Promise<Response>): Promise<number[]> => {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) statuses.push((await ask()).status)
  return statuses
}
const makeInvoice = async (): Promise<{ id: string }> => {
  const answer = await signed('POST', '/merchants/invoices/crypto', { body: JSON.stringify({ name: 'Order 1042' }) })
  return (await answer.json()) as { id: string }
}
const opened = async <T>(look: (opened: Opened) => T): Promise<T> => {
  const installation = await openInstallation(changed.env, 'api')
  try {
    return look(installation)
  } finally {
    await installation.close()
  }
}
/** The output of a command. */
const typed = async (...words: string[]): Promise<string> => (await captured(() => runCommand(words, changed.env))).text
const isAsked = (what: string) => expect.poll(() => changed.asked.some((line) => line.startsWith(what))).toBe(true)
const sendMail = async (): Promise<void> => {
  await expect
    .poll(() =>
      inTransaction(db, (tx) =>
        queueMails(tx, [underpaid(merchant.id, { about: newId() })], momentAt(Date.now() - 1_000)),
      ),
    )
    .toContain('queued')
  await expect.poll(() => changed.mail.taken.length).toBeGreaterThan(0)
}
const sendsOverSmtp = async (): Promise<void> => {
  if (changed.mail.taken.length === 0) await sendMail()
  expect(changed.mail.taken[0]!.from).toBe('odd@shop.example')
  expect(changed.mail.taken[0]!.raw).toMatch(/^From: .*Odd shop.*<odd@shop\.example>/im)
  expect(changed.signedIn[0]).toBe('pay:right')
}
/**
 * A worker asks it when there is something to sign; every other use finds its address in the same place
 * (`signerAddress`).
 */
const asksTheSigner = async (): Promise<void> => {
  await typed('signer', 'log')
  expect(changed.signerSaw.at(-1)).toBe('worker')
}
const hears = async (): Promise<void> => {
  await tell(merchant.id)
  await isAsked('POST /hook')
}

/** A setting that is added needs a line here: what is different when it is set. */
const different: Record<keyof ServerConfig, () => Promise<unknown>> = {
  databaseUrl: async () => {
    const { rows } = await sql<{
      count: number
    }>`select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name like 'bursar%'`.execute(
      db,
    )
    expect(rows[0]!.count).toBeGreaterThan(1)
  },
  databaseRoles: async () => {
    expect(await typed('database', 'roles')).toContain('other_api')
  },
  databaseConnections: async () => expect(await opened(({ pool }) => pool.max)).toBe(3),
  statementSeconds: async () => expect(await opened(({ pool }) => pool.statementMs)).toBe(33_000),
  dataKeys: async () => expect((await assets()).status).toBe(200),
  cardKeys: async () => expect(await opened((it) => worldOf(it).cardKeys)).not.toBeNull(),
  http: async () => expect((await fetch(url('/health/live'))).status).toBe(200),
  publicUrl: async () => expect(JSON.stringify(await makeInvoice())).toContain(`${PUBLIC_URL}/`),
  quoteSeconds: async () => expect(await opened((it) => worldOf(it).quoteMs)).toBe(77_000),
  quoteMinedHours: async () => expect(await opened((it) => worldOf(it).minedWithinMs)).toBe(7 * 3_600_000),
  inner: async () => {
    await assets()
    const metrics = await (await fetch(`http://127.0.0.1:${changed.ports.inner}/metrics`)).text()
    expect(metrics).toMatch(/^bursar_requests_total\{operation="listCryptoAssets",status="200"\} [1-9]/m)
    expect(metrics).toMatch(/^bursar_request_seconds_count\{operation="listCryptoAssets"\} [1-9]/m)
    expect(metrics).toMatch(/^bursar_job_runs_total\{job="sign of life",outcome="done"\} [1-9]/m)
    expect(metrics).toMatch(/^bursar_pool_connections\{state="idle"\} \d/m)
    expect(metrics).toMatch(/^bursar_signer_seconds_count\{call="status",outcome="unavailable"\} [1-9]/m)
  },
  drainSeconds: async () => expect(await opened(({ config }) => config.drainSeconds)).toBe(1),
  trustedProxies: async () => {
    expect(await times(4, () => fetch(url('/nowhere'), { headers: from('198.51.100.1') }))).toEqual([
      404, 404, 404, 429,
    ])
    expect(await times(1, () => fetch(url('/nowhere'), { headers: from('198.51.100.2') }))).toEqual([404])
  },
  timestampMaxAge: async () => expect((await assets({ at: -3_500 })).status).toBe(200),
  timestampMaxAhead: async () => expect((await assets({ at: 290 })).status).toBe(200),
  requestsPerMinute: async () => expect((await assets()).headers.get('ratelimit-policy')).toContain('q=77;'),
  refusalsPerMinute: async () =>
    expect(await times(4, () => fetch(url('/nowhere'), { headers: from('198.51.100.3') }))).toEqual([
      404, 404, 404, 429,
    ]),
  pagePostsPerMinute: async () => {
    const { id } = await makeInvoice()
    const post = (): Promise<Response> =>
      fetch(url(`/invoices/crypto/${id}`), {
        method: 'POST',
        body: 'do=nothing',
        headers: { ...from('198.51.100.4'), 'content-type': 'application/x-www-form-urlencoded' },
        redirect: 'manual',
      })
    const [first, second, third] = await times(3, post)
    expect([first, second]).not.toContain(429)
    expect(third).toBe(429)
  },
  pageGetsPerMinute: async () => {
    const { id } = await makeInvoice()
    expect(await times(5, () => fetch(url(`/invoices/crypto/${id}`), { headers: from('198.51.100.5') }))).toEqual([
      200, 200, 200, 200, 429,
    ])
  },
  pageStreamsPerAddress: async () => {
    const { id } = await makeInvoice()
    const leaving = new AbortController()
    const follow = (address: string): Promise<Response> =>
      fetch(url(`/invoices/crypto/${id}/live`), {
        headers: { ...from(address), accept: 'text/event-stream' },
        signal: leaving.signal,
      })
    expect([
      (await follow('198.51.100.6')).status,
      (await follow('198.51.100.6')).status,
      (await follow('198.51.100.7')).status,
    ]).toEqual([200, 429, 200])
    leaving.abort()
  },
  mostConnections: async () => {
    const sockets: Socket[] = []
    const closed = await Promise.race(
      Array.from(
        { length: 61 },
        () =>
          new Promise<string>((resolve) => {
            const socket = connect(changed.ports.api, '127.0.0.1')
            sockets.push(socket)
            socket.on('error', () => resolve('closed')).on('close', () => resolve('closed'))
          }),
      ),
    )
    expect(closed).toBe('closed')
    for (const socket of sockets) socket.destroy()
    await expect
      .poll(async () =>
        fetch(url('/health/live')).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
  },
  addressStock: () =>
    expect
      .poll(async () => (await sql`select 1 from address_stock where family = 'EVM'`.execute(db)).rows.length)
      .toBe(7),
  networks: () => isAsked('POST /node'),
  assets: async () => expect(await (await assets()).text()).toContain('Odd ether'),
  xpubs: async () => {
    const { rows } = await sql`select 1 from house_addresses where family = 'BITCOIN'`.execute(db)
    expect(rows).toHaveLength(1)
  },
  policy: async () => {
    const { rows } = await sql`select 1 from house_addresses where family = 'EVM' and account = 'hot'`.execute(db)
    expect(rows).toHaveLength(HOT_ADDRESSES)
  },
  acquirers: async () => expect(await opened((it) => [...worldOf(it).acquirers.byName.keys()])).toEqual(['odd']),
  exchange: () => isAsked('GET /api/v3/depth'),
  alerts: async () => expect(await opened((it) => it.config.alerts?.mail)).toEqual(['ops@example.com']),
  screening: async () => expect(await opened((it) => worldOf(it).screening?.rules.riskyFrom)).toBe(0.25),
  signer: asksTheSigner,
  signerCa: asksTheSigner,
  signerCert: asksTheSigner,
  signerKey: asksTheSigner,
  ratesUrl: () => isAsked('GET /rates'),
  outboundAllow: hears,
  httpWebhooks: hears,
  webhookPorts: async () => {
    const other = await makeMerchant(`http://127.0.0.1:${changed.ports.signer}/hook`)
    await tell(other.id)
    await expect
      .poll(
        async () =>
          (await sql<{ error: string }>`select error from event_attempts where merchant_id = ${other.id}`.execute(db))
            .rows[0]?.error,
      )
      .toContain(`port ${changed.ports.signer}`)
  },
  smtp: sendsOverSmtp,
  smtpPassword: sendsOverSmtp,
  smtpCa: sendsOverSmtp,
  mailFrom: sendsOverSmtp,
  logLevel: () => expect.poll(() => log).toContain('"level":20'),
  tracesUrl: async () => {
    await hears()
    await isAsked('POST /spans')
  },
  tracesHeaders: async () =>
    expect(await opened(({ config }) => config.tracesHeaders)).toEqual({ authorization: 'Bearer of traces' }),
  tracesPercent: async () => expect(await opened(({ config }) => config.tracesPercent)).toBe(99),
  sandbox: async () => {
    const { rows } = await sql<{
      ahead: number
    }>`select extract(epoch from expires_at - now())::float8 as ahead from crypto_invoices where id = ${(await makeInvoice()).id}`.execute(
      db,
    )
    // The standard 48 or 72 hours, and the hour by which business time is ahead.
    expect(Math.round(rows[0]!.ahead / 3_600) % 24).toBe(1)
  },
}

describe('audit S-2 S-13: every setting takes effect', () => {
  test.each(Object.entries(different))('%s', async (_setting, look) => {
    expect.hasAssertions()
    await look()
  })
})

test('a role ends although the counts of its last requests cannot be stored', async () => {
  await sql`alter table request_counts rename to request_counts_away`.execute(db)
  expect((await assets()).status).toBeLessThan(500)
  const ended = once(role, 'exit')
  role.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  await sql`alter table request_counts_away rename to request_counts`.execute(db)
})
