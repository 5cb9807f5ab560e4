import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpRateSource } from './http.ts'

let server: Server
let reply: { status: number; body: string }

beforeAll(async () => {
  server = createServer((_incoming, outgoing) => void outgoing.writeHead(reply.status).end(reply.body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const ask = (body: unknown, status = 200) => {
  reply = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
  const { port } = server.address() as AddressInfo
  return createHttpRateSource({ url: `http://127.0.0.1:${port}/prices?key=topsecret` }).quotes([
    'BTC',
    'UAH',
    'toString',
  ])
}

describe('a source of prices over HTTP', () => {
  test('gives the requested prices, digit for digit, with the time when they were observed', async () => {
    const usd = { BTC: '65000.1', UAH: '0.024100000000000001', ETH: '3000' }
    expect(await ask({ observedAt: 1_800_000_000_000, usd })).toEqual([
      { ticker: 'BTC', usd: '65000.1', observedAt: 1_800_000_000_000 },
      { ticker: 'UAH', usd: '0.024100000000000001', observedAt: 1_800_000_000_000 },
    ])
  })

  test.for([65_000.1, '6.5e4', '-1', '', ' 1', 'NaN', '65,000', '1.0000000000000000001', null, {}, '９'])(
    'leaves out %j, which is no decimal string',
    async (price) => {
      expect((await ask({ observedAt: 1, usd: { BTC: price, UAH: '1' } })).map(({ ticker }) => ticker)).toEqual(['UAH'])
    },
  )

  test.for([
    ['<html>', 200, /not JSON/],
    ['{"observedAt":1,"usd":{"BTC":"1"', 200, /not JSON/],
    ['null', 200, /something else/],
    ['[]', 200, /something else/],
    [{ usd: { BTC: '1' } }, 200, /something else/],
    [{ observedAt: '1', usd: { BTC: '1' } }, 200, /something else/],
    [{ observedAt: 1, usd: null }, 200, /something else/],
    [{ observedAt: 1, usd: { BTC: '1' } }, 500, /HTTP 500/],
    [{ observedAt: 1, usd: { BTC: '1' } }, 302, /HTTP 302/],
    ['x'.repeat(1_100_000), 200, /more than 1048576 bytes/],
  ] as const)('throws on %j with status %i', async ([body, status, message]) => {
    const failed = ask(body, status)
    await expect(failed).rejects.toThrow(message)
    await expect(failed).rejects.not.toThrow(/topsecret/)
  })
})
