/** Returns who has signed a transaction, and whether that suffices: here always the account's own key, once. */
import { addressJson } from '../codec/json.ts'
import type { Json } from '../codec/json.ts'
import { transactionFromJson, transactionJson } from '../codec/transaction-json.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import { TransactionRefusal } from '../blocks/refusal.ts'
import { verifySignature } from '../blocks/signature.ts'
import type { Fields } from './request.ts'
import type { Routes } from './routes.ts'

export const signWeightRoutes: Routes = {
  getsignweight: async (_view, fields) => {
    const transaction = transactionFromJson(fields.all)
    const { approved, error } = await judge(transaction)
    const key = { address: addressJson(transaction.raw.contract.value.owner_address, fields.visible), weight: 1 }
    const enough = approved ? {} : { code: 'NOT_ENOUGH_PERMISSION' }
    return {
      result: error === undefined ? enough : { code: 'PERMISSION_ERROR', message: error },
      ...(approved ? { approved_list: [key.address], current_weight: 1 } : {}),
      permission: { permission_name: 'owner', threshold: 1, keys: [key] },
      transaction: extended(transaction, fields),
    }
  },
  getapprovedlist: async (_view, fields) => {
    const transaction = transactionFromJson(fields.all)
    const { approved, error } = await judge(transaction)
    return {
      result: error === undefined ? {} : { code: 'OTHER_ERROR', message: error },
      ...(approved
        ? { approved_list: [addressJson(transaction.raw.contract.value.owner_address, fields.visible)] }
        : {}),
      transaction: extended(transaction, fields),
    }
  },
}

const extended = (transaction: SignedTransaction, { visible }: Fields): Json => ({
  result: { result: true },
  txid: transaction.id,
  transaction: transactionJson(transaction, visible),
})

const judge = async (transaction: SignedTransaction): Promise<{ approved: boolean; error?: string }> => {
  if (transaction.signatures.length === 0) return { approved: false }
  try {
    await verifySignature(transaction)
    return { approved: true }
  } catch (error) {
    if (error instanceof TransactionRefusal) return { approved: false, error: error.message }
    throw error
  }
}
