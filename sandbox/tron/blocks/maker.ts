/** Makes blocks: executes transactions on the newest state, seals them, and can repeat this from a record. */
import { bytesOf } from '../bytes.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import type { ParameterValues } from '../resources/parameters.ts'
import { withParameters } from '../resources/parameters.ts'
import { parametersOf, putParameters } from '../state/records.ts'
import { layeredState } from '../state/state.ts'
import type { Changes, State } from '../state/state.ts'
import type { Machine, MachineBlock } from '../vm/machine.ts'
import { sealBlock } from './block.ts'
import type { Block, MinedTransaction } from './block.ts'
import type { Branch } from './branch.ts'
import { checkTransaction } from './checks.ts'
import { executeTransaction } from './execute.ts'
import type { Place } from './execute.ts'
import { TransactionRefusal } from './refusal.ts'
import { witnessAddress } from './witness.ts'

export interface Draft {
  /** ms */
  readonly timestamp: number
  readonly witness: number
  readonly transactions: readonly SignedTransaction[]
  readonly parameters?: Partial<ParameterValues>
}

export interface Made {
  readonly block: Block
  readonly changes: Changes
  /** Could not be part of it. */
  readonly refused: readonly { readonly transaction: SignedTransaction; readonly refusal: TransactionRefusal }[]
}

/** Returns the position of the next block; a trial run does not know its time. */
export const nextPlace = (branch: Branch, machine: Machine, timestamp: number, witness: number): Place => {
  const head = branch.head()
  const block: MachineBlock = {
    number: BigInt(head.number + 1),
    timestamp: BigInt(timestamp),
    witness: witnessAddress(witness),
    idOf: (number) => {
      const found = branch.at(Number(number))
      return found === undefined ? undefined : bytesOf(found.id)
    },
  }
  return { machine, block, now: BigInt(head.timestamp) }
}

/** Makes a block. It is not part of the branch until it is pushed with its changes. */
export const makeBlock = async (branch: Branch, machine: Machine, draft: Draft): Promise<Made> => {
  const { timestamp, witness, parameters } = draft
  const head = branch.head()
  const state: State = layeredState(branch.read)
  if (parameters !== undefined) putParameters(state, withParameters(parametersOf(state), parameters, BigInt(timestamp)))
  const place = nextPlace(branch, machine, timestamp, witness)
  const transactions: MinedTransaction[] = []
  const refused: Made['refused'][number][] = []
  for (const transaction of draft.transactions) {
    try {
      checkTransaction(branch, transaction)
      const receipt = await executeTransaction(state, place, transaction)
      transactions.push({ ...transaction, receipt })
    } catch (refusal) {
      if (!(refusal instanceof TransactionRefusal)) throw refusal
      refused.push({ transaction, refusal })
    }
  }
  const block = sealBlock(
    { number: head.number + 1, timestamp, witness, transactions, ...(parameters === undefined ? {} : { parameters }) },
    head,
  )
  return { block, changes: state.changes(), refused }
}
