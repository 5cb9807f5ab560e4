import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import Fastify from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { cases } from '../../../../test/setup/cases.ts'
import type { PageRequest, PageRoute } from '../../platform/api/page.ts'
import { ApiRefusal } from '../../platform/api/route.ts'
import { registerPages } from './page-server.ts'
import { useEdge } from '../../../../test/world/edge.ts'

const html = { 'content-type': 'text/html; charset=utf-8' }
const asked: PageRequest[] = []
const page = (method: 'GET' | 'POST', path: string, more: Partial<PageRoute> = {}): PageRoute => ({
  method,
  path,
  mostBytes: 1_000,
  handle: async (request) => {
    asked.push(request)
    return { status: 200, headers: html, body: `<p>${request.params['id'] ?? 'none'}` }
  },
  ...more,
})
let [release, waited]: [() => void, Promise<void>] = [() => {}, Promise.resolve()]
/** A file whose end waits until the test releases it. */
const file: PageRoute['handle'] = async () => ({
  status: 200,
  headers: {},
  merchantId: 'merchant',
  contentType: 'text/csv',
  fileName: 'a.csv',
  pieces: (async function* pieces() {
    yield 'first\r\n'
    await waited
    yield 'second\r\n'
  })(),
})
const edge = useEdge({
  unbuilt: ['createCryptoInvoiceForm'],
  pages: {
    routes: [
      page('GET', '/invoices/crypto/{id}'),
      page('POST', '/invoices/crypto/{id}'),
      page('GET', '/a/{x}/b/{y}'),
      page('POST', '/limited', { perMinute: 3 }),
      page('POST', '/merchants/invoices/crypto/form'),
      page('GET', '/large', { handle: async () => ({ status: 200, headers: html, body: 'large '.repeat(2_000) }) }),
      page('GET', '/refused', {
        handle: async () => Promise.reject(new ApiRefusal(400, 100, 'amount: <UAH 25 to 29999>')),
      }),
      page('GET', '/broken', { handle: async () => Promise.reject(new Error('hunter2')) }),
      page('GET', '/split', {
        handle: async () => ({ status: 303, headers: { location: '/a\r\nset-cookie: b=c' }, body: '' }),
      }),
      page('GET', '/file', { handle: file }),
      page('GET', '/moved', { handle: async () => ({ status: 303, headers: { location: '/large' }, body: '' }) }),
    ],
    problem: ({ status, requestId }) => ({ headers: html, body: `<h1>problem ${status}</h1>${requestId}` }),
    postsPerMinute: 100_000,
    getsPerMinute: 100_000,
    bodyMs: 200,
  },
})
beforeEach(() => {
  asked.length = 0
})
const browser = ['accept', 'text/html,application/xhtml+xml,*/*;q=0.8']
const get = (target: string, headers: string[] = browser) => edge.raw('GET', target, headers)

describe('a page', () => {
  test('is found by its path, with the values of its parameters, and with a slash at its end', async () => {
    expect(await get('/invoices/crypto/a%20b?lang=uk&lang=ru&x=%zz')).toMatchObject({ status: 200, text: '<p>a b' })
    expect(asked[0]).toMatchObject({
      method: 'GET',
      params: { id: 'a b' },
      query: { lang: 'uk' },
      url: '/invoices/crypto/a%20b?lang=uk&lang=ru&x=%zz',
    })
    expect((await get('/invoices/crypto/x/')).text).toBe('<p>x')
  })

  test('may be a file; a merchant gets four at once, and a readable page instead of a fifth', async () => {
    waited = new Promise((resolve) => {
      release = resolve
    })
    const five = Array.from({ length: 5 }, () => get('/file'))
    const first = await Promise.race(five)
    expect([first.status, first.text.startsWith('<h1>problem 429</h1>')]).toEqual([429, true])
    release()
    const files = (await Promise.all(five)).filter(({ status }) => status === 200)
    expect(files.map(({ text }) => text)).toEqual(Array.from({ length: 4 }, () => 'first\r\nsecond\r\n'))
    expect(files[0]!.headers['content-disposition']).toBe('attachment; filename="a.csv"')
  })

  test('carries headers that keep it from caches, frames and other sites', async () => {
    const { headers } = await get('/invoices/crypto/x')
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'/)
    expect(headers['x-request-id']).toBeTruthy()
  })

  test('answers HEAD with the headers of its GET', async () => {
    const head = await edge.raw('HEAD', '/invoices/crypto/x', browser)
    expect(head).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '4', 'content-type': html['content-type'] },
    })
    expect(asked[0]!.method).toBe('GET')
  })

  test('is compressed for browsers that accept it', async () => {
    for (const [accepted, open] of [
      ['br, gzip', brotliDecompressSync],
      ['gzip', gunzipSync],
      ['br;q=0, gzip', gunzipSync],
    ] as const) {
      const text = await edge.bytes(
        `GET /large HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${accepted}\r\nConnection: close\r\n\r\n`,
      )
      const body = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1')
      expect(text).toMatch(/vary: accept-encoding/)
      expect(body.length).toBeLessThan(500)
      expect(open(body).toString()).toBe('large '.repeat(2_000))
    }
    expect((await get('/large')).text).toHaveLength(12_000)
  })

  test("may send elsewhere, but not with a header of the client's own", async () => {
    expect(await get('/moved')).toMatchObject({ status: 303, headers: { location: '/large' } })
    const split = await get('/split')
    expect(split.status).toBe(503)
    expect(split.headers['set-cookie']).toBeUndefined()
  })

  test('accepts a body of any content type, even an invalid one', async () => {
    for (const type of ['text/xml', ';;', 'a', 'application/json', 'application/x-www-form-urlencoded;']) {
      asked.length = 0
      const answer = await edge.raw('POST', '/invoices/crypto/x', [...browser, 'content-type', type], '{"a":')
      expect([type, answer.status, asked[0]?.body.toString()]).toEqual([type, 200, '{"a":'])
      expect(asked[0]!.headers['content-type']).toBe(type)
    }
  })

  test('of a web form is in the place that the contract names', async () => {
    expect((await edge.raw('POST', '/merchants/invoices/crypto/form', browser, 'a=b')).status).toBe(200)
    expect((await edge.raw('POST', '/merchants/invoices/fiat/form', [], 'a=b')).status).toBe(501)
  })
})

describe('errors', () => {
  test('an unknown path is a page to a browser and JSON to other clients', async () => {
    expect(await get('/nowhere')).toMatchObject({
      status: 404,
      text: expect.stringContaining('<h1>problem 404') as string,
      headers: html,
    })
    expect(await get('/nowhere', [])).toMatchObject({ status: 404, body: { code: 101 } })
    expect(await get('/a/../b')).toMatchObject({
      status: 400,
      text: expect.stringContaining('<h1>problem 400') as string,
    })
    expect(await get('/invoices/crypto/%00')).toMatchObject({ status: 400 })
  })

  test('a refusal is readable, as JSON where JSON is asked for', async () => {
    expect(await get('/refused')).toMatchObject({
      status: 400,
      text: expect.stringContaining('<h1>problem 400') as string,
    })
    expect(await get('/refused', ['accept', 'application/json'])).toMatchObject({
      status: 400,
      body: { code: 100, description: 'amount: <UAH 25 to 29999>' },
    })
  })

  test('a failure shows no detail of its cause, and the log names the request', async () => {
    edge.logged.length = 0
    const answer = await get('/broken')
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(answer.text).not.toContain('hunter2')
    expect(
      edge.logged.some((line) => line.includes('hunter2') && line.includes(String(answer.headers['x-request-id']))),
    ).toBe(true)
  })

  test('another method is refused', async () => {
    for (const method of ['DELETE', 'PUT', 'OPTIONS'])
      expect(await edge.raw(method, '/invoices/crypto/x', browser)).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, POST' },
      })
    expect((await get('/limited')).status).toBe(405)
  })

  test('a body that is too long, that a GET has, or that comes too slowly is refused', async () => {
    expect((await edge.raw('POST', '/invoices/crypto/x', browser, 'x'.repeat(1_001))).status).toBe(413)
    expect((await edge.raw('POST', '/invoices/crypto/x', browser, 'x'.repeat(1_000))).status).toBe(200)
    expect((await edge.raw('GET', '/invoices/crypto/x', browser, 'x')).status).toBe(400)
    expect((await edge.raw('POST', '/invoices/crypto/x', ['content-encoding', 'gzip'], 'x')).status).toBe(400)
    expect(await edge.bytes('POST /invoices/crypto/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf')).toMatch(
      /^HTTP\/1\.1 408 /,
    )
  })

  test('more requests a minute from one address than the route takes wait', async () => {
    const statuses = []
    for (let i = 0; i < 4; i += 1) statuses.push((await edge.raw('POST', '/limited', browser, 'x')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    edge.clock.ms += 20_000
    expect((await edge.raw('POST', '/limited', browser, 'x')).status).toBe(200)
  })
})

test('generated requests get an answer that is no failure', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('..', '%2e%2e', '%00', '%', 'a%2Fb', '<script>', '\u202e', '__proto__', 'x'.repeat(3_000)),
  )
  const target = fc
    .tuple(fc.constantFrom('/invoices/crypto/', '/invoices/', '/', '/refused?', '/large/?'), piece, fc.boolean())
    .map(
      ([start, text, encode]) =>
        `${start}${encode ? encodeURIComponent(text.toWellFormed()) : text.replaceAll(/[^!-~]/g, '')}`,
    )
  const header = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, ''))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'HEAD', 'PATCH'),
      target,
      header,
      header,
      piece,
      async (method, path, accept, type, body) => {
        const answer = await edge.raw(
          method,
          path,
          ['accept', accept, 'content-type', type, 'accept-language', type],
          method === 'POST' ? body : undefined,
        )
        expect(answer.status).toBeLessThan(500)
        expect(answer.headers['x-request-id']).toBeTruthy()
        expect(answer.headers['x-content-type-options']).toBe('nosniff')
      },
    ),
    { numRuns: cases(1_000) },
  )
})

describe('finding a page', () => {
  test('two pages of one path are a mistake', async () => {
    const app = Fastify()
    const routes = [page('GET', '/a/{id}'), page('GET', '/a/{name}')]
    const register = async (): Promise<unknown> => {
      registerPages(app, { pages: { routes } } as unknown as Parameters<typeof registerPages>[1])
      return app.ready()
    }
    await expect(register()).rejects.toThrow(/already declared/)
  })
  test.each([
    '/invoices/crypt%6f/x',
    '/invoices//x',
    '/invoices/crypto//',
    'http://a/invoices/crypto/x',
    '/invoices/crypto/x#y',
    '/doc%73',
  ])('%s is not written plainly', async (target) => {
    asked.length = 0
    const text = await edge.bytes(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*the path must be written plainly/)
    expect(asked).toEqual([])
  })
  test('any visible segments it was made of are found and given back decoded; others name nothing', async () => {
    const segment = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed())
    await fc.assert(
      fc.asyncProperty(segment, segment, async (x, y) => {
        asked.length = 0
        const { status } = await get(`/a/${encodeURIComponent(x)}/b/${encodeURIComponent(y)}`)
        if (/\p{Cc}/u.test(x + y)) expect(status).toBe(400)
        else expect([status, asked[0]?.params]).toEqual([200, { x, y }])
      }),
      { numRuns: 300 },
    )
  })
})
