/** TransferContract: sends TRX to another account, which is created if it does not exist. */
import { isAddress } from '../address.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { accountAt, addBalance, newAccount, putAccount } from '../state/account.ts'
import type { Context, Outcome } from './context.ts'

type Transfer = ContractValue<'TransferContract'>

/** Throws InvalidContract. */
export const validateTransfer = (
  { state, values }: Context,
  { owner_address: owner, to_address: to, amount }: Transfer,
): void => {
  if (!isAddress(owner)) throw new InvalidContract('Invalid ownerAddress!')
  if (!isAddress(to)) throw new InvalidContract('Invalid toAddress!')
  if (to === owner) throw new InvalidContract('Cannot transfer TRX to yourself.')
  const account = accountAt(state, owner)
  if (account === undefined) throw new InvalidContract('Validate TransferContract error, no OwnerAccount.')
  if (amount <= 0n) throw new InvalidContract('Amount must be greater than 0.')
  const receiver = accountAt(state, to)
  // Source: java-tron TransferActuator; proposal 35 (row T-30).
  if (values.getForbidTransferToContract === 1n && receiver?.type === 'Contract')
    throw new InvalidContract('Cannot transfer TRX to a smartContract.')
  const fee = receiver === undefined ? values.getCreateNewAccountFeeInSystemContract : 0n
  if (account.balance < amount + fee)
    throw new InvalidContract('Validate TransferContract error, balance is not sufficient.')
}

export const executeTransfer = (context: Context, value: Transfer): Outcome => {
  validateTransfer(context, value)
  const { state, values, now } = context
  const { owner_address: owner, to_address: to, amount } = value
  const creates = accountAt(state, to) === undefined
  const fee = creates ? values.getCreateNewAccountFeeInSystemContract : 0n
  if (creates) putAccount(state, to, newAccount(now))
  addBalance(state, owner, -amount - fee)
  addBalance(state, to, amount)
  return { fee }
}
