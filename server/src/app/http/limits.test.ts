import { describe, expect, test } from 'vitest'
import { makeMerchant, newId } from '../../../../test/world/merchant.ts'
import { NOW, useEdge } from '../../../../test/world/edge.ts'

const edge = useEdge({ requestsPerMinute: 5, refusalsPerMinute: 10, trustedProxies: ['127.0.0.0/8'] })
const target = '/merchants/assets/crypto'
const from = (address: string) => ({ headers: ['x-forwarded-for', address] })

const makeClient = async (perMinute?: number) => {
  const made = await makeMerchant(
    edge.db,
    NOW,
    perMinute === undefined ? {} : { settings: { requestsPerMinute: perMinute } },
  )
  edge.directory.forget(made.id)
  return () => edge.call('GET', target, undefined, { id: made.id, key: made.privateKey })
}

describe('signed requests of a merchant', () => {
  test('are limited, see their remaining number, and are accepted again as time passes; other merchants are not affected', async () => {
    const [ask, other] = [await makeClient(), await makeClient()]
    const first = await ask()
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"merchant";q=5;w=60', ratelimit: '"merchant";r=4' })
    for (let i = 0; i < 4; i += 1) expect((await ask()).status).toBe(200)
    const over = await ask()
    expect(over).toMatchObject({
      status: 429,
      body: { code: 105 },
      headers: { 'retry-after': '12', ratelimit: '"merchant";r=0' },
    })
    expect((await other()).status).toBe(200)
    edge.clock.ms += 12_000
    expect((await ask()).status).toBe(200)
    expect((await ask()).status).toBe(429)
    edge.clock.ms = NOW
  })

  test('by its own setting where it has one', async () => {
    const ask = await makeClient(2)
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 429])
  })

  test('are counted after the signature: forged requests do not use up the share of a merchant', async () => {
    const made = await makeMerchant(edge.db, NOW)
    edge.directory.forget(made.id)
    for (let i = 0; i < 8; i += 1)
      await edge.call('GET', target, undefined, { id: made.id, key: 'wrong', ...from('198.51.100.9') })
    expect((await edge.call('GET', target, undefined, { id: made.id, key: made.privateKey })).status).toBe(200)
  })
})

describe('requests without a good signature of one network address', () => {
  const bad = (address: string) => edge.call('GET', target, undefined, { id: newId(), ...from(address) })

  test('are limited by address for any kind of error; a correctly signed one from there is still served', async () => {
    const address = '203.0.113.7'
    const kinds = [
      () => bad(address),
      () => edge.raw('GET', '/nowhere', ['x-forwarded-for', address]),
      () => edge.raw('GET', '//', ['x-forwarded-for', address]),
      () => edge.raw('POST', '/merchants/invoices/crypto/form', ['x-forwarded-for', address], 'name=x'),
    ]
    const statuses: number[] = []
    for (let i = 0; i < 12; i += 1) statuses.push((await kinds[i % kinds.length]!()).status)
    expect(statuses).toEqual([401, 404, 400, 501, 401, 404, 400, 501, 401, 404, 429, 429])
    const last = await bad(address)
    expect(last).toMatchObject({ status: 429, body: { code: 105 }, headers: { 'retry-after': '6' } })
    expect((await bad('203.0.113.8')).status).toBe(401)
    const ask = await makeClient()
    expect((await ask()).status).toBe(200)
    const made = await makeMerchant(edge.db, NOW)
    edge.directory.forget(made.id)
    expect(
      (await edge.call('GET', target, undefined, { id: made.id, key: made.privateKey, ...from(address) })).status,
    ).toBe(200)
  })

  test('do not include signed requests of a merchant that are refused for their content', async () => {
    const made = await makeMerchant(edge.db, NOW, { settings: { requestsPerMinute: 1_000 } })
    edge.directory.forget(made.id)
    const wrong = () =>
      edge.call('GET', '/merchants/balances', undefined, { id: made.id, key: made.privateKey, ...from('203.0.113.99') })
    for (let i = 0; i < 15; i += 1) expect((await wrong()).status).toBe(400)
    expect((await bad('203.0.113.99')).status).toBe(401)
  })

  test('share a /64 of IPv6, and can not choose their address by adding to the header', async () => {
    for (let i = 0; i < 10; i += 1) expect((await bad(`2001:db8:1:2:${i}::${i}`)).status).toBe(401)
    expect((await bad('2001:db8:1:2:ffff::1')).status).toBe(429)
    expect((await bad('2001:db8:1:3::1')).status).toBe(401)
    for (let i = 0; i < 10; i += 1) expect((await bad(`10.9.9.${i}, 192.0.2.1`)).status).toBe(401)
    expect((await bad('10.1.1.1, 192.0.2.1')).status).toBe(429)
  })

  test('in a flood leave a good one its turn', async () => {
    const ask = await makeClient(100_000)
    expect((await ask()).status).toBe(200)
    const [clients, asks] = [8, 50]
    let [over, refused] = [false, 0]
    const flood = (async () => {
      while (!over) {
        await Promise.all(Array.from({ length: clients }, () => bad('192.0.2.77')))
        refused += clients
      }
    })()
    for (let i = 0; i < asks; i += 1) expect((await ask()).status).toBe(200)
    const meanwhile = refused
    over = true
    await flood
    // Counted, not timed: on a fast machine and on a busy one a good request waits for a few rounds of the flood, not
    // for all of it.
    expect(meanwhile / (clients * asks)).toBeLessThan(10)
  })
})

describe('connections', () => {
  test('that send headers too slowly are ended', async () => {
    expect(edge.app.server.headersTimeout).toBeLessThanOrEqual(10_000)
    expect(edge.app.server.requestTimeout).toBeLessThanOrEqual(30_000)
  })

  test.each([
    'GARBAGE\r\n\r\n',
    'GET /merchants/assets/crypto HTTP/1.1\r\n\r\n',
    'POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    'POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked, x\r\n\r\n',
    'GET /merchants/balances HTTP/1.1\r\nHost: a\r\nbad header: x\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /merchants/assets/crypto HTTP/1.1\nHost: a\n\n',
    '\x16\x03\x01\x02\x00\x01\x00',
  ])('that send %j are notified so and ended, and nothing else happens', async (bytes) => {
    const refusal = /^HTTP\/1\.1 4\d\d [^]*"code":(-1|100)/
    const text = await edge.bytesUntil((said) => refusal.test(said), bytes)
    expect(text).toMatch(refusal)
    expect((await (await makeClient())()).status).toBe(200)
  })

  test('that break off in the middle of a body do nothing', async () => {
    edge.handled.length = 0
    const { connect } = await import('node:net')
    await new Promise<void>((resolve) => {
      const socket = connect(edge.port, '127.0.0.1', () => {
        socket.write('POST /merchants/addresses HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"blockchain"', () =>
          socket.destroy(),
        )
      })
      socket.on('close', () => resolve())
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(edge.handled).toEqual([])
    expect((await (await makeClient())()).status).toBe(200)
  })
})
