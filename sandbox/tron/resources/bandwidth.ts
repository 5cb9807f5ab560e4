/** Charges bandwidth: every transaction uses its bytes and 64 for its result; TRX pays for missing bandwidth. */
import { base58Of } from '../address.ts'
import type { Address } from '../address.ts'
import { InvalidContract, TransactionRefusal } from '../blocks/refusal.ts'
import { encodeTransaction } from '../codec/transaction.ts'
import type { SignedTransaction } from '../codec/transaction.ts'
import type { Context } from '../contracts/context.ts'
import { accountAt, putAccount } from '../state/account.ts'
import type { Account } from '../state/account.ts'
import { publicBandwidthOf, putPublicBandwidth } from '../state/records.ts'
import { leftOf } from './stake.ts'
import { use, usedAt } from './usage.ts'

const bytesForTheResult = 64

export interface Bandwidth {
  readonly netUsage: bigint
  readonly netFee: bigint
}

const bytesOfTransaction = (transaction: SignedTransaction): bigint =>
  BigInt(encodeTransaction(transaction).length + bytesForTheResult)

/**
 * Uses own stake first, then the free bytes of the day while the network's suffice, then TRX. A transaction that
 * creates an account has no free bytes. Throws TransactionRefusal.
 */
export const payBandwidth = (context: Context, owner: Address, transaction: SignedTransaction): Bandwidth => {
  const { state, values, slot } = context
  const account = accountAt(state, owner)
  if (account === undefined) throw new InvalidContract(`account [${base58Of(owner)}] does not exist`)
  const bytes = bytesOfTransaction(transaction)
  const creates = createsAccount(context, transaction)
  const staked = creates ? bytes * values.getCreateNewAccountBandwidthRate : bytes
  const put = (changes: Partial<Account>): void =>
    putAccount(state, owner, { ...account, operated: context.now, ...changes })
  if (staked <= leftOf(state, account, 'BANDWIDTH', slot)) {
    put({ usage: { ...account.usage, BANDWIDTH: use(account.usage.BANDWIDTH, staked, slot) } })
    return { netUsage: staked, netFee: 0n }
  }
  const shared = publicBandwidthOf(state)
  const isFree =
    bytes <= values.getFreeNetLimit - usedAt(account.freeBandwidth, slot) &&
    bytes <= values.getPublicNetLimit - usedAt(shared, slot)
  if (!creates && isFree) {
    putPublicBandwidth(state, { ...use(shared, bytes, slot), window: shared.window })
    put({ freeBandwidth: { ...use(account.freeBandwidth, bytes, slot), window: account.freeBandwidth.window } })
    return { netUsage: bytes, netFee: 0n }
  }
  const netFee = creates ? values.getCreateAccountFee : bytes * values.getTransactionFee
  if (account.balance < netFee) throw new TransactionRefusal('BANDWITH_ERROR', 'Account resource insufficient error.')
  put({ balance: account.balance - netFee })
  return { netUsage: 0n, netFee }
}

/** Throws TransactionRefusal. */
export const payMemo = ({ state, values }: Context, owner: Address, memo: Uint8Array): bigint => {
  if (memo.length === 0 || values.getMemoFee === 0n) return 0n
  const account = accountAt(state, owner)
  if (account === undefined || account.balance < values.getMemoFee)
    throw new TransactionRefusal('BANDWITH_ERROR', 'Account resource insufficient error.')
  putAccount(state, owner, { ...account, balance: account.balance - values.getMemoFee })
  return values.getMemoFee
}

const createsAccount = ({ state }: Context, { raw: { contract } }: SignedTransaction): boolean =>
  contract.type === 'AccountCreateContract' ||
  (contract.type === 'TransferContract' && accountAt(state, contract.value.to_address) === undefined)
