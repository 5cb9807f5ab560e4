import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound, type OutboundSettings } from './index.ts'
import { privateHosts } from './test-spellings.ts'

/** Listens on every address of the machine; nothing may ever reach it. */
let canary: TcpServer
let canaryPort: number
let touched = 0
/** On 127.0.0.2, which stands for a public address. */
let receiver: Server
let receiverPort: number
let location = ''
const opened: Outbound[] = []

const listen = (server: TcpServer | Server, host: string): Promise<number> =>
  new Promise((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)))

beforeAll(async () => {
  canary = createTcpServer((socket) => {
    touched += 1
    socket.destroy()
  })
  canaryPort = await listen(canary, '::')
  receiver = createServer((request, response) => {
    const status = Number(request.url?.slice(1))
    response.writeHead(status, { connection: 'close', ...(status >= 300 ? { location } : {}) }).end('ok')
  })
  receiverPort = await listen(receiver, '127.0.0.2')
})
afterAll(async () => {
  await Promise.all(opened.map((outbound) => outbound.close()))
  canary.close()
  receiver.close()
})

const outboundWith = (settings: Partial<OutboundSettings> = {}): Outbound => {
  const outbound = createOutbound({ allowPrivate: [], allowHttp: true, timeoutMs: 2_000, ...settings })
  opened.push(outbound)
  return outbound
}
const request = { headers: { 'content-type': 'text/plain' }, body: 'secret' }
const refused = expect.objectContaining({ kind: 'failed', reason: 'refused-address' })
/** The spelling as a name server would write it. */
const asAnswer = (host: string): string => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '')
const addresses = privateHosts.filter((host) => !/localhost/i.test(host))

test('there are at least 80 spellings, all of which URLs can hold', () => {
  expect(new Set(privateHosts).size).toBeGreaterThanOrEqual(80)
  for (const host of privateHosts) expect(URL.canParse(`http://${host}/`)).toBe(true)
})

describe('W7 no byte reaches an address that is not public', () => {
  test('the canary sees a connection when the guard lets it through', async () => {
    await outboundWith({ allowPrivate: ['127.0.0.0/8'] }).post(`http://127.1:${canaryPort}/`, request)
    expect(touched).toBeGreaterThan(0)
    touched = 0
  })

  test.each(['http', 'https'])('written into an %s URL', async (scheme) => {
    const outbound = outboundWith()
    for (const host of privateHosts) {
      expect([host, await outbound.post(`${scheme}://${host}:${canaryPort}/`, request)]).toEqual([host, refused])
    }
    expect(touched).toBe(0)
  })

  test('as the answer of a name server, alone or beside a public address', async () => {
    for (const host of addresses) {
      for (const answer of [[asAnswer(host)], [host], ['127.0.0.2', asAnswer(host)], [asAnswer(host), '127.0.0.2']]) {
        const outbound = outboundWith({ allowPrivate: ['127.0.0.2/32'], lookup: async () => answer })
        expect([answer, await outbound.post(`http://shop.example:${canaryPort}/`, request)]).toEqual([answer, refused])
      }
    }
    expect(touched).toBe(0)
  })

  test('W8 when a name changes its mind between two look-ups', async () => {
    for (const host of addresses) {
      let lookups = 0
      const lookup = async (): Promise<string[]> => [(lookups += 1) % 2 === 1 ? '127.0.0.2' : asAnswer(host)]
      const outbound = outboundWith({ allowPrivate: ['127.0.0.2/32'], lookup })
      // One look-up a connection: what was judged is what is connected to.
      expect(await outbound.post(`http://shop.example:${receiverPort}/200`, request)).toMatchObject({ status: 200 })
      expect(lookups).toBe(1)
      expect(await outbound.post(`http://shop.example:${receiverPort}/200`, request)).toEqual(refused)
      expect(lookups).toBe(2)
    }
    expect(touched).toBe(0)
  })

  test.each([301, 302, 303, 307, 308])('W9 by a redirect with status %i', async (status) => {
    const outbound = outboundWith({ allowPrivate: ['127.0.0.0/8'], lookup: async () => ['127.0.0.2'] })
    for (const host of privateHosts) {
      location = encodeURI(`http://${host}:${canaryPort}/`)
      expect(await outbound.post(`http://shop.example:${receiverPort}/${status}`, request)).toMatchObject({
        kind: 'answer',
        status,
      })
    }
    expect(touched).toBe(0)
  })
})

test('the addresses of a name are not shown', async () => {
  const outbound = outboundWith({ lookup: async () => ['10.20.30.40'] })
  expect(JSON.stringify(await outbound.post('http://internal.example/', request))).not.toContain('10.20')
})
