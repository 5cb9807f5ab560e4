import { afterEach, expect, test } from 'vitest'
import { createFaults, type FaultControl } from '../faults.ts'
import { createRandom } from '../../../sandbox/random.ts'
import type { Dialect } from './dialect.ts'
import { exactJson } from './exact-json.ts'
import { jsonRpc, paths, startNodeFront, type StartedNodeFront } from './front.ts'

const DIALECTS: readonly Dialect[] = [
  {
    name: 'few in a batch',
    aspect: 'batches',
    refuseBatch: ({ length }) => (length > 2 ? { status: 503, says: 'too many' } : undefined),
  },
  {
    name: 'old',
    aspect: 'envelope',
    answer: async () => ({ write: (id) => ({ status: 500, text: `old ${String(id)}` }) }),
  },
  { name: 'mute', aspect: 'calls', hinders: true, answer: async () => ({ result: 'nothing' }) },
]

let front: StartedNodeFront
const seen: string[] = []
const open = async (
  protocol = jsonRpc(),
  faults: FaultControl = createFaults(createRandom('front')),
): Promise<void> => {
  front = await startNodeFront({
    name: 'node',
    faults,
    dialects: DIALECTS,
    ask: async ({ method, params }, lag) => {
      seen.push(method)
      return { result: `${method} ${JSON.stringify(params)} ${lag}` }
    },
    head: async (lag) => 10 - lag,
    protocol,
  })
}
afterEach(async () => {
  await front.close()
  seen.length = 0
})
const post = async (body: unknown, path = '/') => {
  const answer = await fetch(front.url + path, { method: 'POST', body: JSON.stringify(body) })
  return { status: answer.status, text: await answer.text() }
}
const question = (id: number, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method: 'ask', params })

test('requests and batches are answered by their numbers, as of the lag', async () => {
  await open()
  front.lagBlocks = 2
  expect(JSON.parse((await post(question(7, 'a'))).text)).toEqual({ jsonrpc: '2.0', id: 7, result: 'ask ["a"] 2' })
  expect(JSON.parse((await post([question(1), question(2, 'b')])).text)).toEqual([
    { jsonrpc: '2.0', id: 1, result: 'ask [] 2' },
    { jsonrpc: '2.0', id: 2, result: 'ask ["b"] 2' },
  ])
})

test('a dialect refuses long batches, or writes its own envelope', async () => {
  await open()
  front.setDialect(['few in a batch'])
  expect(await post([question(1), question(2), question(3)])).toEqual({ status: 503, text: '"too many"' })
  expect(seen).toEqual([])
  expect((await post([question(1), question(2)])).status).toBe(200)
  front.setDialect(['old'])
  expect(await post(question(9))).toEqual({ status: 500, text: 'old 9' })
})

test('a mended node answers, without lag, in a dialect that may last', async () => {
  await open()
  front.setDialect(['few in a batch', 'mute'])
  front.lagBlocks = 3
  front.silent = true
  await expect(post(question(1))).rejects.toThrow()
  front.silent = false
  expect(JSON.parse((await post(question(1))).text)).toMatchObject({ result: 'nothing' })
  front.silent = true
  front.mend()
  expect(JSON.parse((await post(question(1))).text)).toMatchObject({ result: 'ask [] 0' })
  expect((await post([question(1), question(2), question(3)])).status).toBe(503)
})

test('a fault depends on the request, not on the number of requests', async () => {
  const faults = createFaults(createRandom('front'))
  await open(jsonRpc(), faults)
  faults.set('node', 0.5, ['http-500'])
  const statuses = async (first: number) => {
    faults.begin(1)
    const said: number[] = []
    for (let at = 0; at < 20; at += 1) said.push((await post(question(first + at, at))).status)
    return said
  }
  const once = await statuses(0)
  expect(new Set(once)).toEqual(new Set([200, 500]))
  expect(await statuses(1_000)).toEqual(once)
})

test('an API of paths names its method by the path, and has no envelope', async () => {
  await open(paths())
  expect(JSON.parse((await post({ num: 5 }, '/wallet/getblockbynum')).text)).toBe('wallet/getblockbynum [{"num":5}] 0')
})

test('numbers that no double holds pass as they are', () => {
  const text = '{"fee":0.00001000,"big":90071992547409930,"small":7,"list":[1e-8]}'
  expect(exactJson.stringify(exactJson.parse(text))).toBe(text)
})
