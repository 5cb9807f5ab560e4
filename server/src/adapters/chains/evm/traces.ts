import type { Head } from '@bursar/chainkit'
import type { ChainUnavailable } from '../port.ts'
import type { Rpc } from '../rpc.ts'
import { WrongTracer } from './balance-changes.ts'
import { readHead, readHeadAt } from './heads.ts'
import type { Receipt } from './receipts.ts'
import { isStateGone, isTooMuch, type Refusal } from './trace-questions.ts'
import { findWay, mayCallInside, readTraces, tryCalls, type Reading, type Way } from './trace-ways.ts'
import type { Trace } from './transaction.ts'

/** What a block's transactions did to balances. */
interface Traces {
  /** undefined for a transaction that was not asked for, or could not be shown */
  traces: (Trace | undefined)[]
  /** true when a node that should show what contracts did could not, or not all of it */
  untraced: boolean
}

/**
 * Asks what contracts did. Promises that a block which can't be traced never stops the chain: on a node whose head
 * moves on it is given up after some tries, and what it lacks is found by balances.
 */
export interface Tracing {
  /** Whether the node shows what contracts did. Throws `ChainUnavailable` while that is not known. */
  isShown(): Promise<boolean>
  /**
   * The traces of a block; undefined when it is no longer on the best chain. Throws `ChainUnavailable` when asking
   * again later may help.
   */
  read(block: Head, hashes: readonly string[], receipts: readonly Receipt[]): Promise<Traces | undefined>
}

/** A full node keeps the states of more blocks than this: go-ethereum and bsc of 128. */
const KEPT_STATES = 64
/**
 * So often in a row a question is refused before the chain goes on without an answer: some seconds as the watcher asks.
 */
const TRIES = 3
/** The same of a refusal that is said to pass: some minutes. */
const TRIES_WHEN_BUSY = 10
/** After which time a node is asked again whether it traces, in ms. */
const AGAIN_MS = 60 * 60_000
const AGAIN_WHEN_BUSY_MS = 60_000
/** Blocks that were refused are remembered, the newest of them. */
const MOST_REMEMBERED = 1_000

const triesOf = (refusal: Refusal): number => (isTooMuch(refusal) ? TRIES_WHEN_BUSY : TRIES)

/** @param now ms, of a clock that never goes back */
export const createTracing = (rpc: Rpc, now: () => number): Tracing => {
  let way: Way | undefined
  /** the node should trace and does not: until then it is not asked */
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
    // Blocks are read side by side: one of them asks for all.
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
      // The node had no transaction to show before: this block says what it can do.
      const other = settle(
        by === 'calls' ? 'never' : await tryCalls(rpc, hashes[receipts.findIndex(mayCallInside)]),
        true,
      )
      return other === 'silent' ? other : readTraces(rpc, other, block.hash, hashes, receipts)
    }
  }

  /** Whether a block has been refused so often, on a chain that grows meanwhile, that waiting brings nothing. */
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
      // Behind a balancer, one machine may have the state that another one has not.
      if (found !== 'silent' && found.refusal && isStateGone(found.refusal)) found = await ask(block, hashes, receipts)
      if (found === 'silent') return { traces: nothing, untraced: true }
      const { traces, refusal } = found
      // A transaction that is asked for by its own hash is shown as it was in the block that the node has it in now.
      const isOfBlock = !refusal && traces.every((trace) => trace?.of !== 'inner')
      if (!isOfBlock && (await readHeadAt(rpc, block.height))?.hash !== block.hash) return undefined
      if (!refusal) {
        failing.delete(block.hash)
        return { traces, untraced: false }
      }
      const head = await readHead(rpc)
      if (isStateGone(refusal) && (refusal.isFinal || head.height - block.height > KEPT_STATES))
        return { traces, untraced: true }
      if (!isHopeless(block.hash, refusal, head.height)) throw unavailable(refusal, block)
      // Is it this block, or does the node trace no more?
      settle(await findWay(rpc), true)
      return { traces, untraced: true }
    },
  }
}
