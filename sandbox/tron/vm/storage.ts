/** The chain's state as the EVM's state. Both have one balance, so contracts pay in TRX. */
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import type { Address as EvmAddress } from '@ethereumjs/util'
import { addressOfEvm } from '../address.ts'
import type { Address } from '../address.ts'
import { hexOf, keccak, noBytes } from '../bytes.ts'
import { accountAt, newAccount, putAccount } from '../state/account.ts'
import type { State } from '../state/state.ts'

interface Code {
  readonly bytes: Uint8Array
  readonly hash: Uint8Array
}

export interface EvmStorage extends StateManagerInterface {
  /** Sets the state that the EVM works on; `now` in ms is the creation time of new accounts. */
  use(state: State, now: bigint): void
}

export const codeAt = (state: State, address: Address): Uint8Array =>
  (state.get(`code ${address}`) as Code | undefined)?.bytes ?? noBytes

export const openStorage = (): EvmStorage => {
  let state: State | undefined
  let now = 0n
  const current = (): State => {
    if (state === undefined) throw new Error('the virtual machine has no state')
    return state
  }
  const slotKey = (address: EvmAddress, key: Uint8Array): string => {
    const at = addressOfEvm(address.bytes)
    return `slot ${at} ${generationOf(current(), at)} ${hexOf(key)}`
  }
  const readSlot = (address: EvmAddress, key: Uint8Array): Uint8Array =>
    (current().get(slotKey(address, key)) as Uint8Array | undefined) ?? noBytes
  const storage: EvmStorage = {
    use: (next, time) => {
      state = next
      now = time
    },
    getAccount: async (address) => readAccount(current(), addressOfEvm(address.bytes)),
    putAccount: async (address, account) => writeAccount(current(), addressOfEvm(address.bytes), account, now),
    // Accounts of TRON stay when they are empty; destroyed contracts are removed by the machine.
    deleteAccount: async () => {},
    modifyAccountFields: async (address, fields) => modify(storage, address, fields),
    putCode: async (address, bytes) => {
      const at = addressOfEvm(address.bytes)
      current().set(`code ${at}`, bytes.length === 0 ? undefined : { bytes, hash: keccak(bytes) })
      putAccount(current(), at, { ...(accountAt(current(), at) ?? newAccount(now)), type: 'Contract' })
    },
    getCode: async (address) => codeAt(current(), addressOfEvm(address.bytes)),
    getCodeSize: async (address) => codeAt(current(), addressOfEvm(address.bytes)).length,
    getStorage: async (address, key) => readSlot(address, key),
    putStorage: async (address, key, value) => {
      const trimmed = value.subarray(value.findIndex((byte) => byte !== 0))
      current().set(slotKey(address, key), value.every((byte) => byte === 0) ? undefined : trimmed)
    },
    clearStorage: async (address) => {
      const at = addressOfEvm(address.bytes)
      current().set(`generation ${at}`, generationOf(current(), at) + 1)
    },
    checkpoint: async () => current().checkpoint(),
    commit: async () => current().commit(),
    revert: async () => current().revert(),
    getStateRoot: async () => new Uint8Array(32),
    setStateRoot: async () => {},
    hasStateRoot: async () => true,
    // TRON prices a write by the current value of the slot, not by its value when the transaction began.
    originalStorageCache: { get: async (address, key) => readSlot(address, key), clear: () => {} },
    clearCaches: () => {},
    shallowCopy: () => storage,
  }
  return storage
}

/** Slots of a contract made anew at the same address are others. */
const generationOf = (state: State, address: Address): number =>
  (state.get(`generation ${address}`) as number | undefined) ?? 0

const readAccount = (state: State, address: Address): Account | undefined => {
  const account = accountAt(state, address)
  if (account === undefined) return undefined
  const code = state.get(`code ${address}`) as Code | undefined
  return new Account(account.nonce, account.balance, KECCAK256_RLP, code?.hash ?? KECCAK256_NULL)
}

/** The EVM also writes accounts that it only read: an empty account that was not there is not made. */
const writeAccount = (state: State, address: Address, account: Account | undefined, now: bigint): void => {
  const known = accountAt(state, address)
  if (account === undefined || (known === undefined && account.isEmpty())) return
  putAccount(state, address, { ...(known ?? newAccount(now)), balance: account.balance, nonce: account.nonce })
}

const modify = async (storage: EvmStorage, address: EvmAddress, fields: AccountFields): Promise<void> => {
  const account = (await storage.getAccount(address)) ?? new Account()
  account.nonce = fields.nonce ?? account.nonce
  account.balance = fields.balance ?? account.balance
  await storage.putAccount(address, account)
}
