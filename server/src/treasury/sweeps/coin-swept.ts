import type { Block, ChainTransaction, CoinSwept, Network, Transfer } from '@bursar/chainkit'
import { familyOf, ownAddressesAmong, ownerOf } from '../../chain/addresses/index.ts'
import type { Tx } from '../../platform/db/index.ts'

/**
 * Adds to a block the transfers of coin that addresses of ours have sent to the treasury through the code they delegate
 * to, whichever party started it. They are read from logs, so that they are found even if the node does not show inner
 * calls. Only code that we pin can log for an address of ours; other logs are ignored.
 * @param treasury the receiver of that code's transfers, EIP-55
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
  // In a traced block, the treasury received at least the swept sum. If it did not, the coin went to an earlier
  // treasury.
  if (!untraced && income !== undefined && income.units < sum) return transaction
  const others = transaction.transfers.filter((transfer) => transfer !== income)
  // The coin that contracts sent to the treasury is shown as one sum, which includes the sweeps.
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
