/** WithdrawExpireUnfreezeContract: pays out unfrozen stake. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { putAccount, requireAccount } from '../state/account.ts'
import { requireOwner } from './context.ts'
import type { Context, Outcome } from './context.ts'
import { freeAt, waiting } from './unfreeze.ts'

type Withdrawal = ContractValue<'WithdrawExpireUnfreezeContract'>

/** Throws InvalidContract. */
export const validateWithdrawUnfreeze = ({ state, now }: Context, { owner_address: owner }: Withdrawal): void => {
  if (freeAt(requireOwner(state, owner), now) <= 0n) throw new InvalidContract('no unFreeze balance to withdraw ')
}

export const executeWithdrawUnfreeze = (context: Context, value: Withdrawal): Outcome => {
  validateWithdrawUnfreeze(context, value)
  const { state, now } = context
  const account = requireAccount(state, value.owner_address)
  const free = freeAt(account, now)
  putAccount(state, value.owner_address, {
    ...account,
    balance: account.balance + free,
    unfreezing: waiting(account, now),
  })
  return { withdrawExpireAmount: free }
}
