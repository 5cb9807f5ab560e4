import type { Head } from '@bursar/chainkit'
import type { ChainUnavailable } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { WrongTracer } from './balance-changes.ts'
import { readHead, readHeadAt } from './heads.ts'
import type { Receipt } from './receipts.ts'
import { isStateGone, isTooMuch, type Refusal } from './trace-questions.ts'
import { findWay, mayCallInside, readTraces, tryCalls, type Reading, type Way } from './trace-ways.ts'
import type { Trace } from './transaction.ts'

/** Balance changes by a block's transactions. */
interface Traces {
  /** undefined for a transaction that was not queried, or could not be traced */
  traces: (Trace | undefined)[]
  /** true when a node that should trace the block could not, at least in part */
  untraced: boolean
}

/**
 * Traces contracts. Guarantees that a block that can't be traced does not stop the chain: if the node's head keeps
 * moving, tracing the block is abandoned after some attempts, and the missing transfers are found by comparing
 * balances.
 */
export interface Tracing {
  /** Whether the node traces contracts. Throws `ChainUnavailable` while that is unknown. */
  isShown(): Promise<boolean>
  /**
   * The traces of a block; undefined when it is no longer on the best chain. Throws `ChainUnavailable` when a later
   * attempt may succeed.
   */
  read(block: Head, hashes: readonly string[], receipts: readonly Receipt[]): Promise<Traces | undefined>
}

/** Blocks whose state every full node has: go-ethereum and bsc keep 128. */
const AVAILABLE_STATES = 64
/** Consecutive refusals after which the chain continues without traces: some seconds at the watcher's pace. */
const TRIES = 3
/** Like `TRIES`, for a refusal that is said to be temporary: some minutes. */
const TRIES_WHEN_BUSY = 10
/** Interval at which a node that does not trace is tested again, in ms. */
const AGAIN_MS = 60 * 60_000
const AGAIN_WHEN_BUSY_MS = 60_000
/** Number of refused blocks to remember, the newest ones. */
const MOST_REMEMBERED = 1_000

const triesOf = (refusal: Refusal): number => (isTooMuch(refusal) ? TRIES_WHEN_BUSY : TRIES)

/** @param now ms of a monotonic clock */
export const createTracing = (rpc: Rpc, now: () => number): Tracing => {
  let way: Way | undefined
  /** the node should trace but does not; it is not queried before this time */
  let silentUntil = -Infinity
  let probing: Promise<Way | 'silent'> | undefined
  let refusals = 0
  const failing = new Map<string, { times: number; head: number }>()

  const unavailable = ({ code, message }: Refusal, block?: Head): ChainUnavailable =>
    rpc.unavailable(
      'debug_traceBlockByHash',
      `${message} (${code})${block ? ` for block ${block.height} of its best chain` : ''}`,
    )

  const leave = (refusal: Refusal): 'silent' => {
    way = undefined
    silentUntil = now() + (isTooMuch(refusal) ? AGAIN_WHEN_BUSY_MS : AGAIN_MS)
    return 'silent'
  }

  /** @param again whether the refusal is not the first */
  const settle = (found: Way | Refusal, again = false): Way | 'silent' => {
    if (typeof found !== 'object') {
      refusals = 0
      way = found
      return found
    }
    refusals += 1
    if (!again && refusals < triesOf(found)) throw unavailable(found)
    return leave(found)
  }

  const current = async (): Promise<Way | 'silent'> => {
    if (way) return way
    if (now() < silentUntil) return 'silent'
    // Blocks are read in parallel; they share one test.
    probing ??= findWay(rpc)
      .then(settle)
      .finally(() => (probing = undefined))
    return probing
  }

  const ask = async (
    block: Head,
    hashes: readonly string[],
    receipts: readonly Receipt[],
  ): Promise<Reading | 'silent'> => {
    const by = await current()
    if (by === 'silent') return by
    try {
      return await readTraces(rpc, by, block.hash, hashes, receipts)
    } catch (error) {
      if (!(error instanceof WrongTracer)) throw error
      // There was no transaction to test with before; this block shows the node's abilities.
      const other = settle(
        by === 'calls' ? 'never' : await tryCalls(rpc, hashes[receipts.findIndex(mayCallInside)]),
        true,
      )
      return other === 'silent' ? other : readTraces(rpc, other, block.hash, hashes, receipts)
    }
  }

  /** Whether a block was refused so often, while the chain grew, that waiting is pointless. */
  const isHopeless = (hash: string, refusal: Refusal, head: number): boolean => {
    const before = failing.get(hash) ?? { times: 0, head }
    const times = before.times + 1
    failing.delete(hash)
    failing.set(hash, { ...before, times })
    for (const oldest of failing.keys()) if (failing.size > MOST_REMEMBERED) failing.delete(oldest)
    return times >= triesOf(refusal) && head > before.head
  }

  return {
    isShown: async () => {
      const by = await current()
      return by === 'changes' || by === 'calls'
    },
    read: async (block, hashes, receipts) => {
      const nothing = hashes.map(() => undefined)
      if (rpc.believe('eth_getBlockReceipts', () => receipts.filter(mayCallInside)).length === 0)
        return { traces: nothing, untraced: false }
      let found = await ask(block, hashes, receipts)
      // Behind a load balancer, another machine may have the state.
      if (found !== 'silent' && found.refusal && isStateGone(found.refusal)) found = await ask(block, hashes, receipts)
      if (found === 'silent') return { traces: nothing, untraced: true }
      const { traces, refusal } = found
      // A query by transaction hash shows the transaction as executed in the block that contains it now.
      const isOfBlock = !refusal && traces.every((trace) => trace?.of !== 'inner')
      if (!isOfBlock && (await readHeadAt(rpc, block.height))?.hash !== block.hash) return undefined
      if (!refusal) {
        failing.delete(block.hash)
        return { traces, untraced: false }
      }
      const head = await readHead(rpc)
      if (isStateGone(refusal) && (refusal.isFinal || head.height - block.height > AVAILABLE_STATES))
        return { traces, untraced: true }
      if (!isHopeless(block.hash, refusal, head.height)) throw unavailable(refusal, block)
      // Find out whether only this block fails, or the node no longer traces.
      settle(await findWay(rpc), true)
      return { traces, untraced: true }
    },
  }
}
