import type { Transfer } from '@bursar/chainkit'
import { checksumAddress, type Hex } from '@bursar/chainkit/evm'
import type { BalanceChanges } from './balance-changes.ts'

/**
 * What of a transaction's changes of balances is not made by calls within it. Addresses in lower case, amounts in wei.
 */
export interface Outside {
  from: string
  to: string
  value: bigint
  fee: bigint
  /** what the block's fee recipient had of the fee; null on a chain whose fees go elsewhere first */
  tip: { to: string; units: bigint } | null
}

/**
 * Senders that are named at most. Screening looks each of them up, and one that is left out is not looked at: the limit
 * only bounds what a transaction can make us store.
 */
const MOST_SENDERS = 100

/** Leaves what the calls within a transaction did to balances. */
export const withoutOutside = (changes: BalanceChanges, { from, to, value, fee, tip }: Outside): BalanceChanges => {
  const inner = new Map(changes)
  const add = (address: string, units: bigint): void => void inner.set(address, (inner.get(address) ?? 0n) + units)
  add(from, value + fee)
  add(to, -value)
  if (tip) add(tip.to, -tip.units)
  return inner
}

/**
 * Native coin that calls within a transaction brought to accounts: one transfer an account. Clients number inner calls
 * each in its own way, but agree about balances. Senders are those that lost coin by such calls, the largest loss
 * first.
 * @param left what accounts have sent away by a sweep, in lower case: it does not lessen what came to them
 */
export const innerIncome = (inner: BalanceChanges, left: BalanceChanges): Transfer[] => {
  const sums = new Map(inner)
  for (const [address, units] of left) sums.set(address, (sums.get(address) ?? 0n) + units)
  const from = [...sums]
    .filter(([, units]) => units < 0n)
    .toSorted(([, a], [, b]) => Number(a > b) - Number(a < b))
    .slice(0, MOST_SENDERS)
    .map(([address]) => checksumAddress(address as Hex))
  return [...sums].flatMap(([address, units]): Transfer[] => {
    if (units <= 0n) return []
    const to = checksumAddress(address as Hex)
    return [{ index: `t:${to}`, contract: null, from, to, units }]
  })
}
