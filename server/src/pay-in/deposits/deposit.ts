import type { Network } from '@bursar/chainkit'
import type { Compliance } from '@bursar/contract'
import type { Static } from 'typebox'
import type { DepositState } from './machine.ts'

/** The status in notifications of a deposit (`contract.md` 6.1). */
export type WireStatus = 'Pending' | 'Done' | 'Verified' | 'Failed'

/** Why a deposit is not credited, or will not be. */
type FailReason =
  | 'LESS_THEN_MIN_AMOUNT'
  | 'ERRROR_CODE_GENERIC'
  | 'TRANSACTION_REPLACED'
  | 'REORGANIZED'
  | 'AML_REJECTED'

/** Money that reached a deposit address. Amounts in the asset's ledger units. */
export interface Deposit {
  merchantId: string
  id: string
  network: Network
  asset: string
  /**
   * hash of the chain transaction; of the block, if the money came without a transaction; for an internal deposit, the
   * id of the withdrawal
   */
  transaction: string
  /** place in the transaction (`Transfer.index`), or `foundByBalance` */
  index: string
  address: string
  addressId: string
  senders: string[]
  /** the transaction has too many senders to store them with each of its deposits */
  sendersOmitted?: boolean
  units: bigint
  fee: bigint
  state: DepositState
  /** the newest status the merchant was notified of */
  notified: WireStatus
  failReason: FailReason | null
  /** the result of screening, once the deposit is Verified */
  compliance: Static<typeof Compliance> | null
  blockHeight: number | null
  internal: boolean
  /** the lease of the rotating address had ended when the deposit was first seen */
  late: boolean
  /** meta of the address at that time */
  meta: string | null
  createdAt: Date
}

/**
 * Index of native coin that a balance check found: a contract sent it, and the node does not show such transfers. Its
 * transaction is unknown, so its `transaction` is the hash of the block that was compared.
 */
export const foundByBalance = (address: string): string => `b:${address}`

/**
 * Whether the deposit is the sum of several deposits below the minimum. Its money is in suspense already, its
 * `transaction` is that of the last of them, and its index, which begins with `s:`, is no place in the transaction.
 */
export const isSum = ({ index }: Pick<Deposit, 'index'>): boolean => index.startsWith('s:')

const isFoundByBalance = (index: string): boolean => index.startsWith('b:')

/**
 * Whether the money came in a block without a transaction: a validator's withdrawal or tips. Its `transaction` is the
 * hash of that block.
 */
const isOfBlock = (index: string): boolean => index === 'f' || index.startsWith('w:')

/** Whether `transaction` is the hash of a transaction on the chain. */
export const hasHash = ({ internal, index }: Pick<Deposit, 'internal' | 'index'>): boolean =>
  !internal && !isFoundByBalance(index) && !isOfBlock(index)
