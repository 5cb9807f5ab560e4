/** FreezeBalanceV2Contract: stakes TRX for bandwidth or energy. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { sunOfATrx } from '../resources/stake.ts'
import { plus, putAccount, requireAccount } from '../state/account.ts'
import type { Account, Resource } from '../state/account.ts'
import { addStakedFor } from '../state/records.ts'
import type { State } from '../state/state.ts'
import { requireOwner, requireResource } from './context.ts'
import type { Context, Outcome } from './context.ts'

type Freeze = ContractValue<'FreezeBalanceV2Contract'>

const badResource = 'ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]'

/** Throws InvalidContract. */
export const validateFreeze = (
  { state }: Context,
  { owner_address: owner, frozen_balance: amount, resource }: Freeze,
): void => {
  const account = requireOwner(state, owner)
  if (amount <= 0n) throw new InvalidContract('frozenBalance must be positive')
  if (amount < sunOfATrx) throw new InvalidContract('frozenBalance must be more than 1TRX')
  if (amount > account.balance) throw new InvalidContract('frozenBalance must be less than accountBalance')
  requireResource(resource, badResource)
}

export const executeFreeze = (context: Context, value: Freeze): Outcome => {
  validateFreeze(context, value)
  const { owner_address: owner, frozen_balance: amount } = value
  const resource = requireResource(value.resource, badResource)
  const account = requireAccount(context.state, owner)
  putAccount(context.state, owner, {
    ...account,
    balance: account.balance - amount,
    frozen: plus(account.frozen, resource, amount),
  })
  countStake(context.state, account, resource, amount)
  return {}
}

/**
 * Updates the network's total, which counts whole TRX of each account. `change`: change of the account's stake from
 * `before`.
 */
export const countStake = (state: State, before: Account, resource: Resource, change: bigint): void => {
  const stake = before.frozen[resource] + before.lent[resource]
  addStakedFor(state, resource, (stake + change) / sunOfATrx - stake / sunOfATrx)
}
