/** Shows accounts, their resources and their loans in java-tron's JSON. */
import type { Address } from '../address.ts'
import { addressJson } from '../codec/json.ts'
import type { Json } from '../codec/json.ts'
import { limitOf, sunOfATrx } from '../resources/stake.ts'
import { usedAt } from '../resources/usage.ts'
import { accountAt, slotsOfADay } from '../state/account.ts'
import type { Account, Resource, Usage } from '../state/account.ts'
import { loanAt, loanIndexOf, parametersOf, stakedFor } from '../state/records.ts'
import type { State } from '../state/state.ts'

/**
 * Returns an account, `{}` for an unknown one. Usage is as of the last transaction, as java-tron stores it; resources
 * are current.
 */
export const accountJson = (state: State, address: Address, slot: bigint, visible: boolean): Json => {
  const account = accountAt(state, address)
  if (account === undefined) return {}
  const key = { address: addressJson(address, visible), weight: 1 }
  return {
    address: addressJson(address, visible),
    ...(account.type === 'Contract' ? { type: 'Contract' } : {}),
    ...present({
      balance: account.balance,
      create_time: account.created,
      latest_opration_time: account.operated,
      net_usage: usedAt(account.usage.BANDWIDTH, slot),
      free_net_usage: usedAt(account.freeBandwidth, slot),
      latest_consume_time: account.usage.BANDWIDTH.slot,
      latest_consume_free_time: account.freeBandwidth.slot,
      net_window_size: windowOf(account.usage.BANDWIDTH),
      delegated_frozenV2_balance_for_bandwidth: account.lent.BANDWIDTH,
      acquired_delegated_frozenV2_balance_for_bandwidth: account.borrowed.BANDWIDTH,
    }),
    account_resource: present({
      energy_usage: usedAt(account.usage.ENERGY, slot),
      latest_consume_time_for_energy: account.usage.ENERGY.slot,
      energy_window_size: windowOf(account.usage.ENERGY),
      delegated_frozenV2_balance_for_energy: account.lent.ENERGY,
      acquired_delegated_frozenV2_balance_for_energy: account.borrowed.ENERGY,
    }),
    ...(account.type === 'Contract'
      ? {}
      : {
          owner_permission: { permission_name: 'owner', threshold: 1, keys: [key] },
          active_permission: [
            { type: 'Active', id: 2, permission_name: 'active', threshold: 1, operations: allOperations, keys: [key] },
          ],
        }),
    frozenV2: [
      present({ amount: account.frozen.BANDWIDTH }),
      { type: 'ENERGY', ...present({ amount: account.frozen.ENERGY }) },
      { type: 'TRON_POWER' },
    ],
    ...(account.unfreezing.length === 0 ? {} : { unfrozenV2: account.unfreezing.map(unfreezingJson) }),
  }
}

/** Bits of the kinds of contract that the usual active permission allows. */
const allOperations = '7fff1fc0033ec30f000000000000000000000000000000000000000000000000'

const windowOf = ({ window }: Usage): bigint => (window === 0n ? slotsOfADay : window)

const unfreezingJson = ({ resource, amount, expires }: Account['unfreezing'][number]): Json => ({
  ...(resource === 'ENERGY' ? { type: 'ENERGY' } : {}),
  unfreeze_amount: amount,
  unfreeze_expire_time: expires,
})

/** /wallet/getaccountresource */
export const resourceJson = (state: State, address: Address, slot: bigint): Json => {
  const account = accountAt(state, address)
  if (account === undefined) return {}
  return {
    ...netJson(state, address, slot),
    ...present({
      EnergyUsed: usedAt(account.usage.ENERGY, slot),
      EnergyLimit: limitOf(state, account, 'ENERGY'),
      TotalEnergyLimit: parametersOf(state).values.getTotalEnergyCurrentLimit,
      TotalEnergyWeight: stakedFor(state, 'ENERGY'),
      tronPowerLimit: (staked(account, 'ENERGY') + staked(account, 'BANDWIDTH')) / sunOfATrx,
    }),
  }
}

/** /wallet/getaccountnet */
export const netJson = (state: State, address: Address, slot: bigint): Json => {
  const account = accountAt(state, address)
  if (account === undefined) return {}
  const { values } = parametersOf(state)
  return present({
    freeNetUsed: usedAt(account.freeBandwidth, slot),
    freeNetLimit: values.getFreeNetLimit,
    NetUsed: usedAt(account.usage.BANDWIDTH, slot),
    NetLimit: limitOf(state, account, 'BANDWIDTH'),
    TotalNetLimit: values.getTotalNetLimit,
    TotalNetWeight: stakedFor(state, 'BANDWIDTH'),
  })
}

const staked = (account: Account, resource: Resource): bigint => account.frozen[resource] + account.lent[resource]

/** Response of /wallet/getdelegatedresourcev2: one entry for the locked and one for the unlocked resources. */
export const loansJson = (state: State, from: Address, to: Address, visible: boolean): Json => {
  const loans = [false, true].flatMap((locked) => {
    const loan = loanAt(state, { from, to, locked })
    if (loan === undefined) return []
    return [
      {
        from: addressJson(from, visible),
        to: addressJson(to, visible),
        ...present({
          frozen_balance_for_bandwidth: loan.amount.BANDWIDTH,
          frozen_balance_for_energy: loan.amount.ENERGY,
          expire_time_for_bandwidth: loan.expires.BANDWIDTH,
          expire_time_for_energy: loan.expires.ENERGY,
        }),
      },
    ]
  })
  return loans.length === 0 ? {} : { delegatedResource: loans }
}

/** /wallet/getdelegatedresourceaccountindexv2 */
export const loanIndexJson = (state: State, address: Address, visible: boolean): Json => {
  const { from, to } = loanIndexOf(state, address)
  const list = (addresses: readonly Address[]): string[] => addresses.map((one) => addressJson(one, visible))
  return {
    account: addressJson(address, visible),
    ...(from.length === 0 ? {} : { fromAccounts: list(from) }),
    ...(to.length === 0 ? {} : { toAccounts: list(to) }),
  }
}

const present = (fields: Readonly<Record<string, bigint>>): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0n))
