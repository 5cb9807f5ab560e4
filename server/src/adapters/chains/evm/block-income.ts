import type { ChainTransaction, EvmNetwork, Transfer } from '@bursar/chainkit'
import { listOf, objectOf } from '../shape.ts'
import { addressOf, countOf, hashOf, quantityOf } from './quantity.ts'
import { tipOf, type Receipt } from './receipts.ts'

type Fields = Record<string, unknown>

/** Base fee of a block in wei, and the recipient of the fees above it. */
export interface Fees {
  /** EIP-55 */
  recipient: string
  baseFee: bigint
}

const WEI_PER_GWEI = 10n ** 9n

/**
 * Returns the fees of a block; null on BSC, where fees go to a system account first, and to a validator's contract by a
 * transaction of the block (bnb-chain/bsc 1.6, core/state_transition.go and consensus/parlia).
 */
export const feesOf = (network: EvmNetwork, block: Fields): Fees | null =>
  network === 'ETHEREUM'
    ? {
        recipient: addressOf(block['miner'], 'miner'),
        baseFee: quantityOf(block['baseFeePerGas'] ?? '0x0', 'baseFeePerGas'),
      }
    : null

/**
 * Coin that a block credits without a transaction: withdrawals of validators (EIP-4895, in gwei) and tips. They are
 * returned as one transaction with the block's hash and with indexes that no other transfer has: `w:INDEX` and `f`.
 */
export const blockIncome = (block: Fields, fees: Fees | null, receipts: readonly Receipt[]): ChainTransaction[] => {
  const withdrawals = listOf(block['withdrawals'] ?? [], 'withdrawals').map((one) =>
    withdrawalOf(objectOf(one, 'a withdrawal')),
  )
  const tips = fees === null ? 0n : receipts.reduce((sum, receipt) => sum + tipOf(receipt, fees.baseFee), 0n)
  const transfers = [...withdrawals, ...(fees ? [incomeOf('f', fees.recipient, tips)] : [])].filter(
    ({ units }) => units > 0n,
  )
  if (transfers.length === 0) return []
  return [{ hash: hashOf(block['hash'], 'hash'), keys: [], succeeded: true, fee: 0n, transfers }]
}

const withdrawalOf = ({ index, address, amount }: Fields): Transfer =>
  incomeOf(
    `w:${countOf(index, 'the index of a withdrawal')}`,
    addressOf(address, 'the address of a withdrawal'),
    quantityOf(amount, 'the amount of a withdrawal') * WEI_PER_GWEI,
  )

const incomeOf = (index: string, to: string, units: bigint): Transfer => ({
  index,
  contract: null,
  from: [],
  to,
  units,
})
