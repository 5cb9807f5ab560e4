/** A run of the virtual machine: its input and its block. */
import type { Address } from '../address.ts'
import type { Run } from '../blocks/receipt.ts'
import type { State } from '../state/state.ts'

/** Data of the block that code can read. */
export interface MachineBlock {
  readonly number: bigint
  /** ms */
  readonly timestamp: bigint
  readonly witness: Address
  /** The id of a block of this branch. */
  readonly idOf: (number: bigint) => Uint8Array | undefined
}

export interface Call {
  readonly transactionId: string
  readonly caller: Address
  /** Absent: the data creates a contract. */
  readonly to?: Address
  readonly data: Uint8Array
  readonly value: bigint
  readonly energyLimit: bigint
}

export interface Machine {
  /** Changes the state only when the run succeeds. */
  run(state: State, block: MachineBlock, call: Call): Promise<Run>
}
