/** Maps the EVM's results of a run to TRON's names. */
import type { EVMError } from '@ethereumjs/evm'
import type { ContractResult } from '../blocks/receipt.ts'

export interface Ending {
  readonly result: ContractResult
  readonly message?: string
}

const results: Readonly<Record<string, ContractResult>> = {
  'out of gas': 'OUT_OF_ENERGY',
  'code store out of gas': 'OUT_OF_ENERGY',
  revert: 'REVERT',
  'invalid JUMP': 'BAD_JUMP_DESTINATION',
  'invalid opcode': 'ILLEGAL_OPERATION',
  'stack underflow': 'STACK_TOO_SMALL',
  'stack overflow': 'STACK_TOO_LARGE',
  'value out of range': 'OUT_OF_MEMORY',
  'insufficient balance': 'TRANSFER_FAILED',
  'invalid bytecode deployed': 'INVALID_CODE',
  'code size to deposit exceeds maximum code size': 'INVALID_CODE',
}

export const endingOf = (error: EVMError | undefined, limit: bigint): Ending => {
  if (error === undefined) return { result: 'SUCCESS' }
  // Some messages say where in the code it was.
  const result = results[error.error.replace(/ at .*$/s, '')] ?? 'UNKNOWN'
  if (result === 'REVERT') return { result, message: 'REVERT opcode executed' }
  if (result === 'OUT_OF_ENERGY')
    return { result, message: `Not enough energy for executing: curInvokeEnergyLimit[${limit}]` }
  return { result, message: error.error }
}
