/**
 * Tests against a node with faulty answers: an adapter must throw `ChainUnavailable` and never return invented data.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ChainUnavailable, type ChainAdapter } from '../port.ts'
import { startProxy, type Behaviour, type TestProxy } from '../test-proxy.ts'

export interface ChaosWorld<A extends ChainAdapter> {
  nodeUrl: string
  /**
   * Creates an adapter.
   * @param timeoutMs timeout of an answer
   */
  adapterAt(url: string, timeoutMs: number): A
  /** every query that calls the node, by name, with arguments that the node can answer */
  questions: Record<string, (adapter: A) => Promise<unknown>>
}

const FAULTS: Record<string, Behaviour> = {
  'HTTP 500 without a body': { status: 500, body: '' },
  'HTTP 429 in words': { status: 429, body: 'Too many requests' },
  'HTTP 503 as a page': { status: 503, body: '<html><body>Bad gateway</body></html>' },
  'HTTP 401': { status: 401, body: '' },
  'a page in place of JSON': { status: 200, body: '<!doctype html><title>Welcome</title>' },
  'an empty answer': { status: 200, body: '' },
  null: { status: 200, body: 'null' },
  'an empty list': { status: 200, body: '[]' },
  'an empty object': { status: 200, body: '{}' },
  'neither result nor error': { status: 200, body: '{"jsonrpc":"2.0","id":0}' },
  'an answer to another question': { status: 200, body: '{"jsonrpc":"2.0","id":77,"result":"0x1"}' },
  'an error without an id': {
    status: 200,
    body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}',
  },
  'a provider that has had enough': { refuse: { code: -32005, message: 'daily request count exceeded' } },
  'a node that is loading': { refuse: { code: -28, message: 'Loading block index...' } },
  'a number of the wrong kind': { change: () => -1.5 },
  nonsense: { change: () => 'nonsense' },
  'nonsense in an object': {
    change: () => ({ hash: 7, number: 'x', blocks: -1, confirmations: 'many', success: true, height: 0.5 }),
  },
  'half an answer': 'half',
  'a connection that breaks': 'reset',
  'an answer that is lost': 'lose',
  'no answer at all': 'hang',
}

/** Longer than an answer takes on a busy machine. */
const PATIENT_MS = 30_000

export const describeChaos = <A extends ChainAdapter>(name: string, makeWorld: () => Promise<ChaosWorld<A>>): void => {
  describe(name, () => {
    let world: ChaosWorld<A>
    let proxy: TestProxy
    beforeAll(async () => {
      world = await makeWorld()
      proxy = await startProxy(world.nodeUrl)
    })
    afterAll(() => proxy.close())

    /** Result of each query: an answer, or the beginning of its error. */
    const askAll = async (timeoutMs = PATIENT_MS): Promise<Record<string, string>> => {
      const questions = Object.entries(world.questions).map(async ([question, ask]): Promise<[string, string]> => [
        question,
        await ask(world.adapterAt(proxy.url, timeoutMs)).then(() => 'an answer', describeError),
      ])
      return Object.fromEntries(await Promise.all(questions))
    }
    const each = (outcome: unknown): Record<string, unknown> =>
      Object.fromEntries(Object.keys(world.questions).map((question) => [question, outcome]))

    test('questions have answers while the node is well', async () => {
      proxy.behave = () => 'pass'
      expect(await askAll()).toEqual(each('an answer'))
    })

    test.for(Object.entries(FAULTS))('%s', async ([, fault]) => {
      proxy.behave = () => fault
      expect(await askAll(fault === 'hang' ? 300 : PATIENT_MS)).toEqual(each('unavailable'))
    })

    test('B9 one bad answer is asked for again, but nothing is handed over twice', async () => {
      const outcomes: Record<string, string> = {}
      for (const [question, ask] of Object.entries(world.questions)) {
        let bad = 1
        proxy.asked = []
        proxy.behave = () => (bad-- > 0 ? { status: 502, body: 'Bad gateway' } : 'pass')
        outcomes[question] = await ask(world.adapterAt(proxy.url, PATIENT_MS)).then(() => 'an answer', describeError)
        if (question === 'broadcast') expect(proxy.asked).toHaveLength(1)
      }
      expect(outcomes).toEqual({ ...each('an answer'), broadcast: 'unavailable' })
    })

    test('no node at the address', async () => {
      const adapter = world.adapterAt('http://user:password@127.0.0.1:1/', PATIENT_MS)
      await expect(adapter.head()).rejects.toThrow(/ECONNREFUSED/)
      await expect(adapter.head()).rejects.toBeInstanceOf(ChainUnavailable)
    })
  })
}

/**
 * Describes an error, and asserts that it names network and method but not the node's URL, which may contain a password
 * or key.
 */
const describeError = (error: unknown): string => {
  const { message } = error as Error
  return error instanceof ChainUnavailable && /^[A-Z_]+: [a-zA-Z_]+: /.test(message) && !message.includes('://')
    ? 'unavailable'
    : String(error)
}
