import type { Moment } from '../../platform/base/moment.ts'
import { mergeEntries, type AccountKind, type Item } from '../../ledger/postings/index.ts'
import { isSum, type Deposit } from './deposit.ts'

/** Signed units on accounts of the deposit's merchant and asset: credits positive. */
type Amounts = Partial<Record<AccountKind, bigint>>

const itemOf = (deposit: Deposit, amounts: Amounts, { at, newId }: Moment): Item => ({
  transfer: {
    id: newId(),
    merchantId: deposit.merchantId,
    kind: 'post',
    cause: { kind: 'deposit', id: deposit.id },
    entries: mergeEntries(
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
 * The account that a deposit's money comes from: custody of the chain, clearing for another merchant's transfer, or
 * suspense for a sum of small deposits.
 */
const sourceOf = (deposit: Deposit): AccountKind => {
  if (isSum(deposit)) return 'suspense'
  return deposit.internal ? 'clearing' : `custody:${deposit.network}`
}

/** The account that holds a deposit's money. */
export type HoldingKind = 'merchant' | 'suspense' | 'quarantine'

/**
 * Credits a deposit, from its source or from quarantine: the amount minus the fee, from which the merchant's debt is
 * repaid first.
 * @param owed the merchant's debt in this asset, not negative
 * @returns the item, and the remaining debt
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

/** Posts money that is in our wallet but does not belong to the merchant. */
export const setAsideItem = (deposit: Deposit, account: 'suspense' | 'quarantine', moment: Moment): Item =>
  itemOf(deposit, { [sourceOf(deposit)]: -deposit.units, [account]: deposit.units }, moment)

/**
 * Reverses a deposit: takes the amount that is still available; the rest becomes a debt.
 * @param from the account it was posted to, and the amount available there
 * @returns the item, and how much of it is now a debt
 */
export const takeBackItem = (
  deposit: Deposit,
  from: { account: HoldingKind; available: bigint },
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
