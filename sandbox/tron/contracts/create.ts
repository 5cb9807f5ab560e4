/** CreateSmartContract: deploys a contract. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { ContractValue, SmartContract } from '../codec/contracts.ts'
import { bytesOf, keccak } from '../bytes.ts'
import { energyLimit, payEnergy } from '../resources/energy.ts'
import { putContract } from '../state/records.ts'
import { codeAt } from '../vm/storage.ts'
import { contractAddressOf } from '../address.ts'
import { requireLimits, requireOwner, type Context, type Outcome, type RunContext } from './context.ts'

type Creation = ContractValue<'CreateSmartContract'>

/** Throws InvalidContract. */
export const validateCreate = ({ state }: Context, value: Creation): void => {
  const contract = contractIn(value)
  const owner = requireOwner(state, value.owner_address)
  if (contract.origin_address !== value.owner_address)
    throw new InvalidContract('OwnerAddress is not equals OriginAddress')
  const percent = contract.consume_user_resource_percent
  if (percent < 0n || percent > 100n) throw new InvalidContract('percent must be >= 0 and <= 100')
  if (contract.origin_energy_limit <= 0n) throw new InvalidContract('The originEnergyLimit must be > 0')
  if (Buffer.byteLength(contract.name) > 32)
    throw new InvalidContract("contractName's length cannot be greater than 32")
  if (owner.balance < contract.call_value)
    throw new InvalidContract('Validate InternalTransfer error, balance is not sufficient.')
}

export const executeCreate = async (context: RunContext, value: Creation): Promise<Outcome> => {
  validateCreate(context, value)
  const contract = contractIn(value)
  requireLimits(context, contract.call_value, value.call_token_value)
  const { state, machine, block, transaction } = context
  const { owner_address: caller } = value
  const address = contractAddressOf(transaction.id, caller)
  const plan = { caller, creator: caller, callerPercent: 100n, creatorLimit: 0n }
  const run = await machine.run(state, block, {
    transactionId: transaction.id,
    caller,
    data: contract.bytecode,
    value: contract.call_value,
    energyLimit: energyLimit(context, plan, transaction.raw.feeLimit, contract.call_value),
  })
  if (run.result === 'SUCCESS') {
    const code_hash = keccak(codeAt(state, address))
    putContract(state, address, {
      ...contract,
      contract_address: address,
      code_hash,
      trx_hash: bytesOf(transaction.id),
    })
  }
  return { run: { ...run, contract: address, ...payEnergy(context, plan, run.energy) } }
}

const contractIn = ({ new_contract: contract }: Creation): SmartContract => {
  if (contract === undefined) throw new InvalidContract('new_contract is not set')
  return contract
}
