/** Executes one transaction on a state: bandwidth, memo, contract, energy. Either all of it takes effect or nothing. */
import type { SignedTransaction } from '../codec/transaction.ts'
import { executeContract } from '../contracts/index.ts'
import type { RunContext } from '../contracts/index.ts'
import { payBandwidth, payMemo } from '../resources/bandwidth.ts'
import { slotOf } from '../resources/usage.ts'
import { parametersOf } from '../state/records.ts'
import type { State } from '../state/state.ts'
import type { Machine, MachineBlock } from '../vm/machine.ts'
import type { Receipt } from './receipt.ts'

export interface Place {
  readonly machine: Machine
  readonly block: MachineBlock
  /** ms; of the block before. */
  readonly now: bigint
}

/** Throws TransactionRefusal; the state is then unchanged. */
export const executeTransaction = async (
  state: State,
  place: Place,
  transaction: SignedTransaction,
): Promise<Receipt> => {
  const { now, machine, block } = place
  const context: RunContext = {
    state,
    machine,
    block,
    transaction,
    now,
    values: parametersOf(state).values,
    slot: slotOf(now),
  }
  const { contract, data } = transaction.raw
  const owner = contract.value.owner_address
  state.checkpoint()
  try {
    const bandwidth = payBandwidth(context, owner, transaction)
    const memoFee = payMemo(context, owner, data)
    const outcome = await executeContract(context, contract)
    state.commit()
    const fee = bandwidth.netFee + memoFee + (outcome.fee ?? 0n) + (outcome.run?.energyFee ?? 0n)
    const { withdrawExpireAmount, run } = outcome
    return {
      ...bandwidth,
      fee,
      ...(run === undefined ? {} : { run }),
      ...(withdrawExpireAmount === undefined ? {} : { withdrawExpireAmount }),
    }
  } catch (error) {
    state.revert()
    throw error
  }
}
