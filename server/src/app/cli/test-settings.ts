/**
 * An environment in which every setting differs from its default, and doubles of the counterparties that it names. It
 * stands here because only the test of all settings uses it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { freePort } from '../../../../sandbox/process/port.ts'
import { certify } from '../../../../test/world/certificate.ts'
import { TEST_KEYS } from '../../../../test/world/keys.ts'
import { startTestMailServer, type TestMailServer } from '../../../../test/world/mail-server.ts'

export const DATA_KEY = new Uint8Array(32).fill(0xab)
export const PUBLIC_URL = 'https://pay.example'
export const HOT_ADDRESSES = 3
const authority = certify('authority')
const serverCertificate = certify('signer', authority)
const clientCertificate = certify('worker', authority)

export interface ChangedSettings {
  env: Record<string, string>
  ports: { api: number; inner: number; hub: number; signer: number }
  mail: TestMailServer
  /** requests to anything that is asked by HTTP: method and path */
  asked: string[]
  /** users and passwords of mail */
  signedIn: string[]
  /** common names of certificates that the signer accepted */
  signerSaw: string[]
  close(): Promise<void>
}

/**
 * Stands for everything that is asked by HTTP: a node, prices, an exchange, a merchant's endpoint. Records
 * method and path of each request.
 */
const startHub = async (asked: string[], closing: (() => void)[]): Promise<number> => {
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

/** A signer's server: it accepts clients with a certificate of the authority, and refuses every request. */
const startSigner = async (signerSaw: string[], closing: (() => void)[]): Promise<number> => {
  const server = createTlsServer(
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  closing.push(
    () => void server.close(),
    () => server.closeAllConnections(),
  )
  return (server.address() as AddressInfo).port
}

type File = (name: string, contents: unknown) => string

const settingsOf = (
  databaseUrl: string,
  ports: ChangedSettings['ports'],
  mailPort: number,
  file: File,
): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  BURSAR_DATABASE_ROLES: 'other',
  BURSAR_DATABASE_CONNECTIONS: '3',
  BURSAR_DATABASE_STATEMENT_SECONDS: '33',
  BURSAR_DATA_KEY_FILE: file('data-key', Buffer.from(DATA_KEY).toString('hex')),
  BURSAR_CARD_KEY_FILE: file('card-key', 'cd'.repeat(32)),
  BURSAR_HTTP: `127.0.0.1:${ports.api}`,
  BURSAR_INNER: `127.0.0.1:${ports.inner}`,
  BURSAR_DRAIN_SECONDS: '1',
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
  BURSAR_ALERTS_FILE: file('alerts.json', { mail: ['ops@example.com'] }),
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
  BURSAR_TRACES_URL: `http://127.0.0.1:${ports.hub}/spans`,
  BURSAR_TRACES_HEADERS: 'Authorization: Bearer of traces',
  BURSAR_TRACES_PERCENT: '99',
  BURSAR_SANDBOX: 'true',
})

/** Starts the doubles and writes the files that the environment names. */
export const changeSettings = async (databaseUrl: string): Promise<ChangedSettings> => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-settings-'))
  const [asked, signedIn, signerSaw]: [string[], string[], string[]] = [[], [], []]
  const closing: (() => void)[] = []
  const file: File = (name, contents) => {
    const path = join(folder, name)
    writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents), { mode: 0o600 })
    return path
  }
  const mail = await startTestMailServer({
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
  const ports = {
    api: await freePort(),
    inner: await freePort(),
    hub: await startHub(asked, closing),
    signer: await startSigner(signerSaw, closing),
  }
  const env = settingsOf(databaseUrl, ports, mail.port, file)
  const close = async (): Promise<void> => {
    for (const end of closing) end()
    await mail.stop()
    rmSync(folder, { recursive: true })
  }
  return { env, ports, mail, asked, signedIn, signerSaw, close }
}
