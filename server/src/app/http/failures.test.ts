import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ApiRefusal } from '../../platform/api/route.ts'
import { useEdge } from '../../../../test/world/edge.ts'

let isReady = true
const edge = useEdge({
  ready: async () => {
    if (!isReady) throw new Error('relation schema_migrations of /var/lib/secret does not exist')
  },
})
const ask = () => edge.call('POST', '/merchants/addresses', '{"blockchain":"BITCOIN"}')

describe('an operation that fails', () => {
  test('by its own refusal is notified with that reason', async () => {
    edge.answer = async () => {
      throw new ApiRefusal(409, 102, 'not screened yet', { retryAfterSeconds: 30, field: 'id' })
    }
    const answer = await ask()
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 102, description: 'not screened yet', field: 'id' },
      headers: { 'retry-after': '30' },
    })
  })

  test.each([
    ['an error', async () => Promise.reject(new Error('password of /etc/secret is hunter2'))],
    ['a text', async () => Promise.reject('hunter2' as unknown as Error)],
    ['nothing', async () => Promise.reject(undefined as unknown as Error)],
    [
      'an operation that returns no promise',
      () => {
        throw new TypeError('hunter2 of undefined')
      },
    ],
    ['an answer that is no JSON', async () => ({ status: 200, body: { hunter2: 1n } })],
    ['the database', () => sql`select * from hunter2`.execute(edge.db).then(() => ({ status: 200, body: {} }))],
  ])('by %s is answered without detail, and the log names the request', async (_name, fail) => {
    edge.answer = fail
    edge.logged.length = 0
    const answer = await ask()
    edge.answer = undefined
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 107, requestId: answer.headers['x-request-id'] },
      headers: { 'retry-after': '1' },
    })
    expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(/hunter2|secret|select|at /)
    const line = edge.logged
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ requestId }) => requestId === answer.body.requestId)
    expect(line).toMatchObject({ level: 50, merchantId: edge.merchant.id, operation: 'createAddress', status: 503 })
  })

  test("by a value that no column holds is the request's fault, and is looked at", async () => {
    edge.answer = () => sql`select ${'x'}::uuid`.execute(edge.db).then(() => ({ status: 200, body: {} }))
    edge.logged.length = 0
    expect(await ask()).toMatchObject({ status: 400, body: { code: 100 } })
    edge.answer = undefined
    expect(edge.logged.some((line) => line.includes('"level":50'))).toBe(true)
  })

  test('leaves the others alone', async () => {
    edge.answer = async (request) =>
      request.query['tickers'] === 'BAD' ? Promise.reject(new Error('bad')) : { status: 200, body: {} }
    const statuses = await Promise.all(
      ['BAD', 'BTC', 'BAD', 'ETH'].map(
        async (ticker) => (await edge.call('GET', `/merchants/balances?tickers=${ticker}`)).status,
      ),
    )
    edge.answer = undefined
    expect(statuses).toEqual([503, 200, 503, 200])
  })
})

describe('the database away', () => {
  test('everything signed answers 503, nothing 401, until it is back', async () => {
    await edge.pool.query('alter table merchants rename to elsewhere')
    edge.directory.forgetAll()
    expect(await ask()).toMatchObject({ status: 503, body: { code: 107 } })
    expect(await edge.call('GET', '/merchants/balances?tickers=BTC', undefined, { key: 'wrong' })).toMatchObject({
      status: 503,
    })
    await edge.pool.query('alter table elsewhere rename to merchants')
    expect((await ask()).status).toBe(200)
  })
})

describe('pages', () => {
  test('the contract as data, with every operation', async () => {
    const answer = await edge.raw('GET', '/openapi.json', [])
    const document = JSON.parse(answer.text) as { openapi: string; paths: Record<string, unknown> }
    expect(answer.status).toBe(200)
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths).length).toBeGreaterThan(25)
  })

  test('the reference, without a script or anything from elsewhere', async () => {
    const answer = await edge.raw('GET', '/docs', [])
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; frame-ancestors 'none'/,
    )
    expect(answer.text).toContain('/merchants/withdrawals/crypto')
    expect(answer.text).toContain('<h4>Columns of the CSV</h4><p><code>time, ticker, amount, balance,')
    expect(answer.text).not.toMatch(/<script|https?:\/\/(?!.*example)|src=/)
  })

  test('health: alive at once, ready when the database is', async () => {
    expect((await edge.raw('GET', '/health/live', [])).status).toBe(200)
    expect((await edge.raw('GET', '/health/ready', [])).status).toBe(200)
    isReady = false
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const answer = await edge.raw('GET', '/health/ready', [])
    isReady = true
    expect(answer).toMatchObject({ status: 503, body: { code: 107 } })
    expect(answer.text).not.toContain('secret')
    expect((await edge.raw('GET', '/health/live', [])).status).toBe(200)
  })
})
