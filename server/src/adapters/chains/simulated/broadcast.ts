import type { BroadcastResult } from '../port.ts'
import type { Chain } from './chain.ts'
import type { Unreadable } from './raw.ts'
import type { SimulatedTransaction } from './transaction.ts'

/** A replacement must offer at least a tenth more, as nodes require. */
const RAISE = { by: 11n, of: 10n }

/**
 * Adds a transaction to the pool as a node would.
 * @param floor lowest accepted price
 */
export const takeBroadcast = (
  chain: Chain,
  read: SimulatedTransaction | Unreadable,
  floor: bigint,
): BroadcastResult => {
  if (read.hash !== undefined && (chain.pool.has(read.hash) || chain.blockOf(read.hash))) return { kind: 'accepted' }
  if ('refused' in read) {
    const { refused, message } = read
    return refused === 'conflict' ? { kind: 'conflict', message } : { kind: 'refused', reason: 'invalid', message }
  }
  if (read.turn && read.turn.nonce < chain.state.nonceOf(read.turn.address))
    return { kind: 'conflict', message: 'nonce too low' }
  if (read.turn && !chain.state.canSucceed(feeOnly(read))) {
    return { kind: 'refused', reason: 'insufficient-funds', message: 'insufficient funds for fee and value' }
  }
  const tooCheap =
    read.price < floor || chain.conflictsOf(read).some(({ price }) => read.price * RAISE.of < price * RAISE.by)
  if (tooCheap) return { kind: 'refused', reason: 'fee-too-low', message: 'it offers too little' }
  chain.take(read)
  return { kind: 'accepted' }
}

/** Considers the fee only: a lack of tokens makes the transaction fail when it is mined, not earlier. */
const feeOnly = (read: SimulatedTransaction): SimulatedTransaction => ({
  ...read,
  debits: read.debits.filter(({ contract }) => contract === null),
})
