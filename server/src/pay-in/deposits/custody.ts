import { onAccounts, type CustodyMove } from '../../ledger/address-balances/index.ts'
import { isSum, type Deposit } from './deposit.ts'

/** The amounts that deposits in blocks of the best chain add to their addresses, credited or not. */
export const brought = (deposits: readonly Deposit[]): CustodyMove[] =>
  onAccounts(
    deposits
      .filter((deposit) => !deposit.internal && !isSum(deposit))
      .map(({ network, asset, address, units, blockHeight }) => ({
        network,
        asset,
        address,
        units,
        height: blockHeight,
      })),
  )
