/** What a transaction did, as far as the chain remembers it. Amounts in sun. */
import type { Address } from '../address.ts'

/** How a contract's code ended, by java-tron's names; what is no contract call is SUCCESS. */
export type ContractResult =
  | 'SUCCESS'
  | 'REVERT'
  | 'BAD_JUMP_DESTINATION'
  | 'OUT_OF_MEMORY'
  | 'PRECOMPILED_CONTRACT'
  | 'STACK_TOO_SMALL'
  | 'STACK_TOO_LARGE'
  | 'ILLEGAL_OPERATION'
  | 'STACK_OVERFLOW'
  | 'OUT_OF_ENERGY'
  | 'TRANSFER_FAILED'
  | 'INVALID_CODE'
  | 'UNKNOWN'

export interface Log {
  /** 20 bytes, without the leading 41. */
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** A call, creation or destruction by a contract's code, or an act of stake, whose value is not paid to anybody. */
export interface InternalTransaction {
  readonly hash: Uint8Array
  readonly caller: Address
  readonly to: Address
  readonly value: bigint
  /** `call`, `create`, `suicide`; anything else is shown by nodes with `vm.saveFeaturedInternalTx` only. */
  readonly note: string
  /** JSON with details of an act of stake (row T-5). */
  readonly extra?: string
  /** It, or what called it, was undone. */
  readonly rejected: boolean
}

/** What ran in the virtual machine. */
export interface Run {
  readonly result: ContractResult
  /** Why it failed. */
  readonly message?: string
  readonly energy: bigint
  /** How much of the energy is the contract's dynamic factor. */
  readonly penalty: bigint
  readonly returned: Uint8Array
  readonly logs: readonly Log[]
  readonly internal: readonly InternalTransaction[]
}

export interface Receipt {
  /** All that was burnt. */
  readonly fee: bigint
  readonly netUsage: bigint
  readonly netFee: bigint
  /** Only of contracts' code. */
  readonly run?: Run & {
    readonly contract: Address
    /** From the caller's stake, and what was lent to it. */
    readonly energyUsage: bigint
    readonly energyFee: bigint
    /** From the stake of the contract's creator. */
    readonly originEnergyUsage: bigint
  }
  /** What became free while unfreezing. */
  readonly withdrawExpireAmount?: bigint
}
