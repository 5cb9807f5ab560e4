/** The exceptions that java-tron throws when code fails other than by REVERT. Source: java-tron Program. */
import type { Run } from '../blocks/receipt.ts'

const NAMES: Readonly<Partial<Record<Run['result'], string>>> = {
  OUT_OF_ENERGY: 'OutOfEnergyException',
  BAD_JUMP_DESTINATION: 'BadJumpDestinationException',
  ILLEGAL_OPERATION: 'IllegalOperationException',
  STACK_TOO_SMALL: 'StackTooSmallException',
  STACK_TOO_LARGE: 'StackTooLargeException',
  OUT_OF_MEMORY: 'OutOfMemoryException',
  TRANSFER_FAILED: 'TransferException',
  INVALID_CODE: 'InvalidCodeException',
  PRECOMPILED_CONTRACT: 'PrecompiledContractException',
}

const WORDS: Readonly<Partial<Record<Run['result'], string>>> = {
  ILLEGAL_OPERATION: 'Invalid operation code: opCode[fe];',
  BAD_JUMP_DESTINATION: "Operation with pc isn't 'JUMPDEST': PC[0];",
}

/**
 * Returns the exception as servlets print it; undefined when the code ended normally or by REVERT, which is not an
 * exception.
 */
export const exceptionOf = ({
  result,
  message,
}: Pick<Run, 'result' | 'message'>): { name: string; words: string } | undefined => {
  if (result === 'SUCCESS' || result === 'REVERT') return undefined
  const name = NAMES[result]
  if (name === undefined) return { name: 'java.lang.RuntimeException', words: 'Unknown Throwable' }
  return { name: `org.tron.core.vm.program.Program$${name}`, words: WORDS[result] ?? message ?? '' }
}
