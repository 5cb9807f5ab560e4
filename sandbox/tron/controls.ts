/** Applies external events to a chain, one after the other. */
import type { Turns } from '../chains/turns.ts'
import { Refusal } from '../http/refusal.ts'
import type { Chain } from './blocks/chain.ts'
import { fork } from './blocks/fork.ts'
import type { Forked, ForkOrder } from './blocks/fork.ts'
import { openLag } from './blocks/lag.ts'
import type { NodeSettings, NodeState } from './http/settings.ts'
import { payFromFaucet } from './payments.ts'
import type { Payment } from './payments.ts'
import type { ParameterValues } from './resources/parameters.ts'
import type { Machine } from './vm/machine.ts'

interface Status {
  readonly height: number
  /** Ids of the newest and the newest solid block. */
  readonly id: string
  readonly solidHeight: number
  readonly solidId: string
  /** ms, of the newest block */
  readonly timestamp: number
  readonly pending: readonly string[]
  readonly holding: boolean
}

export interface TronControls {
  status(): Status
  mine(blocks?: number): Promise<Status>
  /** Throws a Refusal when the depth reaches solid blocks. */
  reorg(order: ForkOrder): Promise<Forked>
  /** Returns the transaction's id. Throws a Refusal. */
  fund(payment: Payment): Promise<string>
  advance(ms: number): Promise<Status>
  setParameters(changes: Partial<ParameterValues>): Promise<Status>
  hold(on: boolean): Promise<Status>
  forget(transactions: readonly string[]): Promise<Status>
  /**
   * The node lags so many blocks behind from now on. Until it is 0 again the chain cannot grow or fork, and payments of
   * the faucet are refused.
   */
  behind(blocks: number): Promise<Status>
  /** The settings and the state of the node from now on; a restart resets them. */
  setNode(changes: Partial<NodeSettings>): Promise<Status>
}

export interface ControlParts {
  readonly chain: Chain
  readonly machine: Machine
  readonly node: NodeState
  readonly inTurn: Turns
  readonly automine: boolean
  readonly advance: (ms: number) => void
}

export const openControls = ({ chain, machine, node, inTurn, automine, advance }: ControlParts): TronControls => {
  const status = (): Status => statusOf(chain)
  const lag = openLag(chain)
  const requireNewest = (): void => {
    if (lag.blocks() > 0) throw new Refusal(`the node lags ${lag.blocks()} blocks behind; let it catch up first`)
  }
  const noting = (work: () => Promise<unknown>): Promise<Status> =>
    inTurn(async () => {
      await work()
      return status()
    })
  const changing = (work: () => Promise<unknown>): Promise<Status> =>
    noting(async () => {
      requireNewest()
      await work()
    })
  return {
    status,
    mine: (blocks = 1) =>
      changing(async () => {
        for (let made = 0; made < blocks; made++) await chain.mine()
      }),
    reorg: (order) =>
      inTurn(async () => {
        requireNewest()
        const most = chain.branch.height() - chain.branch.solid().number
        if (order.depth > most) throw new Refusal(`depth: send 1 to ${most}; blocks before that are solid`)
        return fork(chain, order)
      }),
    fund: (payment) =>
      inTurn(async () => {
        requireNewest()
        const id = await payFromFaucet(chain, machine, payment)
        if (automine) await chain.mine()
        return id
      }),
    advance: (ms) =>
      changing(async () => {
        advance(ms)
        await chain.mine()
      }),
    setParameters: (changes) => changing(() => chain.mine(changes)),
    behind: (blocks) => noting(() => lag.set(blocks)),
    setNode: (changes) => noting(async () => node.change(changes)),
    hold: (on) => changing(async () => chain.hold(on)),
    forget: (transactions) =>
      changing(async () => {
        chain.pool.remove(transactions)
        await chain.pool.renew()
      }),
  }
}

const statusOf = ({ branch, pool, isHolding }: Chain): Status => ({
  height: branch.height(),
  id: branch.head().id,
  solidHeight: branch.solid().number,
  solidId: branch.solid().id,
  timestamp: branch.head().timestamp,
  pending: pool.list().map(({ id }) => id),
  holding: isHolding(),
})
