/** Checks that apply to every transaction: age, reference block, size. Source: java-tron Manager. */
import { bytesOf, sameBytes } from '../bytes.ts'
import { encodeTransaction } from '../codec/transaction.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import type { Branch } from './branch.ts'
import { TransactionRefusal } from './refusal.ts'

const longestLifeMs = 86_400_000n
const mostBytes = 500 * 1024
/** ref_block_bytes has two bytes. */
const referable = 65_536

/** Throws TransactionRefusal. `head`: the time of the block before the one it would be in, ms. */
export const checkTransaction = (branch: Branch, transaction: SignedTransaction): void => {
  const { raw } = transaction
  if (!refersToBranch(branch, raw.refBlockBytes, raw.refBlockHash))
    throw new TransactionRefusal('TAPOS_ERROR', 'Tapos check error.')
  if (encodeTransaction(transaction).length > mostBytes)
    throw new TransactionRefusal('TOO_BIG_TRANSACTION_ERROR', 'Transaction size is too big.')
  checkExpiration(branch, transaction)
  if (branch.transaction(transaction.id) !== undefined)
    throw new TransactionRefusal('DUP_TRANSACTION_ERROR', 'Dup transaction.')
}

/** Throws TransactionRefusal. */
export const checkExpiration = (branch: Branch, { raw: { expiration } }: SignedTransaction): void => {
  const now = BigInt(branch.head().timestamp)
  if (expiration <= now || expiration > now + longestLifeMs)
    throw new TransactionRefusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired')
}

const refersToBranch = (branch: Branch, refBytes: Uint8Array, refHash: Uint8Array): boolean => {
  if (refBytes.length !== 2) return false
  const low = (refBytes[0] as number) * 256 + (refBytes[1] as number)
  const height = branch.height()
  const number = height - ((((height - low) % referable) + referable) % referable)
  const block = branch.at(number)
  return block !== undefined && sameBytes(bytesOf(block.id).subarray(8, 16), refHash)
}
