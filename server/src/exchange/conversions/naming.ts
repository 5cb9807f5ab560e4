import type { Tx } from '../../platform/db/index.ts'
import { findDeposit, isSum, type Deposit } from '../../pay-in/deposits/index.ts'
import { intentIdOf, senderIntentOf } from '../../pay-out/withdrawals/index.ts'
import type { Conversion } from './conversion.ts'

/**
 * Returns the intent id of the payment of a conversion's next step. A restored database that reads a deposit again
 * gives it another id, so the intent is named by the source of the money, and the signer refuses to pay it twice. Each
 * step leaves less, so no two steps have the same intent. An invoice may cause several conversions of the same amount.
 */
export const intentOf = async (tx: Tx, { merchantId, id, units }: Conversion): Promise<string> => {
  const deposit = await findDeposit(tx, merchantId, id)
  return intentIdOf(merchantId, `conversion:${deposit ? await sourceOf(tx, deposit) : id}:${units}`)
}

const sourceOf = async (tx: Tx, deposit: Deposit): Promise<string> => {
  const { network, transaction, index, address, asset } = deposit
  if (deposit.internal) return `internal:${await senderIntentOf(tx, transaction)}`
  // A sum of small deposits has no position in a transaction.
  return `${network}:${transaction}:${isSum(deposit) ? `sum:${address}:${asset}` : index}`
}
