import type { Network } from '@bursar/chainkit'
import type { Compliance } from '@bursar/contract'
import type { Static } from 'typebox'
import type { DepositState } from './machine.ts'

/** What notifications say of a deposit (`contract.md` 6.1). */
export type WireStatus = 'Pending' | 'Done' | 'Verified' | 'Failed'

/** Why a deposit is not, or will not be, credited. */
type FailReason = 'LESS_THEN_MIN_AMOUNT' | 'TRANSACTION_REPLACED' | 'REORGANIZED' | 'AML_REJECTED'

/** Money that reached a deposit address. Amounts in the asset's ledger units. */
export interface Deposit {
  merchantId: string
  id: string
  network: Network
  asset: string
  /**
   * the chain transaction's hash, or the block's of what comes without one; when internal, the id of the withdrawal it
   * comes from
   */
  transaction: string
  /** where in the transaction (`Transfer.index`), or `foundByBalance` */
  index: string
  address: string
  addressId: string
  senders: string[]
  /** the transaction has too many senders for them to be written beside each of its deposits */
  sendersOmitted?: boolean
  units: bigint
  fee: bigint
  state: DepositState
  /** the newest status the merchant was notified of */
  notified: WireStatus
  failReason: FailReason | null
  /** what screening found, once it is Verified */
  compliance: Static<typeof Compliance> | null
  blockHeight: number | null
  internal: boolean
  /** a rotating address had ended when it was first seen */
  late: boolean
  /** the address's, as it was then */
  meta: string | null
  createdAt: Date
}

/**
 * Index of native coin that a balance check found: sent by a contract, on a node that does not show such transfers. Its
 * transaction is not known, so its `transaction` is the hash of the block that was checked.
 */
export const foundByBalance = (address: string): string => `b:${address}`

/**
 * Whether it is what several deposits below the minimum add up to: its money is in suspense already, its `transaction`
 * is that of the last of them, and its index, which begins with `s:`, is no place in it.
 */
export const isSum = ({ index }: Pick<Deposit, 'index'>): boolean => index.startsWith('s:')

const isFoundByBalance = (index: string): boolean => index.startsWith('b:')

/**
 * Whether a block brought it without a transaction: a validator's withdrawal or tips. Its `transaction` is the hash of
 * that block.
 */
const isOfBlock = (index: string): boolean => index === 'f' || index.startsWith('w:')

/** Whether its `transaction` names one of the chain. */
export const hasHash = ({ internal, index }: Pick<Deposit, 'internal' | 'index'>): boolean =>
  !internal && !isFoundByBalance(index) && !isOfBlock(index)
