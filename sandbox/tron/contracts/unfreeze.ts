/** UnfreezeBalanceV2Contract: starts to unfreeze stake, and pays out TRX that is already unfrozen. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { plus, putAccount, requireAccount } from '../state/account.ts'
import type { Account } from '../state/account.ts'
import { requireOwner, requireResource } from './context.ts'
import type { Context, Outcome } from './context.ts'
import { countStake } from './freeze.ts'

type Unfreeze = ContractValue<'UnfreezeBalanceV2Contract'>

/** Maximum number of pending unfreezings of an account. */
export const mostUnfreezings = 32
const dayMs = 86_400_000n
const badResource = 'ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]'

/** Throws InvalidContract. */
export const validateUnfreeze = (context: Context, value: Unfreeze): void => {
  const { owner_address: owner, unfreeze_balance: amount } = value
  const account = requireOwner(context.state, owner)
  const resource = requireResource(value.resource, badResource)
  if (account.frozen[resource] <= 0n)
    throw new InvalidContract(`no frozenBalance(${resource === 'ENERGY' ? 'Energy' : 'BANDWIDTH'})`)
  if (amount <= 0n || amount > account.frozen[resource])
    throw new InvalidContract(`Invalid unfreeze_balance, [${amount}] is error`)
  if (waiting(account, context.now).length >= mostUnfreezings)
    throw new InvalidContract('Invalid unfreeze operation, unfreezing times is over limit')
}

export const executeUnfreeze = (context: Context, value: Unfreeze): Outcome => {
  validateUnfreeze(context, value)
  const { state, values, now } = context
  const { owner_address: owner, unfreeze_balance: amount } = value
  const resource = requireResource(value.resource, badResource)
  const account = requireAccount(state, owner)
  const free = freeAt(account, now)
  countStake(state, account, resource, -amount)
  putAccount(state, owner, {
    ...account,
    balance: account.balance + free,
    frozen: plus(account.frozen, resource, -amount),
    unfreezing: [...waiting(account, now), { resource, amount, expires: now + values.getUnfreezeDelayDays * dayMs }],
  })
  return free === 0n ? {} : { withdrawExpireAmount: free }
}

/** Returns unfreezings that are still pending. */
export const waiting = ({ unfreezing }: Account, now: bigint): Account['unfreezing'] =>
  unfreezing.filter(({ expires }) => expires > now)

/** Returns the unfrozen amount, in sun. */
export const freeAt = ({ unfreezing }: Account, now: bigint): bigint =>
  unfreezing.filter(({ expires }) => expires <= now).reduce((sum, { amount }) => sum + amount, 0n)
