/** The effects of a transaction that the chain stores. Amounts in sun. */
import type { Address } from '../address.ts'

/** The result of a contract's code, by java-tron's names; a transaction that is not a contract call has SUCCESS. */
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

/** A call, creation or destruction by a contract's code, or a stake operation, whose value is paid to no account. */
export interface InternalTransaction {
  readonly hash: Uint8Array
  readonly caller: Address
  readonly to: Address
  readonly value: bigint
  /** `call`, `create`, `suicide`; anything else is shown by nodes with `vm.saveFeaturedInternalTx` only. */
  readonly note: string
  /** JSON with details of an act of stake (row T-5). */
  readonly extra?: string
  /** True if it, or its caller, was reverted. */
  readonly rejected: boolean
}

/** A run of the virtual machine. */
export interface Run {
  readonly result: ContractResult
  /** The reason of a failure. */
  readonly message?: string
  readonly energy: bigint
  /** The part of the energy that comes from the contract's dynamic factor. */
  readonly penalty: bigint
  readonly returned: Uint8Array
  readonly logs: readonly Log[]
  readonly internal: readonly InternalTransaction[]
}

export interface Receipt {
  /** Total TRX burnt. */
  readonly fee: bigint
  readonly netUsage: bigint
  readonly netFee: bigint
  /** Only for contract code. */
  readonly run?: Run & {
    readonly contract: Address
    /** From the caller's stake, and stake lent to it. */
    readonly energyUsage: bigint
    readonly energyFee: bigint
    /** From the stake of the contract's creator. */
    readonly originEnergyUsage: bigint
  }
  /** Unfrozen TRX that was paid out. */
  readonly withdrawExpireAmount?: bigint
}
