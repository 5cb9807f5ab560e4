/**
 * Several nodes of one network behind one port. Guarantees that a block, a final block, a used nonce and the end of a
 * payment count only if a quorum of the nodes gives the same answer, and that a transaction is sent to every node.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Block, Head, Network } from '@bursar/chainkit'
import {
  ChainUnavailable,
  type AccountChainAdapter,
  type BroadcastResult,
  type ChainAdapter,
  type CoinChainAdapter,
  type TransactionStatus,
  type TronChainAdapter,
} from '../port.ts'
import { createAsking, type Asking, type OneNode, type Outcome } from './asking.ts'
import { NodeRecord, type NodeStatus } from './node-record.ts'

export type { NodeStatus } from './node-record.ts'

type AnyAdapter = ChainAdapter | CoinChainAdapter | AccountChainAdapter | TronChainAdapter
type Closing = { close(): Promise<void> }
type Method = Exclude<keyof CoinChainAdapter | keyof AccountChainAdapter | keyof TronChainAdapter, 'network'>

export interface SeveralSettings {
  network: Network
  /** in the order of the settings; at least one */
  nodes: readonly { name: string; adapter: AnyAdapter & Closing }[]
  /** nodes that must give the same answer; at most the number of nodes */
  quorum: number
  /** value of `ChainAdapter.identity` on the right chain */
  identity: string
  /** monotonic, in ms */
  now?(): number
}

/** An adapter over several nodes, which says how each of them is doing. */
export type SeveralNodes = AnyAdapter & Closing & { statuses(): NodeStatus[] }

/**
 * Which nodes answer a question. `quorum`: all are asked, and a quorum must agree; for answers that never change, or
 * that decide whether money is credited or given back, balances included. `first`: one node answers; for answers that
 * change with every block, for estimates, and for reports. `found`: like `first`, but another node is asked while the
 * answer is null. `own`: see below.
 */
const WAYS = {
  identity: 'first',
  capabilities: 'own',
  head: 'own',
  finalized: 'own',
  blockAt: 'own',
  hashAt: 'quorum',
  mempool: 'first',
  statusOf: 'own',
  broadcast: 'own',
  feeRate: 'first',
  balancesAt: 'quorum',
  coinsAt: 'quorum',
  scan: 'first',
  wouldTake: 'first',
  broadcastWithParent: 'own',
  ancestorsOf: 'found',
  poolCost: 'found',
  rawTransactions: 'first',
  stateFrom: 'first',
  minedNonce: 'first',
  minedNonceIn: 'quorum',
  estimateGas: 'first',
  isContract: 'first',
  codeAt: 'first',
  callDelegated: 'first',
  isFrozen: 'first',
  tokenDecimals: 'first',
  reference: 'first',
  resourcesOf: 'first',
  isActivated: 'first',
  estimateCost: 'first',
  isProvenDead: 'own',
  balancesAtFinal: 'quorum',
  mostAtFinal: 'own',
  stakeOf: 'first',
  lendable: 'first',
  loanOf: 'first',
  supplyFor: 'first',
} as const satisfies Record<Method, 'quorum' | 'first' | 'found' | 'own'>

/** Blocks behind the head that a quorum has from which a node is left out: one to two minutes, on Bitcoin hours. */
const MOST_BEHIND: Readonly<Record<Network, number>> = {
  BITCOIN: 2,
  ETHEREUM: 8,
  BINANCE_SMART_CHAIN: 60,
  TRON: 30,
}
/** While nodes are on two branches, their last common block is looked for this far below their heads. */
const DEEPEST_BRANCH = 8

/** Joins the nodes of one network. With one node, the quorum is that node. */
export const joinNodes = ({
  network,
  nodes: given,
  quorum,
  identity,
  now = () => performance.now(),
}: SeveralSettings): SeveralNodes => {
  if (quorum < 1 || quorum > given.length) throw new RangeError(`a quorum of ${quorum} of ${given.length} nodes`)
  const nodes = given.map(({ name, adapter }): OneNode => {
    return { name, adapter, record: new NodeRecord(MOST_BEHIND[network]) }
  })
  const asking = createAsking({ network, nodes, quorum, identity, now })
  const own: Partial<Record<Method, unknown>> = {
    ...questionsOf(network, asking, quorum),
    ...sendingTo(asking),
    isProvenDead: (hash: string, expiration: number) => isProvenDead(asking, quorum, hash, expiration),
    mostAtFinal: () =>
      Math.min(...nodes.map(({ adapter }) => (adapter as TronChainAdapter).mostAtFinal?.() ?? Infinity)),
  }
  const methods = Object.entries(WAYS)
    .filter(([method]) => method in given[0]!.adapter)
    .map(([method, way]) => [method, way === 'own' ? own[method as Method] : asked(asking, method, way)])
  return {
    network,
    ...(Object.fromEntries(methods) as Omit<AnyAdapter, 'network'>),
    close: async () => {
      await Promise.all(given.map(({ adapter }) => adapter.close()))
    },
    statuses: () => nodes.map(({ name, record }) => ({ node: name, ...record.status(now()) })),
  } as SeveralNodes
}

/** The port's method that puts its question in one of the ways that are not `own`. */
const asked = (asking: Asking, method: string, way: 'quorum' | 'first' | 'found') => {
  return (...given: unknown[]): Promise<unknown> => {
    const ask = (adapter: ChainAdapter): Promise<unknown> =>
      (adapter as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]!(...given)
    if (way === 'quorum') return asking.quorum(`${method} ${String(given[0])}`, ask)
    return asking.first(ask, (answer) => way === 'first' || answer !== null)
  }
}

const questionsOf = (network: Network, asking: Asking, quorum: number): Partial<ChainAdapter> => {
  /** The newest block that a quorum has. Final blocks that differ are a contradiction; newer ones are two branches. */
  const agreedBlock = async (heads: readonly Head[], areFinal: boolean): Promise<Head> => {
    const newest = heads.map((one) => one.height).toSorted((a, b) => b - a)[quorum - 1]!
    const lowest = areFinal ? newest : Math.max(0, newest - DEEPEST_BRANCH)
    for (let height = newest; ; height -= 1)
      try {
        const hash = await asking.quorum(
          `block ${height}`,
          (adapter) => adapter.hashAt(height),
          (answer, agreed) => areFinal && answer !== null && answer !== agreed,
        )
        if (hash !== null) return { height, hash }
        throw new ChainUnavailable(`${network}: a quorum of nodes does not have block ${height}`)
      } catch (error) {
        if (!(error instanceof ChainUnavailable) || height === lowest) throw error
      }
  }
  const reported = async (ask: (adapter: ChainAdapter) => Promise<Head>): Promise<(Head & { node: OneNode })[]> => {
    const outcomes = await asking.all(ask)
    const heads = outcomes.flatMap((one) => ('value' in one ? [{ ...one.value, node: one.node }] : []))
    if (heads.length < quorum) throw tooFew(network, quorum, outcomes)
    return heads
  }
  return {
    capabilities: async () => {
      const outcomes = await asking.all((adapter) => adapter.capabilities())
      const found = outcomes.flatMap((one) => ('value' in one ? [one.value] : []))
      if (found.length < quorum) throw tooFew(network, quorum, outcomes)
      return { mempool: found.some((one) => one.mempool), traces: found.filter((one) => one.traces).length >= quorum }
    },
    head: async () => {
      const heads = await reported((adapter) => adapter.head())
      const agreed = await agreedBlock(heads, false)
      // A node that names a block far ahead does not make the others late, and is left out itself.
      for (const { node, height } of heads) node.record.isAway(height - agreed.height)
      return agreed
    },
    finalized: async () => agreedBlock(await reported((adapter) => adapter.finalized()), true),
    blockAt: (height) =>
      asking.quorum(
        `block ${height}`,
        (adapter) => adapter.blockAt(height),
        (answer, agreed) => hasOtherContent(answer, agreed),
      ),
    statusOf: (hash) => statusOf(asking, quorum, hash),
  }
}

/** Whether two nodes show one block with different content, although both show all of it. */
const hasOtherContent = (a: Block | null, b: Block | null): boolean =>
  isWhole(a) && isWhole(b) && a.hash === b.hash && !isDeepStrictEqual(a, b)

const isWhole = (block: Block | null): block is Block => block !== null && !block.untraced && !block.isUnproven

const tooFew = (network: Network, quorum: number, outcomes: readonly Outcome<unknown>[]): ChainUnavailable => {
  const reasons = outcomes.flatMap((one) => ('error' in one ? [`${one.node.name}: ${one.error.message}`] : []))
  const answers = outcomes.length - reasons.length
  return new ChainUnavailable(`${network}: ${answers} nodes answer, and ${quorum} must. ${reasons.join('. ')}`)
}

/**
 * A quorum must agree that a transaction is in a block, or that it is nowhere. It is in the pool if one node has it
 * there and none says that it is in a block: it may still be mined, whatever the others know.
 */
const statusOf = async (asking: Asking, quorum: number, hash: string): Promise<TransactionStatus> => {
  const outcomes = await asking.all((adapter) => adapter.statusOf(hash))
  const found = outcomes.flatMap((one) => ('value' in one ? [one.value] : []))
  const agreed = found.find((status) => found.filter((one) => isDeepStrictEqual(one, status)).length >= quorum)
  if (agreed?.kind === 'mined') return agreed
  if (found.every(({ kind }) => kind !== 'mined')) {
    if (found.some(({ kind }) => kind === 'mempool')) return { kind: 'mempool' }
    if (agreed) return agreed
  }
  throw new ChainUnavailable(`no ${quorum} of ${outcomes.length} nodes agree about transaction ${hash}`)
}

/** Nodes that lag say false, which proves nothing; a quorum must say true. */
const isProvenDead = async (asking: Asking, quorum: number, hash: string, expiration: number): Promise<boolean> => {
  const outcomes = await asking.all((adapter) => (adapter as TronChainAdapter).isProvenDead(hash, expiration))
  const answers = outcomes.flatMap((one) => ('value' in one ? [one.value] : []))
  if (answers.length < quorum) throw tooFew('TRON', quorum, outcomes)
  return answers.filter(Boolean).length >= quorum
}

const sendingTo = (asking: Asking): Pick<CoinChainAdapter, 'broadcast' | 'broadcastWithParent'> => ({
  broadcast: async (raw) => resultOf(await asking.all((adapter) => adapter.broadcast(raw), isAccepted)),
  broadcastWithParent: async (parent, child) =>
    resultOf(
      await asking.all((adapter) => (adapter as CoinChainAdapter).broadcastWithParent(parent, child), isAccepted),
    ),
})

/** The transaction is on its way once one node has it; the others get it nevertheless. */
const isAccepted = (outcomes: readonly Outcome<BroadcastResult>[]): boolean =>
  outcomes.some((one) => 'value' in one && one.value.kind === 'accepted')

/** The strongest answer to a broadcast. Throws the first error if no node answers. */
const resultOf = (outcomes: readonly Outcome<BroadcastResult>[]): BroadcastResult => {
  const results = outcomes.flatMap((one) => ('value' in one ? [one.value] : []))
  if (results.length === 0) throw (outcomes[0] as { error: Error }).error
  const rank = (result: BroadcastResult): number =>
    result.kind === 'accepted' ? 0 : result.kind === 'conflict' ? 1 : result.reason === 'later' ? 2 : 3
  return results.toSorted((a, b) => rank(a) - rank(b))[0]!
}
