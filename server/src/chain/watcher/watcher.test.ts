import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useDb } from '../../../../test/world/database.ts'
import { ChainUnavailable, type ChainAdapter } from '../../adapters/chains/port.ts'
import { uuidv7 } from '../../platform/base/id.ts'
import { createClock } from '../../platform/runtime/clock.ts'
import {
  createLeadership,
  createWatcher,
  DEFAULT_WATCHER_SETTINGS,
  ForkTooDeep,
  watchStatus,
  WrongChain,
  type Watcher,
  type WatcherSettings,
} from './index.ts'
import { createTestChain, type TestChain } from './test-chain.ts'
import { createNotes } from './test-subscriber.ts'

const database = useDb()
const { db } = database
const NETWORK = 'ETHEREUM'
let chain: TestChain
let notes: Awaited<ReturnType<typeof createNotes>>
/** Added to the real clock. */
let later = 0
let lines: { msg: string; behind?: number; height?: number; head?: number }[] = []
const running: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  await sql`truncate watch_cursors, watch_blocks, alerts cascade`.execute(db)
  notes = await createNotes(db)
  chain = createTestChain(NETWORK, { finalDepth: 2 })
  later = 0
  lines = []
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()))
})

interface Running {
  watcher: Watcher
  /** what its run rejected with, or `stopped` */
  ended: Promise<unknown>
  stop(): Promise<void>
}

const start = (more: Partial<WatcherSettings> = {}, requireFit?: () => Promise<void>): Running => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const clock = createClock(() => Date.now() + later)
  const watcher = createWatcher({
    runtime: { db, clock, newId: () => uuidv7(Date.now(), randomBytes(10)), log },
    adapter: chain as unknown as ChainAdapter,
    subscribers: [notes.subscriber],
    settings: {
      ...DEFAULT_WATCHER_SETTINGS[NETWORK],
      network: NETWORK,
      identity: `${NETWORK}-test`,
      pollMs: 5,
      ...more,
    },
    leadership: createLeadership({ url: database.url, network: NETWORK, silenceMs: 2_000 }),
    ...(requireFit && { requireFit }),
  })
  const stopping = new AbortController()
  const ended = watcher.run(stopping.signal).then(
    () => 'stopped',
    (error: unknown) => error,
  )
  const stop = async () => {
    stopping.abort()
    await ended
  }
  running.push({ stop })
  return { watcher, ended, stop }
}
/** Waits for as long as a busy machine may take; a test has a minute more. */
const until = async (what: () => Promise<boolean> | boolean): Promise<void> => {
  await vi.waitUntil(what, { timeout: 240_000, interval: 10 })
}
const heightIs = (height: number) => until(async () => (await watchStatus(db))[0]?.height === height)
const alerts = async () =>
  (await sql<{ kind: string; text: string }>`select kind, text from alerts where resolved_at is null`.execute(db)).rows

test('follows the chain while it grows, and stops on request', async () => {
  const { watcher, stop, ended } = start()
  await heightIs(0)
  chain.mine()
  chain.mine()
  await heightIs(2)
  await until(() => watcher.progress().height === 2)
  const progress = { network: NETWORK, leading: true, head: 2, finalHeight: 0, etaSeconds: null }
  expect(watcher.progress()).toMatchObject(progress)
  await stop()
  expect(await ended).toBe('stopped')
  chain.mine()
  await sleep(30)
  expect((await watchStatus(db))[0]!.height).toBe(2)
})

test('follows nothing while its node lacks a required index, and begins by itself when the node has it', async () => {
  let asked = 0
  start({}, async () => {
    asked += 1
    if (asked < 3) throw new ChainUnavailable('the node has no index of transactions')
  })
  await until(() => asked === 2)
  expect(await watchStatus(db)).toEqual([])
  await heightIs(0)
  expect(asked).toBe(3)
})

// From memory, not checked: balancers send each question to any of their nodes, which are on two branches for a while.
test.each([
  { lengths: 'the same length', blocks: [[]] },
  { lengths: 'different lengths', blocks: [[], []] },
])(
  'row B-30: two nodes behind one address that are on two branches of $lengths raise an alert, which ends when they agree',
  async ({ blocks }) => {
    for (let mined = 0; mined < 3; mined += 1) chain.mine()
    start()
    await heightIs(3)
    const one = [...chain.blocks]
    chain.reorganise(1, blocks)
    const other = [...chain.blocks]
    const shows = async (branch: typeof one): Promise<void> => {
      chain.blocks = branch
      const { hash } = branch.at(-1)!
      await until(async () => {
        const { rows } = await sql<{ hash: string }>`select hash from watch_cursors where network = ${NETWORK}`.execute(
          db,
        )
        return rows[0]?.hash === hash
      })
    }
    const kinds = async () => (await alerts()).map(({ kind }) => kind)
    await shows(other)
    await shows(one)
    expect(await kinds(), 'a branch that wins after all').toEqual([])
    await shows(other)
    await until(async () => (await kinds()).includes('branches-alternate'))
    later += 11 * 60_000
    chain.mine()
    await until(async () => !(await kinds()).includes('branches-alternate'))
  },
)

test('two of them: one leads, the other takes over when it ends, and every block is shown once', async () => {
  const first = start()
  await heightIs(0)
  const second = start()
  chain.mine()
  await heightIs(1)
  expect([first.watcher.progress().leading, second.watcher.progress().leading]).toEqual([true, false])
  await first.stop()
  chain.mine()
  await heightIs(2)
  expect(second.watcher.progress().leading).toBe(true)
  const blocks = (await notes.read()).filter((text) => text.startsWith('block'))
  expect(blocks.map((text) => text.split(' ')[1])).toEqual(['1', '2'])
  expect((await watchStatus(db))[0]!.epoch).toBe(2)
})

test('a leader whose session is cut gives way, and comes back', async () => {
  const { watcher } = start()
  await heightIs(0)
  const session = `bursar watcher ${NETWORK}`
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${session}`.execute(db)
  await until(async () => (await watchStatus(db))[0]!.epoch === 2)
  chain.mine()
  await heightIs(1)
  expect(watcher.progress().leading).toBe(true)
})

test('says it again when it is silent under the next leader, and a watcher that only waits says nothing', async () => {
  const first = start({ staleAfterMs: 60_000 })
  await heightIs(0)
  start({ staleAfterMs: 60_000 })
  const silent = async () => {
    chain.silent = true
    later += 61_000
    await until(async () => (await alerts()).some(({ kind }) => kind === 'chain-stale'))
  }
  const grown = async () => {
    chain.silent = false
    chain.mine()
    await until(async () => (await alerts()).length === 0)
  }
  await silent()
  await grown()
  await first.stop()
  await until(async () => (await watchStatus(db))[0]!.epoch === 2)
  start({ staleAfterMs: 60_000 })
  await sleep(50)
  expect(await alerts()).toEqual([])
  await silent()
  await grown()
})

test('B8 refuses a node of another chain, with an alert', async () => {
  const { ended } = start({ identity: 'mainnet' })
  expect(await ended).toBeInstanceOf(WrongChain)
  const [alert] = await alerts()
  expect(alert!.kind).toBe('watcher-stopped')
  expect(alert!.text).toContain('not mainnet')
  expect(await watchStatus(db)).toEqual([])
  start()
  await heightIs(0)
  await until(async () => (await alerts()).length === 0)
})

test('stops below a fork deeper than it remembers, with an alert', async () => {
  for (let i = 0; i < 5; i += 1) chain.mine()
  const { ended } = start({ ringBlocks: 1 })
  await heightIs(5)
  chain.reorganise(4, [[], [], [], [], [], []])
  expect(await ended).toBeInstanceOf(ForkTooDeep)
  expect((await alerts()).map(({ kind }) => kind)).toContain('watcher-stopped')
  expect((await watchStatus(db))[0]!.height).toBe(5)
})

test('B7 outlives a silent node, says so after a while, and takes it back when the chain grows', async () => {
  start({ staleAfterMs: 60_000 })
  await heightIs(0)
  chain.silent = true
  await until(() => lines.some(({ msg }) => msg.startsWith('could not follow')))
  expect(await alerts()).toEqual([])
  later = 61_000
  await until(async () => (await alerts()).some(({ kind }) => kind === 'chain-stale'))
  chain.silent = false
  chain.mine()
  await heightIs(1)
  await until(async () => (await alerts()).length === 0)
})

test('says how far it is when it is far behind', async () => {
  for (let i = 0; i < 200; i += 1) chain.mine()
  start({ startHeight: 1, mostBlocks: 10 })
  await heightIs(200)
  const line = lines.find(({ msg }) => msg === 'catching up')
  expect(line).toMatchObject({ head: 200 })
  expect(line!.height).toBeGreaterThan(0)
})

test('alerts the operator of a repeated mistake of ours', async () => {
  start()
  await heightIs(0)
  chain.mine()
  notes.fail.at = `block 1 ${chain.blocks[1]!.hash}`
  await until(async () => (await alerts()).some(({ kind }) => kind === 'watcher-failing'))
  notes.fail.at = null
  await heightIs(1)
  await until(async () => (await alerts()).length === 0)
})

test('audit D-E6: says when no block becomes final any more, with the reason, and takes it back', async () => {
  const { finalized } = chain
  start({ finalStaleAfterMs: 60_000, staleAfterMs: 3_600_000 })
  await heightIs(0)
  chain.finalized = async () => {
    throw new ChainUnavailable('finalized block not found')
  }
  chain.mine()
  await heightIs(1)
  expect(await alerts()).toEqual([])
  later = 61_000
  await until(async () =>
    (await alerts()).some(
      ({ kind, text }) => kind === 'finality-stalled' && text.includes('finalized block not found'),
    ),
  )
  chain.finalized = finalized
  for (let i = 0; i < 3; i += 1) chain.mine()
  await heightIs(4)
  await until(async () => (await alerts()).length === 0)
})

/** bitcoind's words: rpc/protocol.h and rpc/blockchain.cpp; the first is ours for HTTP 401. */
test.each([
  "BITCOIN: getblockchaininfo: HTTP 401: check the user and password in the node's url",
  'BITCOIN: getblock: refused: Block not available (pruned data) (-1)',
  'BITCOIN: getblockchaininfo: HTTP 503 with an answer that is no JSON',
])(
  'audit D-B9: rows B-17 and B-21: a node that can not be read for minutes is named with its reason: %s',
  async (reason) => {
    const { head } = chain
    start({ unavailableAfterMs: 180_000, staleAfterMs: 7_200_000 })
    await heightIs(0)
    chain.head = async () => {
      throw new ChainUnavailable(reason)
    }
    await until(() => lines.some(({ msg }) => msg.startsWith('could not follow')))
    expect(await alerts()).toEqual([])
    later = 181_000
    await until(async () =>
      (await alerts()).some(({ kind, text }) => kind === 'node-unavailable' && text.includes(reason)),
    )
    chain.head = head
    chain.mine()
    await heightIs(1)
    await until(async () => (await alerts()).length === 0)
  },
)
