import type { Block, ChainTransaction, CoinSwept, Network, Transfer } from '@bursar/chainkit'
import { familyOf, ownAddressesAmong, ownerOf } from '../../chain/addresses/index.ts'
import type { Tx } from '../../platform/db/index.ts'

/**
 * A block with the coin among its transfers that addresses of ours have sent to the treasury by the code they delegate
 * to, whichever party asked for it. Their logs say it, also where the node does not show inner calls. Only the code
 * that we pin can log as an address of ours; what others log is left out.
 * @param treasury where that code sends coin, EIP-55
 */
export const withCoinSwept = async (tx: Tx, network: Network, block: Block, treasury: string): Promise<Block> => {
  const accounts = [
    ...new Set(block.transactions.flatMap(({ coinSwept = [] }) => coinSwept.map(({ account }) => account))),
  ]
  if (accounts.length === 0) return block
  const family = familyOf(network)
  const [deposits, platform] = [await ownerOf(tx, family, accounts), await ownAddressesAmong(tx, family, accounts)]
  const isOurs = ({ account }: CoinSwept): boolean =>
    deposits.has(account) || platform.get(account)?.account === 'forgotten'
  return {
    ...block,
    transactions: block.transactions.map((one) =>
      withSwept(one, (one.coinSwept ?? []).filter(isOurs), treasury, block.untraced === true),
    ),
  }
}

const withSwept = (
  transaction: ChainTransaction,
  swept: readonly CoinSwept[],
  treasury: string,
  untraced: boolean,
): ChainTransaction => {
  if (swept.length === 0) return transaction
  const sum = swept.reduce((all, { units }) => all + units, 0n)
  const income = transaction.transfers.find((transfer) => isIncome(transfer, treasury))
  // Shown whole, the treasury has at least what was swept to it. If it has not, the coin went to an earlier one.
  if (!untraced && income !== undefined && income.units < sum) return transaction
  const others = transaction.transfers.filter((transfer) => transfer !== income)
  // What contracts brought to the treasury is shown as one sum, with the sweeps in it.
  const rest = income && income.units > sum ? [{ ...income, units: income.units - sum }] : []
  const moved = swept.map(({ index, account, units }): Transfer => ({
    index,
    contract: null,
    from: [account],
    to: treasury,
    units,
  }))
  return { ...transaction, transfers: [...others, ...rest, ...moved] }
}

const isIncome = ({ index, to }: Transfer, treasury: string): boolean => to === treasury && index === `t:${treasury}`
