import { describe, expect, test } from 'vitest'
import { operations } from '@bursar/contract'
import { NOW, useEdge } from '../../../../test/world/edge.ts'
import { sign } from '../../../../test/world/signed-request.ts'

const edge = useEdge({ unbuilt: ['createCryptoInvoice', 'listExchangeDirections'] })
const SECONDS = String(NOW / 1_000)
const withdrawal = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    ticker: 'USDT',
    blockchain: 'ETHEREUM',
    to: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    amount: '1',
    ...more,
  })

describe('a refused body is answered with the correct form', () => {
  test.each([
    ['a number', withdrawal({ amount: 12.5 }), 'amount', 'send "12.5" in quotes'],
    ['an exponent', withdrawal({ amount: '1e3' }), 'amount', 'decimal string'],
    ['an unknown field', withdrawal({ amonut: '1', extra: 1 }), 'amonut', '"amonut", "extra": there are ticker'],
    ['a missing field', '{"ticker":"USDT"}', 'blockchain', 'blockchain is missing'],
    ['a field that is null', withdrawal({ to: null }), 'to', 'not null'],
    ['a field that is an object', withdrawal({ to: {} }), 'to', 'not an object'],
    ['a long localId', withdrawal({ localId: 'x'.repeat(129) }), 'localId', '128'],
    ['an empty localId', withdrawal({ localId: '' }), 'localId', '1 to 128'],
    ['a long meta', withdrawal({ meta: 'x'.repeat(2_049) }), 'meta', '2048'],
    ['10 kB of digits', withdrawal({ amount: '1'.repeat(10_240) }), 'amount', '30 before'],
    ['null', 'null', undefined, 'the body must be of type object, not null'],
    ['an array', '[]', undefined, 'not an array'],
    ['a text', '"USDT"', undefined, 'not a string'],
    ['not JSON', '{"ticker":', undefined, 'not JSON'],
    ['two values', '{}{}', undefined, 'not JSON'],
    ['single quotes', "{'ticker':'USDT'}", undefined, 'not JSON'],
    ['a comment', '{"ticker":"USDT"/**/}', undefined, 'not JSON'],
    ['a form', 'ticker=USDT', undefined, 'not JSON'],
    ['nothing', '', undefined, 'empty'],
    ['a byte order mark', '\ufeff{}', undefined, 'byte order mark'],
    ['a key twice', '{"ticker":"USDT","ticker":"BTC"}', 'ticker', '"ticker" stands twice'],
    ['a key twice, escaped', '{"ticker":"USDT","tick\\u0065r":"BTC"}', 'ticker', 'stands twice'],
    ['__proto__', '{"__proto__":{"ticker":"BTC"}}', '__proto__', '__proto__'],
    ['constructor', withdrawal({ constructor: { prototype: { x: 1 } } }), 'constructor', 'unknown field'],
    ['deep nesting', `${'['.repeat(20)}${']'.repeat(20)}`, undefined, 'nested'],
    ['endless nesting', '['.repeat(1_000_000), undefined, 'nested'],
    ['a lone surrogate', withdrawal().replace('USDT', '\\ud800'), undefined, 'surrogate'],
    ['U+0000', withdrawal({ meta: 'a\u0000b' }), undefined, 'U+0000'],
    ['UTF-16', Buffer.from(withdrawal(), 'utf16le'), undefined, 'not JSON'],
  ])('%s', async (_name, body, field, says) => {
    edge.handled.length = 0
    const answer = await edge.call('POST', '/merchants/withdrawals/crypto', body)
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } })
    expect(answer.body.field).toBe(field)
    expect(answer.body.description).toContain(says)
    expect(answer.body.requestId).toBe(answer.headers['x-request-id'])
    expect(edge.handled).toEqual([])
  })

  test.each([
    '1e3',
    '+1',
    ' 1',
    '1 ',
    '.5',
    '5.',
    '',
    '0x10',
    '1_000',
    '-0',
    '-1',
    'NaN',
    'Infinity',
    '1,5',
    '１',
    '١',
    '0',
    '0.0',
    '0.000000000000000000',
    `0.${'1'.repeat(19)}`,
    '1'.repeat(31),
    '1\n',
    '1\u0000',
    '1.2.3',
    '0b1',
    '1n',
    'null',
    '∞',
    '1'.repeat(10_000),
  ])('L13 the amount %j', async (amount) => {
    const answer = await edge.call('POST', '/merchants/withdrawals/crypto', withdrawal({ amount }))
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } })
  })

  test.each(['1', '12.000', '0.000000000000000001', '00.1', '1'.repeat(30), `${'9'.repeat(30)}.${'9'.repeat(18)}`])(
    'the amount %j is served',
    async (amount) => {
      expect((await edge.call('POST', '/merchants/withdrawals/crypto', withdrawal({ amount }))).status).toBe(200)
      expect(edge.handled.at(-1)!.body).toMatchObject({ amount })
    },
  )

  test('a target without its blockchain, by its path', async () => {
    const answer = await edge.call(
      'POST',
      '/merchants/addresses',
      '{"blockchain":"BITCOIN","target":{"ticker":"USDT","address":"x"}}',
    )
    expect(answer.body).toMatchObject({
      code: 100,
      field: 'target.blockchain',
      description: expect.stringContaining('target.blockchain is missing'),
    })
    const unknown = await edge.call(
      'POST',
      '/merchants/addresses',
      '{"blockchain":"BITCOIN","target":{"ticker":"USDT","adress":"x"}}',
    )
    expect(unknown.body).toMatchObject({ field: 'target.adress' })
  })

  test('invalid UTF-8', async () => {
    expect(
      (await edge.call('POST', '/merchants/withdrawals/crypto', Buffer.from([0x7b, 0xff, 0x7d]))).body.description,
    ).toContain('UTF-8')
    expect((await edge.call('POST', '/merchants/withdrawals/crypto', Buffer.from([0xc0, 0x80]))).status).toBe(400)
  })

  test('nothing of it reaches the prototype of objects', async () => {
    await edge.call(
      'POST',
      '/merchants/addresses',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('sizes', () => {
  test('a body of 2 MiB gets 413, signed or not, by length, and in chunks when its headers are right', async () => {
    const large = Buffer.alloc(2 * 1024 * 1024, 0x20)
    expect(await edge.call('POST', '/merchants/addresses', large)).toMatchObject({ status: 413, body: { code: 104 } })
    expect(await edge.raw('POST', '/merchants/addresses', [], large)).toMatchObject({
      status: 413,
      body: { code: 104 },
    })
    const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`
    const { id } = edge.merchant
    const head = `POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nmerchant-id: ${id}\r\nsignature: ${'ab'.repeat(32)}\r\ntimestamp: ${NOW / 1_000}\r\n\r\n`
    const text = await edge.bytes(head, chunk.repeat(17))
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toContain('connection: close')
  })

  test('a body of exactly 1 MiB is read, one byte more is not', async () => {
    const body = withdrawal()
    const fits = body + ' '.repeat(1_048_576 - body.length)
    expect((await edge.call('POST', '/merchants/withdrawals/crypto', fits)).status).toBe(200)
    expect((await edge.call('POST', '/merchants/withdrawals/crypto', `${fits} `)).status).toBe(413)
  })

  test('headers over 16 KiB get 431, in the same form', async () => {
    const text = await edge.bytes(
      `GET /merchants/assets/crypto HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 431 [^]*"code":100/)
  })
})

describe('the form of a request', () => {
  test('a compressed body is refused, before anything is made of it', async () => {
    const answer = await edge.call('POST', '/merchants/addresses', '{"blockchain":"BITCOIN"}', {
      headers: ['content-encoding', 'gzip'],
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 100, description: expect.stringContaining('Content-Encoding') },
    })
  })

  test('a GET with a body, by length or in chunks', async () => {
    const headers = [
      'merchant-id',
      edge.merchant.id,
      'signature',
      sign(edge.merchant.privateKey, 'GET', '/merchants/assets/crypto', '', SECONDS),
      'timestamp',
      SECONDS,
    ]
    expect((await edge.raw('GET', '/merchants/assets/crypto', headers)).status).toBe(200)
    expect(await edge.raw('GET', '/merchants/assets/crypto', headers, 'x')).toMatchObject({
      status: 400,
      body: { code: 100 },
    })
    expect(
      (await edge.raw('GET', '/merchants/assets/crypto', [...headers, 'transfer-encoding', 'chunked'])).status,
    ).toBe(400)
  })

  test('a POST with a query', async () => {
    expect(
      await edge.call('POST', '/merchants/addresses?blockchain=BITCOIN', '{"blockchain":"BITCOIN"}'),
    ).toMatchObject({ status: 400, body: { code: 100 } })
  })

  test('a body where none is accepted', async () => {
    const target = '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000/close'
    for (const body of ['{"a":1}', '[]', 'null', 'x']) expect((await edge.call('POST', target, body)).status).toBe(400)
    expect(await edge.call('POST', target, '{"a":1}')).toMatchObject({
      body: { description: expect.stringContaining('no body') },
    })
  })

  test('audit C-13: an empty object is no body', async () => {
    const target = '/merchants/invoices/crypto/123e4567-e89b-12d3-a456-426614174000/close'
    const without = await edge.call('POST', target, '')
    for (const body of ['{}', ' { } ']) expect((await edge.call('POST', target, body)).status).toBe(without.status)
    expect(without.status).not.toBe(400)
  })

  test.each([
    '?tickers=BTC&tickers=ETH',
    '?tickers=BTC&tickers',
    '?tickers=BTC&%74ickers=BTC',
    '?x=1&x=2&tickers=BTC',
    '?tickers=%',
    '?tickers=%00',
    '?tickers=%ff',
    '?tickers=%c0%80',
    '',
    '?',
    '?tickers=',
    '?tickers=undefined',
    '?tikcers=BTC',
    `?tickers=${'A'.repeat(2_000)}`,
    `?tickers=BTC${'&a=1'.repeat(70)}`,
  ])('the query %s', async (query) => {
    expect((await edge.call('GET', `/merchants/balances${query}`)).status).toBe(400)
  })

  test('a query that is refused names the parameter', async () => {
    expect((await edge.call('GET', '/merchants/balances')).body).toMatchObject({
      field: 'tickers',
      description: expect.stringContaining('tickers is missing'),
    })
    expect(
      (await edge.call('GET', '/merchants/exchange/estimate?targetTicker=BTC&spendTicker=UAH&amount=1&side=sell')).body,
    ).toMatchObject({ code: 0, field: 'side' })
  })

  test('an id that is no UUID is unknown', async () => {
    for (const id of ['1', 'x', '123e4567-e89b-12d3-a456-42661417400', "1'or'1"]) {
      const answer = await edge.call('GET', `/merchants/withdrawals/crypto/${id}`)
      expect(answer.status).toBe(id.includes("'") ? 400 : 404)
      expect(answer.body.code).toBe(id.includes("'") ? 100 : 101)
    }
    await edge.call('GET', '/merchants/withdrawals/crypto/123E4567-E89B-12D3-A456-426614174000')
    expect(edge.handled.at(-1)!.params).toEqual({ id: '123e4567-e89b-12d3-a456-426614174000' })
  })
})

describe('HTTP that is well-formed and not ours', () => {
  test.each(['HTTP/0.9', 'HTTP/2.0'])('a request of %s is refused, on pages too', async (version) => {
    edge.handled.length = 0
    for (const target of ['/merchants/assets/crypto', '/docs']) {
      const signature = sign(edge.merchant.privateKey, 'GET', target, '', SECONDS)
      const headers = `Host: a\r\nmerchant-id: ${edge.merchant.id}\r\nsignature: ${signature}\r\ntimestamp: ${SECONDS}`
      const text = await edge.bytes(`GET ${target} ${version}\r\n${headers}\r\nConnection: close\r\n\r\n`)
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      expect(text).toContain('"code":100')
    }
    expect(edge.handled).toEqual([])
  })

  test('an expectation other than 100-continue is refused in our format', async () => {
    const answer = await edge.call('GET', '/merchants/assets/crypto', undefined, { headers: ['Expect', '200-ok'] })
    expect(answer).toMatchObject({ status: 417, body: { code: 100 } })
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('operations', () => {
  test('that are not built answer 501 and name themselves, to the merchant only', async () => {
    const answer = await edge.call('POST', '/merchants/invoices/crypto', '{"anything":1}')
    expect(answer).toMatchObject({
      status: 501,
      body: { code: 106, description: expect.stringContaining('createCryptoInvoice') },
    })
    expect((await edge.call('GET', '/merchants/exchange/available-directions/')).status).toBe(501)
    expect((await edge.raw('POST', '/merchants/invoices/crypto', [], '{}')).status).toBe(401)
  })

  test('without a signature are the two forms only', async () => {
    for (const operation of operations) {
      const target = operation.path.replace(':id', '123e4567-e89b-12d3-a456-426614174000')
      const answer = await edge.raw(operation.method, target, [])
      expect(answer.status).toBe(operation.signed ? 401 : 501)
      expect(answer.body.code).toBe(operation.signed ? -1 : 106)
    }
  })
})
