/**
 * Requests of adapters to real nodes and their answers, stored in `recorded/conversations.json` of each chain
 * (`recording.slow.test.ts` writes it), and a server that says it again with one answer changed. Only tests of these
 * adapters use it.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { mutatedJson, type Mutation } from '../../../../test/world/mutations.ts'
import type { Timer } from './pauses.ts'
import { ChainUnavailable, type Block, type ChainAdapter, type Head, type TransactionStatus } from './port.ts'

/** One request and its answer: bodies as text. */
export interface Exchanged {
  path: string
  asked: string
  answered: string
}

export interface Conversation {
  operation: string
  exchanges: Exchanged[]
}

export interface Recording<World> {
  source: string
  /** addresses, hashes and heights that the operations name */
  world: World
  conversations: Conversation[]
}

/** A call of an adapter, and the check of any result. */
export interface Operation<Adapter, World, Result = unknown> {
  run(adapter: Adapter, world: World): Promise<Result>
  /** Fails for a result of another shape or range. */
  check(result: Result, world: World): void
  /**
   * The money that a result reports, as texts: none may be reported for an answer of which one value is of another type
   * that the right answer does not report.
   */
  money?(result: Result): string[]
  /** Methods that the node refuses, so that another way is taken. */
  without?: readonly string[]
}

export const operation = <Adapter, World, Result>(
  given: Operation<Adapter, World, Result>,
): Operation<Adapter, World> => given as Operation<Adapter, World>

/** Operations that every adapter has. @param hashes the form of the chain's block hashes */
export const headOperations = <Adapter extends Pick<ChainAdapter, 'head' | 'finalized'>, World>(hashes: RegExp) => ({
  head: operation<Adapter, World, Head>({
    run: (adapter) => adapter.head(),
    check: (head) => checkHead(head, hashes),
  }),
  finalized: operation<Adapter, World, Head>({
    run: (adapter) => adapter.finalized(),
    check: (head) => checkHead(head, hashes),
  }),
})

/** The hash of a block of the main chain, on chains of accounts. */
export const hashOperation = <Adapter extends Pick<ChainAdapter, 'hashAt'>, World extends { height: number }>(
  hashes: RegExp,
) =>
  operation<Adapter, World, string | null>({
    run: (adapter, { height }) => adapter.hashAt(height),
    check: (hash) => (hash === null ? undefined : expect(hash).toMatch(hashes)),
  })

/** Retries at once. */
export const NO_PAUSES: Timer = { now: () => 0, sleep: async () => {} }

export const readRecording = <World>(folder: string): Recording<World> =>
  JSON.parse(readFileSync(join(folder, 'recorded', 'conversations.json'), 'utf8')) as Recording<World>

export const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const keyOf = (path: string, asked: string): string => `${path} ${asked}`

/** A node with the recorded answers, with some answers in place of the recorded ones; anything else it refuses. */
export const startRecorded = async (): Promise<{
  url: string
  say(conversation: Conversation, instead?: ReadonlyMap<Exchanged, string>): void
  close(): Promise<void>
}> => {
  let answers = new Map<string, string>()
  const server = createServer(async (incoming, outgoing) => {
    const said = answers.get(keyOf(incoming.url ?? '/', await bodyOf(incoming)))
    if (said === undefined)
      outgoing.writeHead(404).end('{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"x"}}')
    else outgoing.end(said)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    say: ({ exchanges }, instead = new Map()) => {
      answers = new Map(exchanges.map((one) => [keyOf(one.path, one.asked), instead.get(one) ?? one.answered]))
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An exchange of a conversation with its answer changed. */
export const mutatedIn = ({ exchanges }: Conversation): fc.Arbitrary<{ of: Exchanged; mutation: Mutation }> =>
  fc.oneof(
    ...exchanges
      .filter(({ answered }) => /^[[{]/.test(answered))
      .map((of) =>
        mutatedJson(of.answered).map((mutation) => ({
          of,
          mutation,
          [fc.toStringMethod]: () => `${of.path} ${of.asked}: ${differenceOf(of.answered, mutation.text)}`,
        })),
      ),
  )

/** The answer to the first request that names a method, with a piece of its text replaced. */
export const replacedIn = (
  { exchanges }: Conversation,
  method: string,
  piece: RegExp,
  by: string,
): ReadonlyMap<Exchanged, string> => {
  const of = exchanges.find(({ path, asked }) => `${path} ${asked}`.includes(method))
  if (!of || !piece.test(of.answered)) throw new Error(`${method} is not answered by ${String(piece)}`)
  return new Map([[of, of.answered.replace(piece, by)]])
}

const SHOWN = 300

/** The first place where two texts differ, with what is around it. */
const differenceOf = (before: string, after: string): string => {
  const at = Array.from(before).findIndex((character, place) => after[place] !== character)
  const from = Math.max(0, at - SHOWN / 3)
  return `${before.slice(from, from + SHOWN)}\n→ ${after.slice(from, from + SHOWN)}`
}

/** Calls an operation: its result, or undefined if the adapter does not believe the node. Fails for any other error. */
export const attempt = async <Adapter, World>(
  { run }: Operation<Adapter, World>,
  adapter: Adapter,
  world: World,
): Promise<{ result: unknown } | undefined> => {
  try {
    return { result: await run(adapter, world) }
  } catch (error) {
    if (error instanceof ChainUnavailable) return undefined
    throw error
  }
}

/** Money as texts, without senders, which no amount follows from. */
export const moneyIn = (block: Block | null): string[] =>
  (block?.transactions ?? []).flatMap(({ hash, transfers }) =>
    transfers.map(({ index, contract, to, units }) => [hash, index, contract, to, units].join(' ')),
  )

export const checkHead = ({ height, hash }: Head, hashes: RegExp): void => {
  checkCount(height)
  expect(hash).toMatch(hashes)
}

/** @param checkFee checks the fee of a mined transaction */
export const checkStatus = (status: TransactionStatus, hashes: RegExp, checkFee: (fee: bigint) => void): void => {
  expect(['unknown', 'mempool', 'mined']).toContain(status.kind)
  if (status.kind !== 'mined') return
  checkHead({ height: status.height, hash: status.blockHash }, hashes)
  checkFee(status.fee)
}

export const checkCount = (count: number): void => {
  expect(Number.isSafeInteger(count) && count >= 0, String(count)).toBe(true)
}

/** The largest number that the ledger can hold has 78 digits, one of 256 bits at most. */
const MOST_UNITS = 2n ** 256n - 1n

export const checkUnits = (units: bigint): void => {
  expect(typeof units).toBe('bigint')
  expect(units >= 0n && units <= MOST_UNITS, String(units)).toBe(true)
}

/** @param isAddress whether a text is an address of the network, in its canonical form */
export const checkBlock = (
  block: Block,
  hashes: RegExp,
  isAddress: (text: string) => boolean,
  tokens: readonly string[],
): void => {
  checkHead(block, hashes)
  expect(block.parent).toMatch(hashes)
  checkCount(block.time)
  const transfers = new Set<string>()
  for (const transaction of block.transactions) {
    expect(transaction.hash).toMatch(hashes)
    expect(typeof transaction.succeeded).toBe('boolean')
    if (transaction.fee !== null) checkUnits(transaction.fee)
    if (!transaction.succeeded) expect(transaction.transfers).toEqual([])
    for (const { index, contract, from, to, units } of transaction.transfers) {
      expect(index).toMatch(/^(?:n|f|[olw]:\d+|t:(?:\d+|0x[0-9a-fA-F]{40}|l:\d+))$/)
      expect([null, ...tokens]).toContain(contract)
      for (const address of [...from, to]) expect(isAddress(address), address).toBe(true)
      checkUnits(units)
      expect(units).not.toBe(0n)
      transfers.add(`${transaction.hash} ${index}`)
    }
  }
  // A transfer is credited once under its name: two of one name would be one of the two.
  expect(transfers.size).toBe(block.transactions.reduce((sum, one) => sum + one.transfers.length, 0))
}
