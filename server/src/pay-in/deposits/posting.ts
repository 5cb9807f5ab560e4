import type { Moment } from '../../platform/base/moment.ts'
import { tidyLegs, type AccountKind, type Item } from '../../ledger/postings/index.ts'
import { isSum, type Deposit } from './deposit.ts'

/** Signed units on accounts of the deposit's merchant and asset: credits positive. */
type Amounts = Partial<Record<AccountKind, bigint>>

const itemOf = (deposit: Deposit, amounts: Amounts, { at, newId }: Moment): Item => ({
  transfer: {
    id: newId(),
    merchantId: deposit.merchantId,
    kind: 'post',
    cause: { kind: 'deposit', id: deposit.id },
    legs: tidyLegs(
      (Object.entries(amounts) as [AccountKind, bigint][]).map(([kind, posted]) => ({
        account: { merchantId: deposit.merchantId, asset: deposit.asset, kind },
        posted,
        held: 0n,
      })),
    ),
    at,
  },
})

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Where the money of a deposit stands on the other side: on the chain, on its way from another merchant, or in suspense
 * since its parts came.
 */
const sourceOf = (deposit: Deposit): AccountKind => {
  if (isSum(deposit)) return 'suspense'
  return deposit.internal ? 'clearing' : `custody:${deposit.network}`
}

/** Where the money stands that a deposit in a state has brought. */
export type Standing = 'merchant' | 'suspense' | 'quarantine'

/**
 * Credits a deposit, from where it arrived or out of quarantine: the amount less the fee, of which the merchant's debt
 * is repaid first.
 * @param owed what the merchant owes in this asset, not negative
 * @returns the item, and what is owed after it
 */
export const creditItem = (
  deposit: Deposit,
  from: 'source' | 'quarantine',
  owed: bigint,
  moment: Moment,
): { item: Item; owed: bigint } => {
  const net = deposit.units - deposit.fee
  const repaid = least(owed, net)
  const amounts = {
    [from === 'source' ? sourceOf(deposit) : from]: -deposit.units,
    merchant: net - repaid,
    receivable: repaid,
    fees: deposit.fee,
  }
  return { item: itemOf(deposit, amounts, moment), owed: owed - repaid }
}

/** Books money that is in our wallet but not the merchant's. */
export const setAsideItem = (deposit: Deposit, account: 'suspense' | 'quarantine', moment: Moment): Item =>
  itemOf(deposit, { [sourceOf(deposit)]: -deposit.units, [account]: deposit.units }, moment)

/**
 * Takes back what a deposit brought: as much as is still available, and the rest is owed from now on.
 * @param from the account it was credited to, and what that has available
 * @returns the item, and how much of it is now owed
 */
export const takeBackItem = (
  deposit: Deposit,
  from: { account: Standing; available: bigint },
  moment: Moment,
): { item: Item; taken: bigint; short: bigint } => {
  const fee = from.account === 'merchant' ? deposit.fee : 0n
  const net = deposit.units - fee
  const taken = least(from.available, net)
  const short = net - taken
  const amounts = {
    [sourceOf(deposit)]: deposit.units,
    [from.account]: -taken,
    receivable: -short,
    fees: -fee,
  }
  return { item: itemOf(deposit, amounts, moment), taken, short }
}
