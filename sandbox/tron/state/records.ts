/** State besides accounts: contracts, lent resources, totals, the chain's parameters. */
import type { Address } from '../address.ts'
import type { SmartContract } from '../codec/contracts.ts'
import type { Parameters } from '../resources/parameters.ts'
import { unused } from './account.ts'
import type { ByResource, Resource, Usage } from './account.ts'
import type { State } from './state.ts'

export const contractAt = (state: State, address: Address): SmartContract | undefined =>
  state.get(`contract ${address}`) as SmartContract | undefined
export const putContract = (state: State, address: Address, contract: SmartContract | undefined): void =>
  state.set(`contract ${address}`, contract)

/** Resources lent by one account to another, locked and unlocked ones separately. */
export interface Loan {
  readonly amount: ByResource
  /** ms; 0 when it is not locked. */
  readonly expires: ByResource
}
export interface LoanKey {
  readonly from: Address
  readonly to: Address
  readonly locked: boolean
}

export const noLoan: Loan = { amount: { BANDWIDTH: 0n, ENERGY: 0n }, expires: { BANDWIDTH: 0n, ENERGY: 0n } }
const loanKey = ({ from, to, locked }: LoanKey): string => `loan ${from} ${to} ${locked}`
export const loanAt = (state: State, key: LoanKey): Loan | undefined => state.get(loanKey(key)) as Loan | undefined
/** Stores a loan; an empty loan is removed. */
export const putLoan = (state: State, key: LoanKey, loan: Loan): void =>
  state.set(loanKey(key), loan.amount.BANDWIDTH === 0n && loan.amount.ENERGY === 0n ? undefined : loan)

/** The lenders and borrowers of one account. */
export interface LoanIndex {
  readonly to: readonly Address[]
  readonly from: readonly Address[]
}
export const loanIndexOf = (state: State, address: Address): LoanIndex =>
  (state.get(`loans ${address}`) as LoanIndex | undefined) ?? { to: [], from: [] }

/** Updates the index of both parties to match their loans. */
export const indexLoan = (state: State, from: Address, to: Address): void => {
  const lends = [true, false].some((locked) => loanAt(state, { from, to, locked }) !== undefined)
  const among = (list: readonly Address[], one: Address): readonly Address[] => {
    const others = list.filter((other) => other !== one)
    return lends ? [...others, one] : others
  }
  const [lender, borrower] = [loanIndexOf(state, from), loanIndexOf(state, to)]
  state.set(`loans ${from}`, { ...lender, to: among(lender.to, to) })
  state.set(`loans ${to}`, { ...borrower, from: among(loanIndexOf(state, to).from, from) })
}

/**
 * Returns the total TRX staked for a resource, in whole TRX: an account's part of it is its share of the daily total.
 */
export const stakedFor = (state: State, resource: Resource): bigint =>
  (state.get(`staked ${resource}`) as bigint | undefined) ?? 0n
export const addStakedFor = (state: State, resource: Resource, change: bigint): void =>
  state.set(`staked ${resource}`, stakedFor(state, resource) + change)

/** Returns the free bytes that all accounts together have used. */
export const publicBandwidthOf = (state: State): Usage => (state.get('public bandwidth') as Usage | undefined) ?? unused
export const putPublicBandwidth = (state: State, usage: Usage): void => state.set('public bandwidth', usage)

export const parametersOf = (state: State): Parameters => state.get('parameters') as Parameters
export const putParameters = (state: State, parameters: Parameters): void => state.set('parameters', parameters)
