/** The chain as one request sees it: the whole chain through /wallet, only solid blocks through /walletsolidity. */
import { bytesOf } from '../bytes.ts'
import type { Block } from '../blocks/block.ts'
import type { Branch, Located } from '../blocks/branch.ts'
import type { Chain } from '../blocks/chain.ts'
import { nextPlace } from '../blocks/maker.ts'
import type { Place } from '../blocks/execute.ts'
import type { RawTransaction } from '../codec/transaction.ts'
import type { Contract } from '../codec/contracts.ts'
import type { Context } from '../contracts/index.ts'
import { slotOf } from '../resources/usage.ts'
import { parametersOf } from '../state/records.ts'
import { layeredState } from '../state/state.ts'
import type { State } from '../state/state.ts'
import type { Machine } from '../vm/machine.ts'
import { openNodeState } from './settings.ts'
import type { NodeState } from './settings.ts'

export interface View {
  readonly chain: Chain
  readonly branch: Branch
  readonly machine: Machine
  readonly node: NodeState
  readonly solidOnly: boolean
  readonly newest: Block
  /** A separate state, which may be changed. */
  readonly state: State
  readonly slot: bigint
  readonly blockAt: (number: bigint) => Block | undefined
  readonly blockBy: (id: string) => Block | undefined
  readonly transaction: (id: string) => Located | undefined
  readonly context: Context
  readonly place: Place
}

export const openView = (
  chain: Chain,
  machine: Machine,
  solidOnly: boolean,
  node: NodeState = openNodeState({}),
): View => {
  const { branch } = chain
  const newest = solidOnly ? branch.solid() : branch.head()
  const state = layeredState(solidOnly ? branch.readSolid : branch.read)
  const now = BigInt(newest.timestamp)
  const seen = <T>(found: T | undefined, block: Block | undefined): T | undefined =>
    block !== undefined && block.number <= newest.number ? found : undefined
  return {
    chain,
    branch,
    machine,
    node,
    solidOnly,
    newest,
    state,
    slot: slotOf(now),
    blockAt: (number) => {
      const block = number < 0n || number > BigInt(newest.number) ? undefined : branch.at(Number(number))
      return block
    },
    blockBy: (id) => {
      const block = branch.byId(id.toLowerCase())
      return seen(block, block)
    },
    transaction: (id) => {
      const located = branch.transaction(id.toLowerCase())
      return seen(located, located?.block)
    },
    context: { state, values: parametersOf(state).values, now, slot: slotOf(now) },
    place: nextPlace(branch, machine, newest.timestamp + 3_000, newest.witness),
  }
}

const lifeMs = 60_000

/** Builds a transaction as java-tron does: it references the newest block and expires after a minute. */
export const buildRaw = (
  { newest }: View,
  contract: Contract,
  timestamp: number,
  more: Partial<RawTransaction>,
): RawTransaction => {
  const id = bytesOf(newest.id)
  return {
    refBlockBytes: id.slice(6, 8),
    refBlockHash: id.slice(8, 16),
    expiration: BigInt(newest.timestamp + lifeMs),
    data: new Uint8Array(0),
    contract,
    permissionId: 0n,
    timestamp: BigInt(timestamp),
    feeLimit: 0n,
    ...more,
  }
}
