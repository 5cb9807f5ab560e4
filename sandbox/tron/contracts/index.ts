/** All contract types: how each is validated when a transaction is built, and executed when it is mined. */
import type { Contract } from '../codec/contracts.ts'
import { executeAccountCreate, validateAccountCreate } from './account-create.ts'
import type { Context, Outcome, RunContext } from './context.ts'
import { executeCreate, validateCreate } from './create.ts'
import { executeDelegate, validateDelegate } from './delegate.ts'
import { executeFreeze, validateFreeze } from './freeze.ts'
import { executeTransfer, validateTransfer } from './transfer.ts'
import { executeTrigger, validateTrigger } from './trigger.ts'
import { executeUndelegate, validateUndelegate } from './undelegate.ts'
import { executeUnfreeze, validateUnfreeze } from './unfreeze.ts'
import { executeWithdrawUnfreeze, validateWithdrawUnfreeze } from './withdraw-unfreeze.ts'

export type { Context, Outcome, RunContext } from './context.ts'

/** Throws InvalidContract. */
export const validateContract = (context: Context, contract: Contract): void => {
  switch (contract.type) {
    case 'AccountCreateContract':
      return validateAccountCreate(context, contract.value)
    case 'TransferContract':
      return validateTransfer(context, contract.value)
    case 'CreateSmartContract':
      return validateCreate(context, contract.value)
    case 'TriggerSmartContract':
      return validateTrigger(context, contract.value)
    case 'FreezeBalanceV2Contract':
      return validateFreeze(context, contract.value)
    case 'UnfreezeBalanceV2Contract':
      return validateUnfreeze(context, contract.value)
    case 'WithdrawExpireUnfreezeContract':
      return validateWithdrawUnfreeze(context, contract.value)
    case 'DelegateResourceContract':
      return validateDelegate(context, contract.value)
    case 'UnDelegateResourceContract':
      return validateUndelegate(context, contract.value)
  }
}

/** Validates and executes a contract. Throws InvalidContract, after which the caller must revert the state. */
export const executeContract = async (context: RunContext, contract: Contract): Promise<Outcome> => {
  switch (contract.type) {
    case 'AccountCreateContract':
      return executeAccountCreate(context, contract.value)
    case 'TransferContract':
      return executeTransfer(context, contract.value)
    case 'CreateSmartContract':
      return executeCreate(context, contract.value)
    case 'TriggerSmartContract':
      return executeTrigger(context, contract.value)
    case 'FreezeBalanceV2Contract':
      return executeFreeze(context, contract.value)
    case 'UnfreezeBalanceV2Contract':
      return executeUnfreeze(context, contract.value)
    case 'WithdrawExpireUnfreezeContract':
      return executeWithdrawUnfreeze(context, contract.value)
    case 'DelegateResourceContract':
      return executeDelegate(context, contract.value)
    case 'UnDelegateResourceContract':
      return executeUndelegate(context, contract.value)
  }
}
