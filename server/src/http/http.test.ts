import { createHmac, randomBytes } from 'node:crypto'
import { request as send } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { signatureVectors } from '@bursar/contract/vectors'
import { uuidv7 } from '../base/id.ts'
import { createDb, createPool, inTransaction, type Db } from '../db/index.ts'
import { createDirectory, createMerchant, rotateKey, setDisabled, type MerchantDirectory } from '../merchants/index.ts'
import { createSecretBox } from '../platform/secrets.ts'
import type { ApiRequest } from '../platform/route.ts'
import { useDatabase } from '../../../test/setup/database.ts'
import { migrated } from '../../../test/setup/migrated.ts'
import { createHttpServer } from './index.ts'

const database = useDatabase({ template: migrated })
const NOW = 1_677_486_443_000
const KEY = 'private-key'
const newId = () => uuidv7(Date.now(), randomBytes(10))
const moment = () => ({ at: new Date(NOW), newId })
const box = createSecretBox(new Uint8Array(32).fill(7))
const keyBytes = { box, random: randomBytes, actor: 'test' }
let pool: pg.Pool
let db: Db
let app: FastifyInstance
let directory: MerchantDirectory
let port = 0
let merchantId = ''
let privateKey = ''
let now = NOW
let handled: ApiRequest[] = []

beforeAll(async () => {
  pool = createPool({ url: database.url })
  db = createDb(pool)
  directory = createDirectory(db, box)
  const made = await inTransaction(db, (tx) =>
    createMerchant(tx, { name: 'Shop', companyName: 'Shop Ltd', companyUrl: 'https://shop.example' }, keyBytes, moment()),
  )
  merchantId = made.id
  privateKey = made.privateKey
  const answering = ['createAddress', 'createRotatingAddress', 'createCryptoWithdrawal', 'getCryptoWithdrawalFee', 'listCryptoAssets', 'listFiatAssets', 'listBalances', 'listExchangeDirections', 'closeCryptoInvoice', 'getCryptoInvoice']
  app = createHttpServer({
    directory,
    clock: { now: () => now },
    window: { maxAge: 60, maxAhead: 5 },
    requestsPerMinute: 100_000,
    refusalsPerMinute: 1_000_000,
    onFirstUse: () => {},
    log: pino({ level: 'silent' }),
    ready: async () => {},
    routes: answering.map((operation) => ({
      operation,
      handle: async (request) => {
        handled.push(request)
        return { status: 200, body: { operation } }
      },
    })),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  port = (app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await app.close()
  await pool.end()
})

interface Answer {
  status: number
  body: { code?: number; description?: string; field?: string; operation?: string }
  headers: Record<string, string | string[] | undefined>
}
type HeaderList = (string | Buffer)[]

/** Sends exactly these bytes: target and headers as given, twice where given twice. */
const raw = (method: string, target: string, headers: HeaderList, body?: string | Buffer): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length: HeaderList = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
    const all = ['host', `127.0.0.1:${port}`, ...length, ...headers]
    const request = send({ host: '127.0.0.1', port, method, path: target, headers: all as unknown as string[] })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode!, body: text.startsWith('{') ? JSON.parse(text) : {}, headers: response.headers })
      })
    })
    request.end(body)
  })

const sign = (method: string, target: string, body: string | Buffer, timestamp: number | string, key = privateKey): string =>
  createHmac('sha256', key).update(method + target).update(body).update(String(timestamp)).digest('hex')

const call = (method: string, target: string, body?: string | Buffer, more: { timestamp?: number; key?: string; id?: string; headers?: HeaderList } = {}) => {
  const timestamp = more.timestamp ?? Math.floor(now / 1000)
  const signature = sign(method, target, body ?? '', timestamp, more.key)
  const headers: HeaderList = ['merchant-id', more.id ?? merchantId, 'signature', signature, 'timestamp', String(timestamp), ...(more.headers ?? [])]
  return raw(method, target, headers, body)
}

const address = '{"blockchain":"BITCOIN"}'
const withdrawal = (more: Record<string, unknown> = {}) =>
  JSON.stringify({ ticker: 'USDT', blockchain: 'ETHEREUM', to: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', amount: '1', ...more })

describe('signatures', () => {
  const vectors = signatureVectors.filter((v) => v.form === 'request' && v.key === KEY && v.signature.length === 64)
  test.each(vectors.map((v) => [`${v.method} ${v.target}`, v] as const))('the vector %s is accepted', async (_name, vector) => {
    const id = newId()
    await inTransaction(db, async (tx) => {
      const fixed = { ...keyBytes, random: () => Buffer.from('') }
      await createMerchant(tx, { name: 'v', companyName: 'v', companyUrl: 'v' }, fixed, { at: new Date(NOW), newId: fixedIds(id) })
    })
    await pool.query('update merchant_keys set sealed = $1 where merchant_id = $2 and id = $3', [
      box.seal(KEY, `merchant-key|${id}|${apiKeyId}`), id, apiKeyId,
    ])
    directory.forget(id)
    const headers = ['merchant-id', id, 'signature', vector.signature, 'timestamp', vector.timestamp]
    const answer = await raw(vector.method, vector.target, headers, vector.body === '' ? undefined : vector.body)
    expect(answer.status).not.toBe(401)
  })
  let apiKeyId = ''
  const fixedIds = (id: string) => {
    let count = 0
    return () => {
      count += 1
      if (count === 1) return id
      const next = newId()
      if (count === 2) apiKeyId = next
      return next
    }
  }

  test('an unknown merchant, a disabled one and a wrong key answer alike', async () => {
    const gone = await inTransaction(db, (tx) => createMerchant(tx, { name: 'x', companyName: 'x', companyUrl: 'x' }, keyBytes, moment()))
    await inTransaction(db, (tx) => setDisabled(tx, gone.id, true, keyBytes, moment()))
    directory.forget(gone.id)
    const answers = await Promise.all([
      call('POST', '/merchants/addresses', address, { id: newId() }),
      call('POST', '/merchants/addresses', address, { id: gone.id, key: gone.privateKey }),
      call('POST', '/merchants/addresses', address, { key: 'wrong' }),
      call('POST', '/merchants/addresses', address, { id: 'not-a-uuid' }),
    ])
    const told = answers.map(({ status, body }) => JSON.stringify([status, body.code, body.description]))
    expect(new Set(told).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 401, body: { code: -1 } })
  })

  test.each([
    [0, 200], [60, 200], [61, -2], [3600, -2], [-5, 200], [-6, -3],
  ])('a timestamp %i s old: %i', async (age, expected) => {
    const answer = await call('POST', '/merchants/addresses', address, { timestamp: NOW / 1000 - age })
    expect(expected === 200 ? answer.status : answer.body.code).toBe(expected)
  })

  test('during a rotation both keys sign; after it only the new one', async () => {
    const made = await inTransaction(db, (tx) => createMerchant(tx, { name: 'r', companyName: 'r', companyUrl: 'r' }, keyBytes, moment()))
    const rotated = await inTransaction(db, (tx) => rotateKey(tx, made.id, { purpose: 'api', overlapMs: 1000 }, keyBytes, moment()))
    const statuses = async () => {
      directory.forget(made.id)
      const keys = [made.privateKey, rotated.secret]
      return (await Promise.all(keys.map((key) => call('POST', '/merchants/addresses', address, { id: made.id, key })))).map((a) => a.status)
    }
    expect(await statuses()).toEqual([200, 200])
    now += 2000
    expect(await statuses()).toEqual([401, 200])
    now = NOW
  })

  test('nothing signed stays good when its pieces slide into each other', async () => {
    const target = '/merchants/withdrawals/crypto/fee?ticker=USDT&amount=1&blockchain=ETHEREUM'
    const timestamp = String(NOW / 1000)
    const signature = sign('GET', target, '', timestamp)
    const headers = (at: string): HeaderList => ['merchant-id', merchantId, 'signature', signature, 'timestamp', at]
    for (const cut of [1, 2, 9]) {
      const moved = await raw('GET', target + timestamp.slice(0, cut), headers(timestamp.slice(cut)))
      expect(moved.status).toBe(401)
    }
    expect((await raw('POST', target.slice(0, -2), headers(timestamp), target.slice(-2))).status).toBeGreaterThanOrEqual(400)
  })

  test.each(['merchant-id', 'signature', 'timestamp'])('the header %s sent twice is refused', async (name) => {
    const timestamp = String(NOW / 1000)
    const values: Record<string, string> = { 'merchant-id': merchantId, signature: sign('GET', '/merchants/assets/crypto', '', timestamp), timestamp }
    const headers = Object.entries(values).flat()
    expect((await raw('GET', '/merchants/assets/crypto', headers)).status).toBe(200)
    const again = await raw('GET', '/merchants/assets/crypto', [...headers, name.toUpperCase(), values[name]!])
    expect(again.body.code).toBe(-1)
  })
})

describe('what known clients send is served', () => {
  test.each([
    ['GET', '/merchants/assets/crypto', ['content-type', 'application/json']],
    ['GET', '/merchants/assets/crypto/', []],
    ['GET', '/merchants/exchange/available-directions', []],
    ['GET', '/merchants/exchange/available-directions/', []],
    ['GET', '/merchants/balances?tickers=UAH%2CUSDT%2CBTC', []],
    ['GET', '/merchants/balances?tickers=UAH,USDT,BTC', []],
    ['GET', '/merchants/withdrawals/fiat/assets', []],
    ['GET', '/merchants/withdrawals/crypto/fee?address=undefined&blockchain=TRON&ticker=USDT&amount=12.00', []],
  ] as const)('%s %s', async (method, target, headers) => {
    const answer = await call(method, target, undefined, { headers: [...headers] })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toContain('application/json')
  })

  test.each([[[]], [['Content-type', 'application/json']], [['content-type', 'text/plain']]] as const)('a body with the headers %j', async (headers) => {
    expect((await call('POST', '/merchants/addresses', '{"blockchain":"BITCOIN", "meta":"your-info"}', { headers: [...headers] })).status).toBe(200)
  })

  test('a POST with the JSON type and no body', async () => {
    const target = '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000/close'
    expect((await call('POST', target, '', { headers: ['content-type', 'application/json'] })).status).toBe(200)
  })

  test('the fee path without /merchants, signed over either form', async () => {
    const query = '?ticker=USDT&amount=12&blockchain=ETHEREUM'
    const timestamp = String(NOW / 1000)
    for (const signed of ['/withdrawals/crypto/fee', '/merchants/withdrawals/crypto/fee']) {
      const headers = ['merchant-id', merchantId, 'signature', sign('GET', signed + query, '', timestamp), 'timestamp', timestamp]
      expect((await raw('GET', `/withdrawals/crypto/fee${query}`, headers)).status).toBe(200)
    }
    const mixed = ['merchant-id', merchantId, 'signature', sign('GET', `/withdrawals/crypto/fee${query}`, '', timestamp), 'timestamp', timestamp]
    expect((await raw('GET', `/merchants/withdrawals/crypto/fee${query}`, mixed)).status).toBe(401)
  })

  test('`undefined` and empty query values count as absent', async () => {
    handled = []
    await call('GET', '/merchants/withdrawals/crypto/fee?address=undefined&blockchain=TRON&ticker=USDT&amount=12.00&other=1')
    expect(handled[0]!.query).toEqual({ blockchain: 'TRON', ticker: 'USDT', amount: '12.00' })
  })

  test('the alias of a withdrawal', async () => {
    expect((await call('POST', '/merchants/withdrawals', withdrawal())).body.operation).toBe('createCryptoWithdrawal')
  })
})

describe('bad input', () => {
  test.each([
    ['a number', withdrawal({ amount: 12.5 }), 'amount', 'quotes'],
    ['an exponent', withdrawal({ amount: '1e3' }), 'amount', 'decimal string'],
    ['a plus', withdrawal({ amount: '+1' }), 'amount', 'decimal string'],
    ['hex', withdrawal({ amount: '0x10' }), 'amount', 'decimal string'],
    ['NaN', withdrawal({ amount: 'NaN' }), 'amount', 'decimal string'],
    ['19 decimals', withdrawal({ amount: `0.${'1'.repeat(19)}` }), 'amount', '18 after'],
    ['31 digits', withdrawal({ amount: '1'.repeat(31) }), 'amount', '30 before'],
    ['negative', withdrawal({ amount: '-1' }), 'amount', 'greater than zero'],
    ['zero', withdrawal({ amount: '0.000' }), 'amount', 'greater than zero'],
    ['an unknown field', withdrawal({ amonut: '1', extra: 1 }), 'amonut', '"amonut", "extra"'],
    ['a missing field', '{"ticker":"USDT"}', 'blockchain', 'missing'],
    ['a long localId', withdrawal({ localId: 'x'.repeat(129) }), 'localId', '128'],
    ['null', 'null', undefined, 'object'],
    ['an array', '[]', undefined, 'object'],
    ['not JSON', '{"ticker":', undefined, 'not JSON'],
    ['no body', '', undefined, 'empty'],
    ['a byte order mark', '\ufeff{}', undefined, 'byte order mark'],
    ['a key twice', '{"ticker":"USDT","ticker":"BTC"}', 'ticker', 'twice'],
    ['a key twice, escaped', '{"ticker":"USDT","tick\\u0065r":"BTC"}', 'ticker', 'twice'],
    ['__proto__', '{"__proto__":{"ticker":"BTC"}}', '__proto__', '__proto__'],
    ['deep nesting', `${'['.repeat(20)}${']'.repeat(20)}`, undefined, 'nested'],
    ['a lone surrogate', withdrawal().replace('USDT', '\\ud800'), undefined, 'surrogate'],
    ['U+0000', withdrawal({ meta: 'a\u0000b' }), undefined, 'U+0000'],
  ])('%s is refused and told', async (_name, body, field, says) => {
    handled = []
    const answer = await call('POST', '/merchants/withdrawals/crypto', body)
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } })
    expect(answer.body.field).toBe(field)
    expect(answer.body.description).toContain(says)
    expect(handled).toEqual([])
  })

  test('invalid UTF-8', async () => {
    expect((await call('POST', '/merchants/withdrawals/crypto', Buffer.from([0x7b, 0xff, 0x7d]))).body.description).toContain('UTF-8')
  })

  test('a body of 2 MiB gets 413', async () => {
    const answer = await call('POST', '/merchants/addresses', Buffer.alloc(2 * 1024 * 1024, 0x20))
    expect(answer).toMatchObject({ status: 413, body: { code: 104 } })
  })

  test('a compressed body is refused', async () => {
    expect((await call('POST', '/merchants/addresses', address, { headers: ['content-encoding', 'gzip'] })).status).toBe(400)
  })

  test('a GET with a body is refused', async () => {
    const timestamp = String(NOW / 1000)
    const headers = ['merchant-id', merchantId, 'signature', sign('GET', '/merchants/assets/crypto', 'x', timestamp), 'timestamp', timestamp]
    expect((await raw('GET', '/merchants/assets/crypto', headers, 'x')).status).toBe(400)
  })

  test.each([
    '//merchants/assets/crypto', '/merchants//assets/crypto', '/merchants/%61ssets/crypto', '/merchants/assets/./crypto',
    '/merchants/assets/%2e%2e/assets/crypto', '/merchants/assets/crypto%2f', '/merchants/assets/crypto;a', 'http://evil/merchants/assets/crypto',
    '/merchants/assets/crypto#x', '/merchants\\assets/crypto', '/./merchants/assets/crypto',
  ])('the target %s is refused', async (target) => {
    const answer = await call('GET', target)
    expect([400, 404]).toContain(answer.status)
    expect(answer.body.description).toBeTruthy()
  })

  test.each(['?tickers=BTC&tickers=ETH', '?tickers=%', '?tickers=%00'])('the query %s is refused', async (query) => {
    expect((await call('GET', `/merchants/balances${query}`)).status).toBe(400)
  })

  test('operations that are not built answer 501 and name themselves', async () => {
    const answer = await call('POST', '/merchants/invoices/crypto', '{"name":"x"}')
    expect(answer).toMatchObject({ status: 501, body: { code: 106 } })
    expect(answer.body.description).toContain('createCryptoInvoice')
  })

  test('every operation answers something of ours to an unsigned request', async () => {
    for (const operation of operations) {
      const target = operation.path.replace(':id', 'x')
      const answer = await raw(operation.method, target, [])
      expect([401, 501]).toContain(answer.status)
      expect(answer.body.code).toBeTypeOf('number')
    }
  })
})

describe('robustness', () => {
  test('generated requests never make a 5xx', async () => {
    const body = fc.oneof(fc.json(), fc.string(), fc.json({ maxDepth: 20 }).map((j) => j.slice(0, -1)))
    const operation = fc.constantFrom(...operations.filter((o) => o.signed))
    await fc.assert(
      fc.asyncProperty(operation, body, fc.string(), async (o, text, tail) => {
        const target = o.path.replace(':id', encodeURIComponent(tail) || 'x') + (o.method === 'GET' ? `?${encodeURIComponent(tail)}=${encodeURIComponent(text)}` : '')
        const answer = await call(o.method, target, o.method === 'POST' ? text : undefined)
        expect(answer.status === 501 || answer.status < 500).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('garbage on the socket closes it and nothing else', async () => {
    const answers = await Promise.all(
      ['GARBAGE\r\n\r\n', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 'GET / HTTP/1.1\r\n\r\n'].map(
        (bytes) =>
          new Promise<string>((resolve) => {
            const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
            let text = ''
            socket.on('data', (chunk) => (text += chunk.toString()))
            socket.on('close', () => resolve(text))
            socket.setTimeout(2000, () => socket.destroy())
          }),
      ),
    )
    for (const answer of answers) expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d|$)/)
    expect((await call('GET', '/merchants/assets/crypto')).status).toBe(200)
  })

  test('pages: the OpenAPI document, the reference and health', async () => {
    expect((await raw('GET', '/openapi.json', [])).status).toBe(200)
    expect((await raw('GET', '/docs', [])).headers['content-security-policy']).not.toContain('unsafe')
    expect((await raw('GET', '/health/live', [])).status).toBe(200)
    expect((await raw('GET', '/health/ready', [])).status).toBe(200)
  })
})

describe('limits of rate', () => {
  test('a merchant over its own limit waits, others do not', async () => {
    const made = await inTransaction(db, (tx) =>
      createMerchant(tx, { name: 'l', companyName: 'l', companyUrl: 'l', settings: { requestsPerMinute: 3 } }, keyBytes, moment()),
    )
    directory.forget(made.id)
    const ask = () => call('GET', '/merchants/assets/crypto', undefined, { id: made.id, key: made.privateKey })
    const statuses = [(await ask()).status, (await ask()).status, (await ask()).status]
    const fourth = await ask()
    expect(statuses).toEqual([200, 200, 200])
    expect(fourth).toMatchObject({ status: 429, body: { code: 105 } })
    expect(Number(fourth.headers['retry-after'])).toBeGreaterThan(0)
    expect((await call('GET', '/merchants/assets/crypto')).status).toBe(200)
    now += 20_000
    expect((await ask()).status).toBe(200)
    now = NOW
  })
})
