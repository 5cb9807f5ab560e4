import {
  seedIndex,
  type Block,
  type ChainTransaction,
  type CoinSwept,
  type Network,
  type Transfer,
} from '@bursar/chainkit'
import { familyOf, isFirstSeedStolen, ownAddressesAmong, ownerOf } from '../../chain/addresses/index.ts'
import type { Tx } from '../../platform/db/index.ts'
import type { Seed } from './queries.ts'

/** The receivers of sweeps of coin, EIP-55, by the seed of the swept address; the second is there once it is active. */
export interface SweepTreasuries {
  first: string
  second?: string | undefined
}

/**
 * Adds to a block the transfers of coin that addresses of ours have sent to their treasury through the code they
 * delegate to, whichever party started it. They are read from logs, so that they are found even if the node does not
 * show inner calls. Only code that we pin can log for an address of ours; other logs are ignored, and so are logs of a
 * stolen seed, because another party can give its addresses code that logs anything.
 */
export const withCoinSwept = async (
  tx: Tx,
  network: Network,
  block: Block,
  treasuries: SweepTreasuries,
): Promise<Block> => {
  const accounts = [
    ...new Set(block.transactions.flatMap(({ coinSwept = [] }) => coinSwept.map(({ account }) => account))),
  ]
  if (accounts.length === 0) return block
  const family = familyOf(network)
  const [deposits, platform] = [await ownerOf(tx, family, accounts), await ownAddressesAmong(tx, family, accounts)]
  const isStolen = await isFirstSeedStolen(tx)
  const seedOf = ({ account }: CoinSwept): Seed | undefined => {
    const own = platform.get(account)
    const index = (deposits.get(account) ?? (own?.account === 'forgotten' ? own : undefined))?.index
    return index === undefined ? undefined : seedIndex(index).seed
  }
  const untraced = block.untraced === true
  return {
    ...block,
    transactions: block.transactions.map((one) => {
      const of = (seed: Seed): CoinSwept[] => (one.coinSwept ?? []).filter((swept) => seedOf(swept) === seed)
      const first = isStolen ? one : withSwept(one, of('first'), treasuries.first, untraced)
      return treasuries.second === undefined ? first : withSwept(first, of('second'), treasuries.second, untraced)
    }),
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
