/**
 * Every setting takes effect: one process of all roles, started as an operator does with every setting changed, and
 * what is different then.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../sandbox/process/port.ts'
import { certify } from '../../../../test/world/certificate.ts'
import { useDatabase } from '../../../../test/setup/database.ts'
import { migrated } from '../../../../test/setup/migrated.ts'
import { startTestMailServer, type TestMailServer } from '../../adapters/mail/test-server.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { createDb, createPool, inTransaction, type Db } from '../../platform/db/index.ts'
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
import { worldOf } from '../installation/world.ts'

const database = useDatabase({ template: migrated })
const folder = mkdtempSync(join(tmpdir(), 'bursar-settings-'))
const DATA_KEY = new Uint8Array(32).fill(0xab)
const PUBLIC_URL = 'https://pay.example'
const authority = certify('authority')
const serverCertificate = certify('signer', authority)
const clientCertificate = certify('worker', authority)
const HOT_ADDRESSES = 3

let db: Db
let closeDb: () => Promise<void>
let env: Record<string, string>
let role: ChildProcess
let mail: TestMailServer
let log = ''
let ports: { api: number; inner: number; hub: number; signer: number }
let merchant: { id: string; privateKey: string }
const asked: string[] = []
const signedIn: string[] = []
const signerSaw: string[] = []
const closing: (() => void)[] = []

const file = (name: string, contents: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents), { mode: 0o600 })
  return path
}

/**
 * Stands for everything that is asked by HTTP: a node, prices, an exchange, a merchant's endpoint. Notes who asked for
 * what.
 */
const startHub = async (): Promise<number> => {
  const hub = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', () => resolve()))
  closing.push(
    () => void hub.close(),
    () => hub.closeAllConnections(),
  )
  return (hub.address() as AddressInfo).port
}

/** A signer's door: it lets in who shows a certificate of the authority, and says no to everything. */
const startSigner = async (): Promise<number> => {
  const door = createTlsServer(
    {
      cert: serverCertificate.cert,
      key: serverCertificate.key,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      signerSaw.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN))
      response.writeHead(500).end()
    },
  )
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', () => resolve()))
  closing.push(
    () => void door.close(),
    () => door.closeAllConnections(),
  )
  return (door.address() as AddressInfo).port
}

const settingsOf = (mailPort: number): Record<string, string> => ({
  DATABASE_URL: database.url,
  BURSAR_DATABASE_ROLES: 'other',
  BURSAR_DATABASE_CONNECTIONS: '3',
  BURSAR_DATABASE_STATEMENT_SECONDS: '33',
  BURSAR_DATA_KEY_FILE: file('data-key', Buffer.from(DATA_KEY).toString('hex')),
  BURSAR_CARD_KEY_FILE: file('card-key', 'cd'.repeat(32)),
  BURSAR_HTTP: `127.0.0.1:${ports.api}`,
  BURSAR_INNER: `127.0.0.1:${ports.inner}`,
  BURSAR_PUBLIC_URL: PUBLIC_URL,
  BURSAR_QUOTE_SECONDS: '77',
  BURSAR_QUOTE_MINED_HOURS: '7',
  BURSAR_TRUSTED_PROXIES: '127.0.0.0/8',
  BURSAR_TIMESTAMP_MAX_AGE: '3600',
  BURSAR_TIMESTAMP_MAX_AHEAD: '300',
  BURSAR_REQUESTS_PER_MINUTE: '77',
  BURSAR_REFUSALS_PER_MINUTE: '3',
  BURSAR_PAGE_POSTS_PER_MINUTE: '2',
  BURSAR_PAGE_GETS_PER_MINUTE: '4',
  BURSAR_PAGE_STREAMS_PER_ADDRESS: '1',
  BURSAR_CONNECTIONS: '60',
  BURSAR_ADDRESS_STOCK: '7',
  BURSAR_NETWORKS_FILE: file('networks.json', {
    ETHEREUM: { url: `http://127.0.0.1:${ports.hub}/node`, chainId: 31_337 },
  }),
  BURSAR_ASSETS_FILE: file('assets.json', {
    crypto: ['BTC', 'ETH', 'USDT'].map((ticker) => ({
      ticker,
      name: ticker === 'ETH' ? 'Odd ether' : ticker,
      networks: {
        ETHEREUM: {
          ...(ticker === 'ETH' ? {} : { contract: `0x${ticker.length.toString().repeat(40)}` }),
          decimals: 6,
          minDeposit: '0',
          minWithdrawal: '0',
        },
      },
    })),
    fiat: [{ ticker: 'UAH', name: 'Hryvnia', scale: 2 }],
  }),
  BURSAR_XPUBS_FILE: file('xpubs.json', { ...TEST_KEYS, masterFingerprint: '00000000' }),
  BURSAR_POLICY_FILE: file('policy.json', { ETHEREUM: { sending: { hotAddresses: HOT_ADDRESSES } } }),
  BURSAR_ACQUIRERS_FILE: file('acquirers.json', {
    accounts: [
      {
        name: 'odd',
        kind: 'bank',
        url: `http://127.0.0.1:${ports.hub}/bank`,
        account: 'odd',
        secretFile: file('bank-secret', 'x'.repeat(40)),
        payIn: { UAH: { least: '25', most: '29999' } },
      },
    ],
  }),
  BURSAR_EXCHANGE_FILE: file('exchange.json', {
    sources: { venues: { binance: { origin: `http://127.0.0.1:${ports.hub}` } } },
    exchange: {
      assets: Object.fromEntries(['BTC', 'ETH', 'USDT', 'UAH'].map((ticker) => [ticker, { long: '1', short: '1' }])),
    },
  }),
  BURSAR_SCREENING_FILE: file('screening.json', { providers: [{ kind: 'local-lists' }], riskyFrom: 0.25 }),
  BURSAR_SIGNER: `https://localhost:${ports.signer}`,
  BURSAR_SIGNER_CA_FILE: file('ca.pem', authority.cert),
  BURSAR_SIGNER_CERT_FILE: file('cert.pem', clientCertificate.cert),
  BURSAR_SIGNER_KEY_FILE: file('key.pem', clientCertificate.key),
  BURSAR_RATES_URL: `http://127.0.0.1:${ports.hub}/rates`,
  BURSAR_OUTBOUND_ALLOW: '127.0.0.0/8',
  BURSAR_WEBHOOK_PORTS: `443,${ports.hub}`,
  BURSAR_HTTP_WEBHOOKS: 'true',
  BURSAR_SMTP_URL: `smtps://pay@localhost:${mailPort}`,
  BURSAR_SMTP_PASSWORD_FILE: file('smtp-password', 'right'),
  BURSAR_SMTP_CA_FILE: file('smtp-ca.pem', authority.cert),
  BURSAR_MAIL_FROM: 'Odd shop <odd@shop.example>',
  BURSAR_LOG_LEVEL: 'debug',
  BURSAR_SANDBOX: 'true',
})

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
  const pool = createPool({ url: database.url })
  db = createDb(pool)
  closeDb = () => pool.end()
  mail = await startTestMailServer({
    key: serverCertificate.key,
    cert: serverCertificate.cert,
    secure: true,
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username, password }, _session, done) => {
      signedIn.push(`${username}:${password}`)
      done(null, { user: username })
    },
  })
  ports = { api: await freePort(), inner: await freePort(), hub: await startHub(), signer: await startSigner() }
  env = settingsOf(mail.port)
  merchant = await makeMerchant(`http://127.0.0.1:${ports.hub}/hook`)
  await sql`update business_clock set offset_ms = 3600000`.execute(db)
  role = fork(new URL('../../main.ts', import.meta.url), ['serve', '--role', 'all'], {
    env: { PATH: process.env['PATH'], ...env },
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
  for (const close of closing) close()
  await mail.stop()
  await closeDb()
  rmSync(folder, { recursive: true })
})

interface Sent {
  headers?: Record<string, string>
  body?: string
  /** seconds beside now */
  at?: number
}

const url = (path: string): string => `http://127.0.0.1:${ports.api}${path}`
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
  const installation = await openInstallation(env, 'api')
  try {
    return look(installation)
  } finally {
    await installation.close()
  }
}
/** What a command prints. */
const typed = async (...words: string[]): Promise<string> => (await captured(() => runCommand(words, env))).text
const isAsked = (what: string) => expect.poll(() => asked.some((line) => line.startsWith(what))).toBe(true)
const sendMail = async (): Promise<void> => {
  await expect
    .poll(() =>
      inTransaction(db, (tx) =>
        queueMails(tx, [underpaid(merchant.id, { about: newId() })], momentAt(Date.now() - 1_000)),
      ),
    )
    .toContain('queued')
  await expect.poll(() => mail.taken.length).toBeGreaterThan(0)
}
const sendsOverSmtp = async (): Promise<void> => {
  if (mail.taken.length === 0) await sendMail()
  expect(mail.taken[0]!.from).toBe('odd@shop.example')
  expect(mail.taken[0]!.raw).toMatch(/^From: .*Odd shop.*<odd@shop\.example>/im)
  expect(signedIn[0]).toBe('pay:right')
}
/**
 * A worker asks it when there is something to sign; every other use finds its address in the same place
 * (`signerAddress`).
 */
const asksTheSigner = async (): Promise<void> => {
  await typed('signer', 'log')
  expect(signerSaw.at(-1)).toBe('worker')
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
    const metrics = await (await fetch(`http://127.0.0.1:${ports.inner}/metrics`)).text()
    expect(metrics).toMatch(/^bursar_requests_total\{operation="listCryptoAssets",status="200"\} [1-9]/m)
    expect(metrics).toMatch(/^bursar_request_seconds_count\{operation="listCryptoAssets"\} [1-9]/m)
  },
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
            const socket = connect(ports.api, '127.0.0.1')
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
  screening: async () => expect(await opened((it) => worldOf(it).screening?.rules.riskyFrom)).toBe(0.25),
  signer: asksTheSigner,
  signerCa: asksTheSigner,
  signerCert: asksTheSigner,
  signerKey: asksTheSigner,
  ratesUrl: () => isAsked('GET /rates'),
  outboundAllow: hears,
  httpWebhooks: hears,
  webhookPorts: async () => {
    const other = await makeMerchant(`http://127.0.0.1:${ports.signer}/hook`)
    await tell(other.id)
    await expect
      .poll(
        async () =>
          (await sql<{ error: string }>`select error from event_attempts where merchant_id = ${other.id}`.execute(db))
            .rows[0]?.error,
      )
      .toContain(`port ${ports.signer}`)
  },
  smtp: sendsOverSmtp,
  smtpPassword: sendsOverSmtp,
  smtpCa: sendsOverSmtp,
  mailFrom: sendsOverSmtp,
  logLevel: () => expect.poll(() => log).toContain('"level":20'),
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
