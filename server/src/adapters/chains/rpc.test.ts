import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseRpcJson } from '@bursar/chainkit/bitcoin'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRpc, type Rpc, type RpcSettings } from './rpc.ts'
import { CUT_OFF, TOO_MANY, type Question } from '../../../../test/world/dialects/batches.ts'

type Answer = (asked: Question[], outgoing: ServerResponse, incoming: IncomingMessage) => void

let server: Server
let answer: Answer
let requests: Question[][]
const rpcs: Rpc[] = []

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const asked = [JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[]].flat()
      requests.push(asked)
      answer(asked, outgoing, incoming)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await Promise.all(rpcs.map((rpc) => rpc.close()))
  await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  requests = []
})

const rpcTo = (given: Partial<RpcSettings> = {}): Rpc => {
  const { port } = server.address() as AddressInfo
  const rpc = createRpc({
    network: 'BITCOIN',
    url: `http://127.0.0.1:${port}/`,
    parse: JSON.parse,
    random: () => 0,
    ...given,
  })
  rpcs.push(rpc)
  return rpc
}
const say = (outgoing: ServerResponse, value: unknown, status = 200): void =>
  void outgoing.writeHead(status).end(JSON.stringify(value))
const echo = ({ id, params }: Question) => ({ jsonrpc: '2.0', id, result: params[0] })
const calls = (count: number) => Array.from({ length: count }, (_, at) => ({ method: 'echo', params: [at] }))

describe('batches', () => {
  test('are split, sent one after the other, and answered in the order asked, for any order of the node', async () => {
    answer = (asked, outgoing) => say(outgoing, asked.map(echo).toReversed())
    const answers = await rpcTo({ mostPerBatch: 4 }).askAll(calls(10))
    expect(answers).toEqual(Array.from({ length: 10 }, (_, at) => ({ ok: true, result: at })))
    expect(requests.map((asked) => asked.length)).toEqual([4, 4, 2])
  })

  test('of nothing ask nothing', async () => {
    expect(await rpcTo().askAll([])).toEqual([])
    expect(requests).toEqual([])
  })

  test('hold refusals of their own, and null is a result', async () => {
    answer = ([first, second], outgoing) =>
      say(outgoing, [
        { id: first!.id, error: { code: -5, message: 'no' } },
        { id: second!.id, result: null },
      ])
    expect(await rpcTo().askAll(calls(2))).toEqual([
      { ok: false, code: -5, message: 'no' },
      { ok: true, result: null },
    ])
  })

  test.for([
    ['one answer is missing', (asked: Question[]) => asked.slice(1).map(echo)],
    ['one question is answered twice', ([first]: Question[]) => [echo(first!), echo(first!)]],
    ['one answer is to a question never asked', ([first]: Question[]) => [echo(first!), { ...echo(first!), id: 9 }]],
    ['one error is given for all', () => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'too large' } })],
  ] as const)('are not believed when %s', async ([, of]) => {
    answer = (asked, outgoing) => say(outgoing, of(asked))
    await expect(rpcTo({ attempts: 1 }).askAll(calls(2))).rejects.toThrow(/^BITCOIN: echo: HTTP 200/)
  })
})

describe('audit D-E15: row E-60: batches that the node does not take', () => {
  for (const limit of [1, 3, 30, 99]) {
    test.for(TOO_MANY)(`are halved until they have no more than ${limit}: %s`, async ([, status, says]) => {
      answer = (asked, outgoing) =>
        asked.length > limit ? say(outgoing, says(asked), status) : say(outgoing, asked.map(echo))
      const rpc = rpcTo({ attempts: 1 })
      const wanted = Array.from({ length: 250 }, (_, at) => ({ ok: true, result: at }))
      expect(await rpc.askAll(calls(250))).toEqual(wanted)
      // The limit that was found stays.
      requests = []
      expect(await rpc.askAll(calls(20))).toEqual(wanted.slice(0, 20))
      expect(requests.filter((asked) => asked.length > limit)).toEqual([])
    })
  }

  test('audit D-E15: a server before the node refuses a long body with a page of its own', async () => {
    answer = (asked, outgoing) =>
      asked.length > 3
        ? void outgoing.writeHead(413).end('<html>413 Request Entity Too Large</html>')
        : say(outgoing, asked.map(echo))
    expect(await rpcTo({ attempts: 1 }).askAll(calls(10))).toHaveLength(10)
  })

  test.for(CUT_OFF)('audit D-E15: questions that are cut off, "%s", are asked again', async (message) => {
    answer = (asked, outgoing) =>
      say(
        outgoing,
        asked.map((one, at) => (at < 7 ? echo(one) : { id: one.id, error: { code: -32003, message } })),
      )
    expect(await rpcTo({ attempts: 1 }).askAll(calls(30))).toEqual(
      Array.from({ length: 30 }, (_, at) => ({ ok: true, result: at })),
    )
    expect(requests.map((asked) => asked.length)).toEqual([30, 7, 7, 7, 2])
  })

  test('audit D-E15: a limit of questions in a time is not taken for one of a batch', async () => {
    answer = (_asked, outgoing) =>
      say(
        outgoing,
        { id: null, error: { code: -32005, message: 'daily request count exceeded, request rate limited' } },
        429,
      )
    await expect(rpcTo({ attempts: 1 }).askAll(calls(10))).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(requests.map((asked) => asked.length)).toEqual([10])
  })

  test('audit D-E15: after a hundred batches a larger one is tried', async () => {
    let limit = 2
    answer = (asked, outgoing) =>
      asked.length > limit
        ? say(outgoing, { id: null, error: { code: -32005, message: 'busy' } })
        : say(outgoing, asked.map(echo))
    const rpc = rpcTo({ attempts: 1, mostPerBatch: 4 })
    await rpc.askAll(calls(198))
    limit = 4
    requests = []
    await rpc.askAll(calls(8))
    expect(requests.map((asked) => asked.length)).toEqual([2, 4, 2])
  })
})

describe('questions', () => {
  test('are refused by the node with any HTTP status (row B-20)', async () => {
    answer = ([one], outgoing) =>
      say(outgoing, { id: one!.id, result: null, error: { code: -8, message: 'out of range' } }, 500)
    expect(await rpcTo().ask({ method: 'a', params: [] })).toEqual({ ok: false, code: -8, message: 'out of range' })
    await expect(rpcTo().read('a', [], String)).rejects.toThrow('BITCOIN: a: refused: out of range (-8)')
    expect(requests).toHaveLength(2)
  })

  test('are asked again as often as they may, then it is unavailable', async () => {
    answer = (_asked, outgoing) => say(outgoing, 'no', 503)
    await expect(rpcTo({ attempts: 3 }).ask({ method: 'a', params: [] })).rejects.toMatchObject({
      name: 'ChainUnavailable',
    })
    expect(requests).toHaveLength(3)
    await expect(rpcTo({ attempts: 3 }).ask({ method: 'a', params: [] }, { attempts: 1 })).rejects.toThrow(/HTTP 503/)
    expect(requests).toHaveLength(4)
  })

  test('wait longer each time, and not all for equally long', async () => {
    const times: number[] = []
    answer = (_asked, outgoing) => {
      times.push(performance.now())
      say(outgoing, 'no', 503)
    }
    await expect(rpcTo({ attempts: 3, random: () => 0.5 }).ask({ method: 'a', params: [] })).rejects.toThrow('HTTP 503')
    const [first, second] = [times[1]! - times[0]!, times[2]! - times[1]!]
    expect(first).toBeGreaterThan(190)
    expect(second).toBeGreaterThan(390)
  })

  test('are not asked again after all the time they had, and a trickle is no answer', async () => {
    answer = (_asked, outgoing) => {
      outgoing.writeHead(200)
      const drop = setInterval(() => outgoing.write(' '), 20)
      outgoing.on('close', () => clearInterval(drop))
    }
    await expect(rpcTo({ timeoutMs: 200 }).ask({ method: 'a', params: [] })).rejects.toThrow('no answer within 200 ms')
    expect(requests).toHaveLength(1)
  })

  test('have answers of bounded length', async () => {
    answer = ([one], outgoing) => say(outgoing, { id: one!.id, result: 'x'.repeat(5_000) })
    expect(await rpcTo({ maxBytes: 6_000 }).read('a', [], String)).toHaveLength(5_000)
    await expect(rpcTo({ maxBytes: 4_000 }).ask({ method: 'a', params: [] })).rejects.toThrow('longer than 4000 bytes')
  })

  test('carry the user and password of the address, and no error shows them', async () => {
    const { port } = server.address() as AddressInfo
    const seen: (string | undefined)[] = []
    answer = (_asked, outgoing, incoming) => {
      seen.push(incoming.headers.authorization)
      outgoing.writeHead(401).end()
    }
    const refused = rpcTo({ url: `http://us%40er:s%3Acret@127.0.0.1:${port}/path?key=topsecret` }).ask({
      method: 'a',
      params: [],
    })
    await expect(refused).rejects.toThrow("BITCOIN: a: HTTP 401: check the user and password in the node's url")
    expect(seen).toEqual([`Basic ${Buffer.from('us@er:s:cret').toString('base64')}`])
  })

  test('have their amounts as the node wrote them', async () => {
    answer = ([one], outgoing) =>
      void outgoing.end(`{"id":${one!.id},"result":[0.10000000,1e-8,20999999.97690000,9007199254740993,7]}`)
    const result = await rpcTo({ parse: parseRpcJson }).read('a', [], (value) => value)
    expect(result).toEqual(['0.10000000', '1e-8', '20999999.97690000', '9007199254740993', 7])
  })

  test('an answer that a decoder rejects counts as unavailable, but an error of the decoder itself is shown', async () => {
    answer = ([one], outgoing) => say(outgoing, echo(one!))
    const rpc = rpcTo()
    await expect(
      rpc.read('a', ['x'], () => {
        throw new RangeError('odd')
      }),
    ).rejects.toThrow('BITCOIN: a: not believed: odd')
    await expect(
      rpc.read('a', ['x'], () => {
        throw new TypeError('bug')
      }),
    ).rejects.toBeInstanceOf(TypeError)
  })
})
