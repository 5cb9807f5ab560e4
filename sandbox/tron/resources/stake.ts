/** Computes the daily resources of stake: the account's share of all stake times the network's total. */
import type { Account, Resource } from '../state/account.ts'
import { parametersOf, stakedFor } from '../state/records.ts'
import type { State } from '../state/state.ts'
import { usedAt } from './usage.ts'

export const sunOfATrx = 1_000_000n

/** Own stake that is not lent, and stake borrowed from others. */
export const stakeOf = (account: Account, resource: Resource): bigint =>
  account.frozen[resource] + account.borrowed[resource]

/** Bytes or energy a day; rounded down. */
export const limitOf = (state: State, account: Account, resource: Resource): bigint => {
  const stake = stakeOf(account, resource)
  const all = stakedFor(state, resource)
  return stake < sunOfATrx || all <= 0n ? 0n : (stake * totalLimit(state, resource)) / (all * sunOfATrx)
}

/** Returns the remaining daily amount at a slot. */
export const leftOf = (state: State, account: Account, resource: Resource, now: bigint): bigint => {
  const left = limitOf(state, account, resource) - usedAt(account.usage[resource], now)
  return left > 0n ? left : 0n
}

/**
 * Returns how much of its own stake an account may lend: the part that its usage leaves free. In sun; rounded as in
 * java-tron.
 */
export const lendable = (state: State, account: Account, resource: Resource, now: bigint, alsoUsed = 0n): bigint => {
  const used = usedAt(account.usage[resource], now) + alsoUsed
  const usedStake = (used * sunOfATrx * stakedFor(state, resource)) / totalLimit(state, resource)
  const beyondBorrowed = usedStake - account.borrowed[resource]
  const free = account.frozen[resource] - (beyondBorrowed > 0n ? beyondBorrowed : 0n)
  return free > 0n ? free : 0n
}

export const totalLimit = (state: State, resource: Resource): bigint => {
  const { values } = parametersOf(state)
  return resource === 'ENERGY' ? values.getTotalEnergyCurrentLimit : values.getTotalNetLimit
}
