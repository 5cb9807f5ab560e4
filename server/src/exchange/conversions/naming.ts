import type { Tx } from '../../platform/db/index.ts'
import { findDeposit, isSum, type Deposit } from '../../pay-in/deposits/index.ts'
import { intentIdOf, senderIntentOf } from '../../pay-out/withdrawals/index.ts'
import type { Conversion } from './conversion.ts'

/**
 * What the signer knows the payment of a conversion's next step by. A copy of the database that reads a deposit again
 * gives it another id, so the payment is named by where the money came from, and the signer refuses to send it on
 * twice. Each step of a conversion leaves less, so that no two of them are the same payment. An invoice may cause
 * several conversions of one amount.
 */
export const intentOf = async (tx: Tx, { merchantId, id, units }: Conversion): Promise<string> => {
  const deposit = await findDeposit(tx, merchantId, id)
  return intentIdOf(merchantId, `conversion:${deposit ? await sourceOf(tx, deposit) : id}:${units}`)
}

const sourceOf = async (tx: Tx, deposit: Deposit): Promise<string> => {
  const { network, transaction, index, address, asset } = deposit
  if (deposit.internal) return `internal:${await senderIntentOf(tx, transaction)}`
  // What small deposits add up to has no place in a transaction.
  return `${network}:${transaction}:${isSum(deposit) ? `sum:${address}:${asset}` : index}`
}
