/** Requirements that both contracts that run code have for their transaction. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { RunContext } from './context.ts'

/** Throws InvalidContract. This chain does not support TRC-10 tokens. */
export const requireLimits = (context: RunContext, callValue: bigint, tokenValue: bigint): void => {
  const { feeLimit } = context.transaction.raw
  const most = context.values.getMaxFeeLimit
  if (feeLimit < 0n || feeLimit > most) throw new InvalidContract(`feeLimit must be >= 0 and <= ${most}`)
  if (callValue < 0n) throw new InvalidContract('callValue must be >= 0')
  if (tokenValue !== 0n) throw new InvalidContract('No asset !')
}
