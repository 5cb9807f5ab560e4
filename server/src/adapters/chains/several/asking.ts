import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Network } from '@bursar/chainkit'
import { ChainUnavailable, type ChainAdapter } from '../port.ts'
import type { NodeRecord } from './node-record.ts'

/** One node of several. */
export interface OneNode {
  /** host and port, without credentials */
  name: string
  adapter: ChainAdapter
  record: NodeRecord
}

/** What one node answered: a value, or why there is none. */
export type Outcome<T> = { node: OneNode; value: T } | { node: OneNode; error: Error }

export interface Asking {
  /**
   * Asks all nodes but those that keep failing, and returns their answers and errors. Once a quorum has answered, it
   * waits for the others for three
   * seconds at most. Never throws.
   * @param isEnough true ends the wait at once
   */
  all<T>(
    ask: (adapter: ChainAdapter) => Promise<T>,
    isEnough?: (outcomes: readonly Outcome<T>[]) => boolean,
  ): Promise<Outcome<T>[]>
  /**
   * Asks all nodes, and returns the answer that a quorum gives as soon as it is there. Throws `ChainUnavailable` when
   * no answer has a quorum.
   * @param about names the question in the error
   * @param contradicts whether an answer is a contradiction to that of the quorum, and not just older
   */
  quorum<T>(
    about: string,
    ask: (adapter: ChainAdapter) => Promise<T>,
    contradicts?: (answer: T, agreed: T) => boolean,
  ): Promise<T>
  /**
   * Asks one node after the other, first those whose status is good, and returns the first answer. A node that is
   * silent for three seconds does not delay the next one. Throws the last error when no node answers.
   * @param suffices false continues with the next node; the last answer is returned if none suffices
   */
  first<T>(ask: (adapter: ChainAdapter) => Promise<T>, suffices?: (answer: T) => boolean): Promise<T>
}

export interface AskingSettings {
  network: Network
  nodes: readonly OneNode[]
  /** nodes that must give the same answer */
  quorum: number
  /** value of `ChainAdapter.identity` on the right chain */
  identity: string
  /** monotonic, in ms */
  now(): number
}

/** Time for which the answer of a silent node is waited for, in ms, when others can answer. */
const SILENT_MS = 3_000

export const createAsking = ({ network, nodes, quorum, identity, now }: AskingSettings): Asking => {
  const ofRightChain = new Set<OneNode>()

  const requireRightChain = async (node: OneNode): Promise<void> => {
    if (ofRightChain.has(node)) return
    const found = await node.adapter.identity()
    node.record.isOfChain(found === identity ? undefined : found)
    if (found !== identity) throw new ChainUnavailable(`${network}: ${node.name} is a node of chain ${found}`)
    ofRightChain.add(node)
  }

  /** Asks one node, which must be of the right chain. Throws as its adapter does. */
  const one = async <T>(node: OneNode, ask: (adapter: ChainAdapter) => Promise<T>): Promise<T> => {
    try {
      await requireRightChain(node)
      const answer = await ask(node.adapter)
      node.record.answered()
      return answer
    } catch (error) {
      // An answer that no adapter expects is a failure of this node alone.
      node.record.failed((error as Error).message, now())
      throw error
    }
  }

  const outcomeOf = async <T>(node: OneNode, ask: (adapter: ChainAdapter) => Promise<T>): Promise<Outcome<T>> => {
    try {
      return { node, value: await one(node, ask) }
    } catch (error) {
      return { node, error: error as Error }
    }
  }

  const noQuorum = <T>(about: string, outcomes: readonly Outcome<T>[]): ChainUnavailable => {
    const silent = outcomes.flatMap((one) => ('error' in one ? [`${one.node.name}: ${one.error.message}`] : []))
    const answers = outcomes.length - silent.length
    const reason = silent.length > 0 ? `. ${silent.join('. ')}` : ''
    return new ChainUnavailable(
      `${network}: ${about}: ${answers} of ${nodes.length} nodes answer, and no ${quorum} of them agree${reason}`,
    )
  }

  return {
    all: async <T>(
      ask: (adapter: ChainAdapter) => Promise<T>,
      isEnough: (outcomes: readonly Outcome<T>[]) => boolean = () => false,
    ) => {
      const wanted = nodes.filter(({ record }) => !record.isLeftAlone(now()))
      const open = new Map((wanted.length < quorum ? nodes : wanted).map((node) => [node, outcomeOf(node, ask)]))
      const outcomes: Outcome<T>[] = []
      while (open.size > 0 && !isEnough(outcomes)) {
        const answers = outcomes.filter((one) => 'value' in one).length
        const outcome = await next(open.values(), answers < quorum ? undefined : SILENT_MS)
        if (outcome === undefined) {
          for (const { record } of open.keys()) record.failed(`no answer within ${SILENT_MS / 1_000} seconds`, now())
          break
        }
        open.delete(outcome.node)
        outcomes.push(outcome)
      }
      return outcomes
    },

    quorum: <T>(
      about: string,
      ask: (adapter: ChainAdapter) => Promise<T>,
      contradicts: (answer: T, agreed: T) => boolean = () => false,
    ) =>
      new Promise<T>((resolve, reject) => {
        const groups: { value: T; nodes: OneNode[] }[] = []
        const outcomes: Outcome<T>[] = []
        let agreed: { value: T } | undefined
        const compare = ({ node, value }: { node: OneNode; value: T }): void => {
          if (!agreed || isDeepStrictEqual(value, agreed.value)) return
          if (contradicts(value, agreed.value))
            node.record.contradicted(`its answer about ${about} differs from that of ${quorum} other nodes`, now())
        }
        const count = (outcome: Outcome<T>): void => {
          outcomes.push(outcome)
          if ('value' in outcome) {
            const group = groups.find(({ value }) => isDeepStrictEqual(value, outcome.value))
            if (group) group.nodes.push(outcome.node)
            else groups.push({ value: outcome.value, nodes: [outcome.node] })
            const most = group ?? groups.at(-1)!
            if (agreed) compare(outcome)
            else if (most.nodes.length >= quorum) {
              agreed = most
              resolve(most.value)
              for (const earlier of outcomes) if ('value' in earlier) compare(earlier)
            }
          }
          if (!agreed && outcomes.length === nodes.length) reject(noQuorum(about, outcomes))
        }
        for (const node of nodes) void outcomeOf(node, ask).then(count)
      }),

    first: async <T>(ask: (adapter: ChainAdapter) => Promise<T>, suffices: (answer: T) => boolean = () => true) => {
      const at = now()
      const ranked = nodes.toSorted((a, b) => Number(b.record.isPreferred(at)) - Number(a.record.isPreferred(at)))
      const open = new Map<OneNode, Promise<Outcome<T>>>()
      let last: Outcome<T> | undefined
      while (ranked.length + open.size > 0) {
        const node = ranked.shift()
        if (node) open.set(node, outcomeOf(node, ask))
        const outcome = await next(open.values(), ranked.length > 0 ? SILENT_MS : undefined)
        if (outcome === undefined) continue
        open.delete(outcome.node)
        if ('value' in outcome && suffices(outcome.value)) return outcome.value
        if (!last || 'value' in outcome) last = outcome
      }
      if ('value' in last!) return last.value
      throw last!.error
    },
  }
}

/** The first of these that settles; undefined when none does in time. */
const next = async <T>(open: Iterable<Promise<T>>, withinMs: number | undefined): Promise<T | undefined> => {
  if (withinMs === undefined) return Promise.race(open)
  const late = new AbortController()
  try {
    return await Promise.race([...open, sleep(withinMs, undefined, { signal: late.signal })])
  } finally {
    late.abort()
  }
}
