/** TriggerSmartContract: calls a contract. The transaction is mined and its energy paid, also when its code fails. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue } from '../codec/contracts.ts'
import { energyLimit, payEnergy } from '../resources/energy.ts'
import { requireAccount } from '../state/account.ts'
import { contractAt } from '../state/records.ts'
import { requireLimits, requireOwner, type Context, type Outcome, type RunContext } from './context.ts'

type Trigger = ContractValue<'TriggerSmartContract'>

const noContract = 'No contract or not a valid smart contract'

/** Throws InvalidContract. */
export const validateTrigger = ({ state }: Context, { contract_address: address }: Trigger): void => {
  if (contractAt(state, address) === undefined) throw new InvalidContract(noContract)
}

export const executeTrigger = async (context: RunContext, value: Trigger): Promise<Outcome> => {
  const { state, machine, block, transaction } = context
  const { owner_address: caller, contract_address: to, call_value: callValue } = value
  validateTrigger(context, value)
  requireOwner(state, caller)
  requireLimits(context, callValue, value.call_token_value)
  if (requireAccount(state, caller).balance < callValue)
    throw new InvalidContract('Validate InternalTransfer error, balance is not sufficient.')
  const contract = contractAt(state, to)
  if (contract === undefined) throw new InvalidContract(noContract)
  const plan = {
    caller,
    creator: contract.origin_address,
    callerPercent: contract.consume_user_resource_percent,
    creatorLimit: contract.origin_energy_limit,
  }
  const run = await machine.run(state, block, {
    transactionId: transaction.id,
    caller,
    to,
    data: value.data,
    value: callValue,
    energyLimit: energyLimit(context, plan, transaction.raw.feeLimit, callValue),
  })
  return { run: { ...run, contract: to, ...payEnergy(context, plan, run.energy) } }
}
