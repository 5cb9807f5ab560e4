import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Timer } from './pauses.ts'
import { createRpc } from './rpc.ts'
import { error, PROVIDERS, type Refusal } from './test-rates.ts'

type Asked = { id: number } | { id: number }[]

/** A node, and a clock that moves only while code waits. */
const startNode = async (answer: (asked: Asked, now: number, outgoing: ServerResponse) => void) => {
  let now = 0
  const timer: Timer = {
    now: () => now,
    sleep: async (ms) => {
      now += ms
    },
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString()) as Asked, now, outgoing))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const rpc = createRpc({
    network: 'ETHEREUM',
    url: `http://127.0.0.1:${port}`,
    parse: JSON.parse,
    random: () => 0.5,
    timer,
  })
  onTestFinished(async () => {
    await rpc.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const pass = (ms: number): void => {
    now += ms
  }
  return { rpc, pass }
}

/** One that refuses some times before it answers in earnest. */
const start = async (refusals: readonly Refusal[]) => {
  const left = [...refusals]
  const at: number[] = []
  const node = await startNode((asked, now, outgoing) => {
    at.push(now)
    const refusal = left.shift()
    const answers = [asked].flat().map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
    if (!refusal) return void outgoing.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
    outgoing.writeHead(refusal.status, refusal.headers).end(refusal.body.replace('ID', String([asked].flat()[0]!.id)))
  })
  return { ...node, at }
}

/**
 * One that answers so many questions a second, and counts each of a batch, as Alchemy's and QuickNode's documents of
 * batches say. What is above that is refused: the rest of a batch, or all of it.
 */
const startQuota = async (quota: number, refused: 'some of a batch' | 'all of a batch') => {
  const batches: number[] = []
  let [second, left] = [0, quota]
  const node = await startNode((asked, now, outgoing) => {
    const all = [asked].flat()
    batches.push(all.length)
    if (Math.floor(now / 1_000) > second) [second, left] = [Math.floor(now / 1_000), quota]
    const taken = refused === 'all of a batch' && all.length > left ? 0 : Math.min(left, all.length)
    left -= taken
    const said = { code: 429, message: 'Your app has exceeded its compute units per second capacity' }
    const answers = all.map(({ id }, at) => ({
      jsonrpc: '2.0',
      id,
      ...(at < taken ? { result: '0x1' } : { error: said }),
    }))
    outgoing.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  })
  return { ...node, batches }
}

const call = { method: 'eth_blockNumber', params: [] }
describe('audit D-E5: row E-59: a refusal for the rate of questions', () => {
  test.each(PROVIDERS)('%s: the question is asked again after the pause', async (_who, refusal, pauseMs) => {
    const { rpc, at } = await start([refusal])
    expect(await rpc.ask(call)).toEqual({ ok: true, result: '0x1' })
    expect(at).toEqual([0, pauseMs])
  })

  test('all other questions wait as well', async () => {
    const { rpc, at } = await start([{ status: 429, headers: { 'retry-after': '5' }, body: '' }])
    await expect(rpc.ask(call, { attempts: 1 })).rejects.toThrow('ETHEREUM: eth_blockNumber: HTTP 429')
    await rpc.askAll([call, call])
    expect(at).toEqual([0, 5_000])
  })

  test('a pause doubles with each refusal, and ends as an error', async () => {
    const refusal = { status: 200, body: error(-32005, 'rate limit exceeded') }
    const { rpc, at } = await start([refusal, refusal, refusal])
    await expect(rpc.ask(call)).rejects.toMatchObject({
      name: 'ChainUnavailable',
      message: 'ETHEREUM: eth_blockNumber: rate limit exceeded (-32005)',
    })
    expect(at).toEqual([0, 1_000, 3_000])
  })

  test('a long pause applies without waiting for it, and at most for 10 minutes', async () => {
    const { rpc, at, pass } = await start([{ status: 429, headers: { 'retry-after': '86400' }, body: '' }])
    await expect(rpc.ask(call)).rejects.toThrow('is left alone for 600 s more')
    await expect(rpc.ask(call)).rejects.toThrow('is left alone for 600 s more')
    pass(10 * 60_000)
    expect(await rpc.ask(call)).toMatchObject({ ok: true })
    expect(at).toEqual([0, 600_000])
  })

  test('a batch that has more questions than the node answers in a time is asked for in parts', async () => {
    const { rpc, batches } = await startQuota(30, 'some of a batch')
    expect(await rpc.askAll(Array.from({ length: 100 }, () => call))).toHaveLength(100)
    expect(batches).toEqual([100, 30, 30, 30, 10, 10])
  })

  test('so is one that is refused as a whole each time, as it counts for all its questions', async () => {
    const { rpc, batches } = await startQuota(30, 'all of a batch')
    expect(await rpc.askAll(Array.from({ length: 100 }, () => call))).toHaveLength(100)
    expect(batches).toEqual([100, 100, 50, 50, ...Array.from({ length: 7 }, () => 25)])
  })

  test('a request with one attempt is not repeated', async () => {
    const { rpc, at } = await start([{ status: 200, body: error(-32016, 'over rate limit') }])
    await expect(
      rpc.ask({ method: 'eth_sendRawTransaction', params: ['0x00'] }, { attempts: 1 }),
    ).rejects.toMatchObject({ name: 'ChainUnavailable' })
    expect(at).toEqual([0])
  })

  test.each([
    [-32005, 'Transaction gas limit exceeds block gas limit of 30000000'],
    [-32005, 'batch limit 100 exceeded (can increase by --rpc.batch.limit)'],
    [-32005, 'query returned more than 10000 results'],
    [-32000, 'account limit exceeded: pending 16'],
  ])('no other limit is taken for it: %i %s', async (code, message) => {
    const { rpc, at } = await start([{ status: 200, body: error(code, message) }])
    expect(await rpc.ask(call)).toEqual({ ok: false, code, message })
    expect(at).toEqual([0])
  })
})
