/** The context in which a contract is executed. */
import type { Receipt } from '../blocks/receipt.ts'
import { InvalidContract } from '../blocks/refusal.ts'
import { base58Of, isAddress, type Address } from '../address.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import type { ParameterValues } from '../resources/parameters.ts'
import { accountAt, type Account, type Resource } from '../state/account.ts'
import type { State } from '../state/state.ts'
import type { Machine, MachineBlock } from '../vm/call.ts'

export interface Context {
  readonly state: State
  readonly values: ParameterValues
  /** ms; the newest block's, as everything but the virtual machine counts time. */
  readonly now: bigint
  /** `now` in slots of 3 s. */
  readonly slot: bigint
}

/** Context of contracts that run code. */
export interface RunContext extends Context {
  readonly machine: Machine
  readonly block: MachineBlock
  readonly transaction: SignedTransaction
}

/** The execution's additions to a receipt; `fee` excludes bandwidth, memo and energy. */
export interface Outcome {
  readonly fee?: bigint
  readonly withdrawExpireAmount?: bigint
  readonly run?: NonNullable<Receipt['run']>
}

/** Returns the owner's account. Throws InvalidContract with java-tron's message. */
export const requireOwner = (state: State, owner: Address, badAddress = 'Invalid address'): Account => {
  if (!isAddress(owner)) throw new InvalidContract(badAddress)
  const account = accountAt(state, owner)
  if (account === undefined) throw new InvalidContract(`Account[${base58Of(owner)}] does not exist`)
  return account
}

/** This chain does not support stake for votes only. */
export const requireResource = (resource: string, words: string): Resource => {
  if (resource !== 'BANDWIDTH' && resource !== 'ENERGY') throw new InvalidContract(words)
  return resource
}

/** Requirements that both contracts that run code have for their transaction. */

/** Throws InvalidContract. This chain does not support TRC-10 tokens. */
export const requireLimits = (context: RunContext, callValue: bigint, tokenValue: bigint): void => {
  const { feeLimit } = context.transaction.raw
  const most = context.values.getMaxFeeLimit
  if (feeLimit < 0n || feeLimit > most) throw new InvalidContract(`feeLimit must be >= 0 and <= ${most}`)
  if (callValue < 0n) throw new InvalidContract('callValue must be >= 0')
  if (tokenValue !== 0n) throw new InvalidContract('No asset !')
}
