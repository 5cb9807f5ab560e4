/** AccountCreateContract: creates an account without a transfer. */
import { isAddress } from '../address.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { accountAt, addBalance, newAccount, putAccount } from '../state/account.ts'
import { requireOwner } from './context.ts'
import type { Context, Outcome } from './context.ts'

type Creation = ContractValue<'AccountCreateContract'>

/** Throws InvalidContract. */
export const validateAccountCreate = (
  { state, values }: Context,
  { owner_address: owner, account_address: address }: Creation,
): void => {
  const account = requireOwner(state, owner, 'Invalid ownerAddress')
  if (account.balance < values.getCreateNewAccountFeeInSystemContract)
    throw new InvalidContract('Validate CreateAccountActuator error, insufficient fee.')
  if (!isAddress(address)) throw new InvalidContract('Invalid account address')
  if (accountAt(state, address) !== undefined) throw new InvalidContract('Account has existed')
}

export const executeAccountCreate = (context: Context, value: Creation): Outcome => {
  validateAccountCreate(context, value)
  const fee = context.values.getCreateNewAccountFeeInSystemContract
  putAccount(context.state, value.account_address, newAccount(context.now))
  addBalance(context.state, value.owner_address, -fee)
  return { fee }
}
