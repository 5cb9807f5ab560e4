/** What both contracts that run code demand of their transaction. */
import { InvalidContract } from '../blocks/refusal.ts'
import type { RunContext } from './context.ts'

/** Throws InvalidContract. TRC-10 tokens are not part of this chain. */
export const requireLimits = (context: RunContext, callValue: bigint, tokenValue: bigint): void => {
  const { feeLimit } = context.transaction.raw
  const most = context.values.getMaxFeeLimit
  if (feeLimit < 0n || feeLimit > most) throw new InvalidContract(`feeLimit must be >= 0 and <= ${most}`)
  if (callValue < 0n) throw new InvalidContract('callValue must be >= 0')
  if (tokenValue !== 0n) throw new InvalidContract('No asset !')
}
