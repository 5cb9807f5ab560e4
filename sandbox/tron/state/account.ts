/** Accounts: their balance, stake, loans and usage. Amounts in sun, 10^6 per TRX. */
import type { Address } from '../address.ts'
import type { State } from './state.ts'

export type Resource = 'BANDWIDTH' | 'ENERGY'
export type ByResource = Readonly<Record<Resource, bigint>>

/** Usage that regenerates linearly over `window` slots of 3 s, beginning at `slot`. */
export interface Usage {
  readonly used: bigint
  readonly slot: bigint
  readonly window: bigint
}

interface Unfreezing {
  readonly resource: Resource
  readonly amount: bigint
  /** ms */
  readonly expires: bigint
}

export interface Account {
  readonly balance: bigint
  readonly type: 'Normal' | 'Contract'
  /** ms */
  readonly created: bigint
  /** ms, of the last transaction that cost it something */
  readonly operated: bigint
  /** Of the EVM: counts the contracts that a contract created. */
  readonly nonce: bigint
  readonly freeBandwidth: Usage
  readonly usage: Readonly<Record<Resource, Usage>>
  /** Staked and not lent. */
  readonly frozen: ByResource
  /** Staked and lent to others. */
  readonly lent: ByResource
  /** Lent by others. */
  readonly borrowed: ByResource
  readonly unfreezing: readonly Unfreezing[]
}

export const slotsOfADay = 28_800n
const none: ByResource = { BANDWIDTH: 0n, ENERGY: 0n }
export const unused: Usage = { used: 0n, slot: 0n, window: slotsOfADay }

export const newAccount = (created: bigint, type: Account['type'] = 'Normal'): Account => ({
  balance: 0n,
  type,
  created,
  operated: 0n,
  nonce: 0n,
  freeBandwidth: unused,
  usage: { BANDWIDTH: unused, ENERGY: unused },
  frozen: none,
  lent: none,
  borrowed: none,
  unfreezing: [],
})

export const accountAt = (state: State, address: Address): Account | undefined =>
  state.get(`account ${address}`) as Account | undefined

export const putAccount = (state: State, address: Address, account: Account | undefined): void =>
  state.set(`account ${address}`, account)

/** Returns an account whose existence was checked before; throws when there is none. */
export const requireAccount = (state: State, address: Address): Account => {
  const account = accountAt(state, address)
  if (account === undefined) throw new Error(`there is no account ${address}`)
  return account
}

/** Changes a balance; `change` may be negative. Throws when the balance would be negative. */
export const addBalance = (state: State, address: Address, change: bigint): void => {
  const account = requireAccount(state, address)
  if (account.balance + change < 0n) throw new Error(`${address} has ${account.balance}, not ${-change}`)
  putAccount(state, address, { ...account, balance: account.balance + change })
}

export const plus = (amounts: ByResource, resource: Resource, change: bigint): ByResource => ({
  ...amounts,
  [resource]: amounts[resource] + change,
})
