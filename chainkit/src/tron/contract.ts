import { utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeMessage, encodeMessage } from './message.ts'
import type { Fields, MessageOf } from './message.ts'

/**
 * The contract types that we use, with their numbers in `ContractType` (Tron.proto) and their fields (balance_contract,
 * smart_contract and account_contract.proto). Amounts are in sun, a millionth of a TRX. Fields that we never use are
 * left out: TRC-10 amounts of a call, an account's type.
 */
const CONTRACTS = {
  AccountCreateContract: { type: 0n, fields: { owner: [1, 'address'], account: [2, 'address'] } },
  TransferContract: { type: 1n, fields: { owner: [1, 'address'], to: [2, 'address'], amount: [3, 'int64'] } },
  TriggerSmartContract: {
    type: 31n,
    fields: { owner: [1, 'address'], contract: [2, 'address'], callValue: [3, 'int64'], data: [4, 'hex'] },
  },
  FreezeBalanceV2Contract: {
    type: 54n,
    fields: { owner: [1, 'address'], amount: [2, 'int64'], resource: [3, 'resource'] },
  },
  UnfreezeBalanceV2Contract: {
    type: 55n,
    fields: { owner: [1, 'address'], amount: [2, 'int64'], resource: [3, 'resource'] },
  },
  WithdrawExpireUnfreezeContract: { type: 56n, fields: { owner: [1, 'address'] } },
  DelegateResourceContract: {
    type: 57n,
    fields: {
      owner: [1, 'address'],
      resource: [2, 'resource'],
      amount: [3, 'int64'],
      receiver: [4, 'address'],
      /** The owner can't withdraw the lent resource before the lock period ends */
      lock: [5, 'flag'],
      /** In blocks of 3 s; with `lock`, 0 means three days */
      lockPeriod: [6, 'int64'],
    },
  },
  UnDelegateResourceContract: {
    type: 58n,
    fields: { owner: [1, 'address'], resource: [2, 'resource'], amount: [3, 'int64'], receiver: [4, 'address'] },
  },
} as const satisfies Record<string, { type: bigint; fields: Fields }>

export type ContractKind = keyof typeof CONTRACTS

/** The effect of a transaction, as `{ kind: 'TransferContract', owner, to, amount }` and so on. */
export type Contract = {
  [Kind in ContractKind]: { kind: Kind } & MessageOf<(typeof CONTRACTS)[Kind]['fields']>
}[ContractKind]

/** `Transaction.Contract` in Tron.proto. Permissions other than the owner's (multi-signature) are not supported. */
const ENVELOPE = { type: [1, 'int64'], parameter: [2, 'bytes'] } as const satisfies Fields
/** google.protobuf.Any */
const ANY = { url: [1, 'bytes'], value: [2, 'bytes'] } as const satisfies Fields

/** Throws a RangeError when a value can't be written. */
export function encodeContract(contract: Contract): Uint8Array {
  const { type, fields } = CONTRACTS[contract.kind]
  const value = encodeMessage<Fields>(fields, contract as unknown as MessageOf<Fields>)
  return encodeMessage(ENVELOPE, { type, parameter: encodeMessage(ANY, { url: urlOf(contract.kind), value }) })
}

/** Throws a RangeError for any other type and any other encoding. */
export function decodeContract(bytes: Uint8Array): Contract {
  const { type, parameter } = decodeMessage(ENVELOPE, bytes)
  const { url, value } = decodeMessage(ANY, parameter)
  const kind = (Object.keys(CONTRACTS) as ContractKind[]).find((one) => CONTRACTS[one].type === type)
  if (!kind) throw new RangeError(`contracts of type ${type} are not handled`)
  const expected = urlOf(kind)
  if (url.length !== expected.length || url.some((byte, at) => byte !== expected[at])) {
    throw new RangeError('its type and the name of its parameter differ')
  }
  return { kind, ...decodeMessage<Fields>(CONTRACTS[kind].fields, value) } as unknown as Contract
}

function urlOf(kind: ContractKind): Uint8Array {
  return utf8ToBytes(`type.googleapis.com/protocol.${kind}`)
}
