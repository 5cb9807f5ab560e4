import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { pay, useDeposits, type Owned } from '../../../../test/world/deposits.ts'
import { auditLedger } from '../../ledger/postings/index.ts'
import { watchStatus } from './index.ts'
import { createTestChain, type TestChain } from './test-chain.ts'

const script = fileURLToPath(new URL('./test-process.ts', import.meta.url))
const BTC = 100_000_000n
const NET = BTC - 1_001_000n
const world = useDeposits()
let chain: TestChain
let server: Server
let chainUrl: string
let owned: Owned
const children = new Set<ChildProcess>()

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, args } = deserialize(Buffer.concat(chunks)) as { method: 'blockAt'; args: [number] }
      void chain[method](...args).then((value) => response.end(serialize(value)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  chainUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(async () => {
  chain = createTestChain('BITCOIN', { timeAt: () => Date.now() })
  owned = await world.address('BITCOIN')
})
afterEach(async () => {
  const running = [...children].filter((child) => child.exitCode === null && child.signalCode === null)
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(running.map((child) => once(child, 'exit')))
  children.clear()
})

const start = (more: Record<string, string> = {}): { child: ChildProcess; said(): string } => {
  const env = { ...process.env, DATABASE_URL: world.url, CHAIN_URL: chainUrl, ...more }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return { child, said: () => said }
}
/** Waits for as long as a busy machine may take; a test has a minute more. */
const until = async (what: () => Promise<boolean> | boolean): Promise<void> => {
  await vi.waitUntil(what, { timeout: 240_000, interval: 10 })
}
const height = async (): Promise<number> => (await watchStatus(world.db))[0]?.height ?? -1
const minePaying = (blocks: number, each = 1): void => {
  for (let i = 0; i < blocks; i += 1) chain.mine(Array.from({ length: each }, () => pay(owned.address, BTC)))
}
/** Every deposit on the chain is Done once and credited once. */
const converged = async (deposits: number): Promise<void> => {
  for (let i = 0; i < 6; i += 1) chain.mine()
  await until(async () => (await height()) === chain.blocks.length - 1)
  const seen = Map.groupBy(await world.notices(), ({ objectId }) => objectId)
  const statuses = [...seen.values()].map((notices) => notices.map(({ status }) => status).join())
  expect(statuses.filter((text) => text !== 'Pending')).toEqual(Array.from({ length: deposits }, () => 'Pending,Done'))
  expect(await world.balance(owned.merchantId, 'BTC')).toBe(NET * BigInt(deposits))
  expect(await auditLedger(world.db)).toEqual([])
}
/** `T` for a stopped process (proc(5)). */
const stateOf = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]![0]!

test('a leader stopped before it applies a block loses the lead, and writes nothing when it wakes', async () => {
  const first = start({ STOP_AT: '3' })
  await until(async () => (await height()) === 0)
  minePaying(2)
  await until(async () => (await height()) === 2)
  minePaying(1)
  await until(async () => (await stateOf(first.child.pid!)) === 'T')

  const second = start()
  await until(async () => (await height()) === 3)
  expect((await watchStatus(world.db))[0]!.epoch).toBe(2)
  first.child.kill('SIGCONT')
  await until(() => first.said().includes('led by another process'))
  minePaying(2)
  await converged(5)
  expect((await watchStatus(world.db))[0]!.epoch).toBe(2)
  expect(second.said()).not.toContain('could not follow')
})

test('killed again and again in the middle of blocks, while the chain reorganises, it converges', async () => {
  let deposits = 0
  let kills = 0
  const grow = (blocks: number): void => {
    minePaying(blocks, 3)
    deposits += blocks * 3
  }
  start()
  await until(async () => (await height()) === 0)
  for (let round = 0; round < 6; round += 1) {
    grow(40)
    const from = await height()
    for (const child of children) {
      await until(async () => (await height()) >= from + 5 + round)
      child.kill('SIGKILL')
      kills += 1
    }
    // The transactions of the lost blocks are mined again, in other blocks.
    const lost = chain.blocks.slice(-2 - (round % 3)).map(({ transactions }) => transactions)
    chain.reorganise(lost.length, [[], ...lost])
    children.clear()
    start()
  }
  await converged(deposits)
  expect(kills).toBe(6)
})
