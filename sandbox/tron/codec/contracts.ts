/**
 * The contract types that this chain executes. Source: java-tron protocol/src/main/protos/core, Tron.proto and
 * contract/*.proto.
 */
import type { MessageOf, Schema } from './schema.ts'

const resource = { names: ['BANDWIDTH', 'ENERGY', 'TRON_POWER'] } as const
const accountType = { names: ['Normal', 'AssetIssue', 'Contract'] } as const

const abiParameter = { indexed: [1, 'bool'], name: [2, 'text'], type: [3, 'text'] } as const
const abiEntry = {
  anonymous: [1, 'bool'],
  constant: [2, 'bool'],
  name: [3, 'text'],
  inputs: [4, { list: abiParameter }],
  outputs: [5, { list: abiParameter }],
  type: [6, { names: ['UnknownEntryType', 'Constructor', 'Function', 'Event', 'Fallback', 'Receive', 'Error'] }],
  payable: [7, 'bool'],
  stateMutability: [8, { names: ['UnknownMutabilityType', 'Pure', 'View', 'Nonpayable', 'Payable'] }],
} as const

/** The description of a created contract. */
export const smartContract = {
  origin_address: [1, 'address'],
  contract_address: [2, 'address'],
  abi: [3, { message: { entrys: [1, { list: abiEntry }] } }],
  bytecode: [4, 'bytes'],
  call_value: [5, 'int64'],
  consume_user_resource_percent: [6, 'int64'],
  name: [7, 'text'],
  origin_energy_limit: [8, 'int64'],
  code_hash: [9, 'bytes'],
  trx_hash: [10, 'bytes'],
  version: [11, 'int64'],
} as const
export type SmartContract = MessageOf<typeof smartContract>

/** Each with its number in Transaction.Contract.ContractType. */
export const contractKinds = {
  AccountCreateContract: {
    number: 0,
    schema: { owner_address: [1, 'address'], account_address: [2, 'address'], type: [3, accountType] },
  },
  TransferContract: {
    number: 1,
    schema: { owner_address: [1, 'address'], to_address: [2, 'address'], amount: [3, 'int64'] },
  },
  CreateSmartContract: {
    number: 30,
    schema: {
      owner_address: [1, 'address'],
      new_contract: [2, { message: smartContract }],
      call_token_value: [3, 'int64'],
      token_id: [4, 'int64'],
    },
  },
  TriggerSmartContract: {
    number: 31,
    schema: {
      owner_address: [1, 'address'],
      contract_address: [2, 'address'],
      call_value: [3, 'int64'],
      data: [4, 'bytes'],
      call_token_value: [5, 'int64'],
      token_id: [6, 'int64'],
    },
  },
  FreezeBalanceV2Contract: {
    number: 54,
    schema: { owner_address: [1, 'address'], frozen_balance: [2, 'int64'], resource: [3, resource] },
  },
  UnfreezeBalanceV2Contract: {
    number: 55,
    schema: { owner_address: [1, 'address'], unfreeze_balance: [2, 'int64'], resource: [3, resource] },
  },
  WithdrawExpireUnfreezeContract: { number: 56, schema: { owner_address: [1, 'address'] } },
  DelegateResourceContract: {
    number: 57,
    schema: {
      owner_address: [1, 'address'],
      resource: [2, resource],
      balance: [3, 'int64'],
      receiver_address: [4, 'address'],
      lock: [5, 'bool'],
      lock_period: [6, 'int64'],
    },
  },
  UnDelegateResourceContract: {
    number: 58,
    schema: {
      owner_address: [1, 'address'],
      resource: [2, resource],
      balance: [3, 'int64'],
      receiver_address: [4, 'address'],
    },
  },
} as const satisfies Record<string, { number: number; schema: Schema }>

export type ContractType = keyof typeof contractKinds
export type ContractValue<T extends ContractType> = MessageOf<(typeof contractKinds)[T]['schema']>

/** A contract type with its message; narrowing `type` narrows `value`. */
export type Contract = { [T in ContractType]: { readonly type: T; readonly value: ContractValue<T> } }[ContractType]

export const contractTypeOf = (number: bigint): ContractType | undefined =>
  (Object.keys(contractKinds) as ContractType[]).find((type) => BigInt(contractKinds[type].number) === number)
