import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'
import type { Role } from './settings.ts'
import { ShapeError } from './shape.ts'

let folder = ''
const path = (name: string): string => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bursar-config-'))
  writeFileSync(path('key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
  for (const mode of [0o640, 0o644, 0o660, 0o666]) {
    writeFileSync(path(`key-${mode.toString(8)}`), 'ab'.repeat(32))
    chmodSync(path(`key-${mode.toString(8)}`), mode)
  }
  writeFileSync(path('url'), 'postgres://bursar@localhost/bursar\n')
  writeFileSync(path('json'), '{"of": "a file"}')
  writeFileSync(path('broken'), '{"of": ')
})
afterAll(() => rmSync(folder, { recursive: true }))

const asIs = (json: unknown): unknown => json
const plain = {
  networks: asIs,
  assets: asIs,
  xpubs: asIs,
  policy: asIs,
  acquirers: asIs,
  exchange: asIs,
  screening: asIs,
  alerts: asIs,
}
const least = () => ({
  DATABASE_URL: 'postgres://bursar@localhost/bursar',
  BURSAR_DATA_KEY_FILE: path('key'),
  BURSAR_NETWORKS_FILE: path('json'),
  BURSAR_ASSETS_FILE: path('json'),
  BURSAR_XPUBS_FILE: path('json'),
  BURSAR_SIGNER: 'unix:/run/signer.sock',
})
const read = (env: Record<string, string>, role: Role = 'all') => readConfig(env, role, plain)
const problemsOf = (env: Record<string, string>, role: Role = 'all', files = plain): readonly string[] => {
  try {
    readConfig(env, role, files)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).problems
  }
}

describe('settings', () => {
  test('have defaults where a default is safe, but no default for a secret', () => {
    expect(read(least())).toMatchObject({
      http: { host: '127.0.0.1', port: 8080 },
      timestampMaxAge: 60,
      timestampMaxAhead: 5,
      requestsPerMinute: 600,
      outboundAllow: [],
      httpWebhooks: false,
      sandbox: false,
      signer: { socketPath: '/run/signer.sock' },
      assets: { of: 'a file' },
      ratesUrl: null,
    })
    expect(Buffer.from(read(least()).dataKeys[0]!).toString('hex')).toBe('ab'.repeat(32))
  })

  test.each(['644', '660', '666'])('audit S-9: files of keys with the mode %s are refused', (mode) => {
    const file = path(`key-${mode}`)
    const problems = problemsOf({ ...least(), BURSAR_DATA_KEY_FILE: file, BURSAR_CARD_KEY_FILE: file })
    expect(problems).toEqual(
      ['BURSAR_DATA_KEY_FILE', 'BURSAR_CARD_KEY_FILE'].map(
        (name) => `${name}: others can read or change ${file}: run chmod 600 on it`,
      ),
    )
  })

  test('audit S-9: files of keys in a folder that others can write are refused; a group may read them', () => {
    expect(problemsOf({ ...least(), BURSAR_DATA_KEY_FILE: path('key-640') })).toEqual([])
    const open = path('open')
    mkdirSync(open)
    writeFileSync(join(open, 'key'), 'ab'.repeat(32), { mode: 0o600 })
    chmodSync(open, 0o777)
    expect(problemsOf({ ...least(), BURSAR_DATA_KEY_FILE: join(open, 'key') })).toEqual([
      `BURSAR_DATA_KEY_FILE: others can replace files in ${open}: run chmod go-w on it`,
    ])
  })

  test.runIf(process.geteuid?.() === 0)("audit S-9: another user's file of keys is refused", () => {
    writeFileSync(path('foreign'), 'ab'.repeat(32), { mode: 0o600 })
    chownSync(path('foreign'), 65_534, 65_534)
    expect(problemsOf({ ...least(), BURSAR_DATA_KEY_FILE: path('foreign') })).toEqual([
      expect.stringMatching(/belongs to the user 65534: run chown 0/),
    ])
  })

  test('audit S-2: a variable of our name that nothing reads is a mistake, unless it is listed', () => {
    const misspelt = { ...least(), BURSAR_REQUESTS_PER_MINUT: '5', BURSAR_SIGNER_FILE: 'x', BURSARY: 'x' }
    expect(problemsOf(misspelt)).toEqual([
      expect.stringMatching(
        /^BURSAR_REQUESTS_PER_MINUT is no setting: did you mean BURSAR_REQUESTS_PER_MINUTE\?.*BURSAR_IGNORE/,
      ),
      expect.stringMatching(/^BURSAR_SIGNER_FILE is no setting/),
    ])
    expect(problemsOf({ ...least(), BURSAR_DATABASE_URL: 'x' })[0]).toContain('did you mean DATABASE_URL?')
    expect(problemsOf({ ...misspelt, BURSAR_IGNORE: 'BURSAR_REQUESTS_PER_MINUT' })).toHaveLength(1)
    expect(problemsOf({ ...misspelt, BURSAR_IGNORE: ' BURSAR_SIGNER_*, BURSAR_REQ*' })).toEqual([])
    expect(problemsOf({ ...least(), BURSAR_SMTP_PASSWORD_FILE: '', BURSAR_SANDBOX_PAUSE: 'x' })).toEqual([])
    const client = { BURSAR_URL: 'x', BURSAR_MERCHANT_ID: 'x', BURSAR_PRIVATE_KEY: 'x' }
    expect(problemsOf({ ...least(), ...client })).toEqual([])
  })

  test('ports are single, or from one to another', () => {
    const portsOf = (text: string) => read({ ...least(), BURSAR_WEBHOOK_PORTS: text }).webhookPorts
    expect(portsOf('443, 8000-9000')).toEqual([
      { least: 443, most: 443 },
      { least: 8_000, most: 9_000 },
    ])
    expect(read(least()).webhookPorts).toEqual([
      { least: 80, most: 80 },
      { least: 443, most: 443 },
      { least: 1_024, most: 65_535 },
    ])
    for (const wrong of ['0', '65536', '9-8', 'https', '1-'])
      expect(problemsOf({ ...least(), BURSAR_WEBHOOK_PORTS: wrong })).toHaveLength(1)
  })

  test('report every error at once', () => {
    const found = problemsOf({
      BURSAR_DATA_KEY_FILE: path('url'),
      BURSAR_HTTP: 'here',
      BURSAR_NETWORKS_FILE: path('absent'),
      BURSAR_ASSETS_FILE: path('broken'),
      BURSAR_SIGNER: 'https://signer.internal:8443',
      BURSAR_OUTBOUND_ALLOW: '127.0.0.0/8, 10.0.0.0/33',
      BURSAR_TIMESTAMP_MAX_AGE: '1e3',
      BURSAR_LOG_LEVEL: 'loud',
    }).join('\n')
    for (const name of [
      'DATABASE_URL is missing',
      'BURSAR_DATA_KEY_FILE',
      'BURSAR_HTTP: write HOST:PORT',
      "absent can't be read (ENOENT)",
      'must be JSON',
      'BURSAR_XPUBS_FILE is missing',
      'BURSAR_SIGNER_CA_FILE is missing',
      'BURSAR_OUTBOUND_ALLOW',
      'whole number',
      'fatal, error, warn',
    ])
      expect(found).toContain(name)
    expect(found.split('\n')).toHaveLength(12)
  })

  test('of a file are validated by the reader of that file', () => {
    const assets = () => {
      throw new Error('asset USDT is on no network')
    }
    expect(problemsOf(least(), 'all', { ...plain, assets })).toEqual([
      `BURSAR_ASSETS_FILE (${path('json')}): asset USDT is on no network`,
    ])
  })

  test('of a file have each of its problems listed, with the file', () => {
    const networks = () => {
      throw new ShapeError(['TRON.url is missing: write an http(s) address', 'BITCOIN: write a JSON object'])
    }
    expect(problemsOf(least(), 'all', { ...plain, networks })).toEqual([
      `BURSAR_NETWORKS_FILE (${path('json')}): TRON.url is missing: write an http(s) address`,
      `BURSAR_NETWORKS_FILE (${path('json')}): BITCOIN: write a JSON object`,
    ])
  })

  test('that are secret may come from a file, but not from both', () => {
    const { DATABASE_URL: _, ...env } = least()
    expect(read({ ...env, DATABASE_URL_FILE: path('url') }).databaseUrl).toBe('postgres://bursar@localhost/bursar')
    expect(problemsOf({ ...least(), DATABASE_URL_FILE: path('url') })).toEqual([
      'set DATABASE_URL or DATABASE_URL_FILE, not both',
    ])
  })

  test('are needed by the roles that use them', () => {
    const { DATABASE_URL, BURSAR_DATA_KEY_FILE } = least()
    expect(problemsOf({ DATABASE_URL, BURSAR_DATA_KEY_FILE }, 'cli')).toEqual([])
    expect(problemsOf({ ...least(), BURSAR_SIGNER: '' }, 'api')).toEqual([])
    expect(problemsOf({ ...least(), BURSAR_SIGNER: '' }, 'worker')[0]).toContain('BURSAR_SIGNER is missing')
  })

  test.each([
    ['8080', { host: '127.0.0.1', port: 8080 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
    ['[::1]:9000', { host: '::1', port: 9000 }],
  ])('an address to listen at: %s', (text, address) => {
    expect(read({ ...least(), BURSAR_HTTP: text }).http).toEqual(address)
  })

  test.each(['', 'localhost', '127.0.0.1:70000', 'http://127.0.0.1:80', '::1:80'])(
    'not an address to listen at: %j',
    (text) => {
      if (text === '') expect(read({ ...least(), BURSAR_HTTP: text }).http.port).toBe(8080)
      else expect(problemsOf({ ...least(), BURSAR_HTTP: text })).toHaveLength(1)
    },
  )

  test.each([
    'https://pay.example.com/invoices',
    'https://pay.example.com?a=b',
    'ftp://pay.example.com',
    'pay.example.com',
    'https://a:b@pay.example.com',
  ])('where payers reach us is a scheme and a host, not %s', (text) => {
    expect(problemsOf({ ...least(), BURSAR_PUBLIC_URL: text })).toHaveLength(1)
    expect(read({ ...least(), BURSAR_PUBLIC_URL: 'https://pay.example.com/' }).publicUrl).toBe(
      'https://pay.example.com',
    )
  })

  test.each([
    [
      'smtps://pay%40shop.example@mail.shop.example',
      { host: 'mail.shop.example', port: 465, tls: 'start', user: 'pay@shop.example' },
    ],
    ['smtp://pay@mail.shop.example:2525', { host: 'mail.shop.example', port: 2525, tls: 'starttls', user: 'pay' }],
    ['smtp+plain://127.0.0.1', { host: '127.0.0.1', port: 25, tls: 'none', user: null }],
    ['smtp+plain://[::1]:2525/', { host: '::1', port: 2525, tls: 'none', user: null }],
  ])('a mail server: %s', (text, place) => {
    const password = place.user === null ? {} : { BURSAR_SMTP_PASSWORD_FILE: path('key') }
    expect(read({ ...least(), ...password, BURSAR_SMTP_URL: text, BURSAR_MAIL_FROM: 'pay@shop.example' }).smtp).toEqual(
      place,
    )
  })

  test.each([
    'smtp://pay:secret@mail.example',
    'http://mail.example',
    'mail.example',
    'smtp+plain://pay@mail.example',
    'smtp://mail.example/box',
    'smtp://mail.example?tls=no',
    'smtp://',
  ])('no mail server: %s', (text) => {
    expect(problemsOf({ ...least(), BURSAR_SMTP_URL: text, BURSAR_MAIL_FROM: 'pay@shop.example' })).toHaveLength(1)
  })

  test('mail needs whom it is from, and a password where there is a user', () => {
    expect(problemsOf({ ...least(), BURSAR_SMTP_URL: 'smtp://pay@mail.example' })).toHaveLength(2)
    expect(
      problemsOf({
        ...least(),
        BURSAR_SMTP_URL: 'smtp://mail.example',
        BURSAR_MAIL_FROM: 'a@b.example',
        BURSAR_SMTP_PASSWORD: 'x',
      }),
    ).toHaveLength(1)
    const from = (text: string) => read({ ...least(), BURSAR_MAIL_FROM: text }).mailFrom
    expect(from('Оплата Shop <pay@shop.example>')).toEqual({ name: 'Оплата Shop', address: 'pay@shop.example' })
    expect(from('pay@shop.example')).toEqual({ name: '', address: 'pay@shop.example' })
    for (const text of [
      'Shop',
      'a@b.example, c@d.example',
      'Shop <a@b.example> <c@d.example>',
      'Shop <a b@c.example>',
    ]) {
      expect(problemsOf({ ...least(), BURSAR_MAIL_FROM: text })).toHaveLength(1)
    }
  })

  test('ranges are addresses with a prefix, or one address', () => {
    expect(read({ ...least(), BURSAR_OUTBOUND_ALLOW: '127.0.0.1, fd00::/8' }).outboundAllow).toEqual([
      '127.0.0.1/32',
      'fd00::/8',
    ])
  })

  test.each([
    ['postgres://bursar@db.example/bursar', false],
    ['postgres://bursar@db.example/bursar?sslmode=require', false],
    ['postgres://bursar@10.0.0.7/bursar?sslmode=no-verify', false],
    ['postgresql://bursar@db.example:5432/bursar?sslmode=verify-full', true],
    ['postgres://bursar@db.example/bursar?application_name=x&sslmode=verify-full', true],
    ['postgres://bursar@127.0.0.1:5432/bursar', true],
    ['postgres://bursar@[::1]/bursar', true],
    ['postgres://bursar@localhost/bursar', true],
    ['postgres:///bursar?host=%2Frun%2Fpostgresql&user=bursar', true],
    ['postgres:///bursar', true],
    ['postgres:///bursar?host=db.example', false],
    ['postgres://bursar@localhost/bursar?host=db.example', false],
    ['postgres://bursar@a.example:5432,b.example:5432/bursar?target_session_attrs=read-write', false],
    ['postgres://bursar@a.example,b.example/bursar?target_session_attrs=read-write&sslmode=verify-full', true],
    ['postgres://bursar@localhost,b.example/bursar?target_session_attrs=primary', false],
  ])('audit S-3: the connection to a database elsewhere proves its name: %s', (url, taken) => {
    expect(problemsOf({ ...least(), DATABASE_URL: url })).toEqual(
      taken ? [] : [expect.stringContaining('sslmode=verify-full')],
    )
  })

  test('D9 several servers need target_session_attrs, and each must be one', () => {
    const several = (text: string) =>
      problemsOf({ ...least(), DATABASE_URL: `postgres://bursar@${text}&sslmode=verify-full` })
    expect(several('a.example,b.example/bursar?x=1')).toEqual([expect.stringContaining('target_session_attrs')])
    expect(several('a.example,b.example/bursar?target_session_attrs=any')).toEqual([
      expect.stringContaining('target_session_attrs'),
    ])
    expect(several('a.example,b.example:port/bursar?target_session_attrs=primary')).toEqual([
      expect.stringContaining('starts with'),
    ])
  })

  test.each([
    'postgres://bursar@db.example/bursar?sslmode=verify-full&sslmode=no-verify',
    'postgres:///bursar?host=localhost&host=db.example',
  ])('audit S-3: a parameter that DATABASE_URL has twice is refused: %s', (url) => {
    expect(problemsOf({ ...least(), DATABASE_URL: url })).toEqual([expect.stringContaining('twice')])
  })
})
