/**
 * A watcher as a process of its own, for tests that stop and kill it. It follows the chain that the test serves over
 * HTTP. `STOP_AT`: stops itself (SIGSTOP) when it has fetched that block and is about to apply it. Only tests of this
 * module use it.
 */
import { randomBytes } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import pino from 'pino'
import type { ChainAdapter } from '../../adapters/chains/port.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createWorld } from '../../../../test/world/deposits.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import { createLeadership, createWatcher, DEFAULT_WATCHER_SETTINGS } from './index.ts'

const { DATABASE_URL = '', CHAIN_URL = '', STOP_AT = '', SILENCE_MS = '1000' } = process.env

const ask = async (method: string, ...args: unknown[]): Promise<unknown> => {
  const answer = await fetch(CHAIN_URL, { method: 'POST', body: serialize({ method, args }) })
  const value: unknown = deserialize(Buffer.from(await answer.arrayBuffer()))
  if (method === 'blockAt' && String(args[0]) === STOP_AT) process.kill(process.pid, 'SIGSTOP')
  return value
}
const methods = ['identity', 'capabilities', 'head', 'finalized', 'blockAt', 'hashAt', 'mempool'] as const
const adapter = Object.fromEntries(methods.map((method) => [method, (...args: unknown[]) => ask(method, ...args)]))

const world = createWorld(DATABASE_URL)
const watcher = createWatcher({
  runtime: {
    db: world.db,
    clock: createClock(),
    newId: () => uuidv7(Date.now(), randomBytes(10)),
    log: pino({ level: 'info' }),
  },
  adapter: adapter as unknown as ChainAdapter,
  subscribers: [world.deposits],
  settings: {
    ...DEFAULT_WATCHER_SETTINGS.BITCOIN,
    network: 'BITCOIN',
    identity: 'BITCOIN-test',
    pollMs: 10,
    mostBlocks: 1,
    ahead: 1,
  },
  leadership: createLeadership({ url: DATABASE_URL, network: 'BITCOIN', silenceMs: Number(SILENCE_MS) }),
})
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
await watcher.run(stopping.signal)
await world.close()
