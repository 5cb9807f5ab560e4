import type { Transfer } from '@bursar/chainkit'
import { checksumAddress, type Hex } from '@bursar/chainkit/evm'
import type { BalanceChanges } from './balance-changes.ts'

/** Balance changes of a transaction that its inner calls did not cause. Addresses in lower case, amounts in wei. */
export interface Outside {
  from: string
  to: string
  value: bigint
  fee: bigint
  /** the fee recipient's share of the fee; null on a chain whose fees go elsewhere first */
  tip: { to: string; units: bigint } | null
}

/**
 * Maximum number of senders to return. The limit bounds the data that a transaction can make us store. A transfer with
 * more senders says so, and screening treats it as risky: a listed sender could be among the rest.
 */
const MOST_SENDERS = 100

/** Reduces balance changes to those made by inner calls. */
export const withoutOutside = (changes: BalanceChanges, { from, to, value, fee, tip }: Outside): BalanceChanges => {
  const inner = new Map(changes)
  const add = (address: string, units: bigint): void => void inner.set(address, (inner.get(address) ?? 0n) + units)
  add(from, value + fee)
  add(to, -value)
  if (tip) add(tip.to, -tip.units)
  return inner
}

/**
 * Native coin that inner calls of a transaction sent to accounts, as one transfer per account, because clients number
 * inner calls differently but agree about balances. Senders are the accounts that lost coin by such calls, the largest
 * loss first.
 * @param left amounts that accounts sent away by a sweep, by lower-case address: they do not reduce the received amount
 */
export const innerIncome = (inner: BalanceChanges, left: BalanceChanges): Transfer[] => {
  const sums = new Map(inner)
  for (const [address, units] of left) sums.set(address, (sums.get(address) ?? 0n) + units)
  const losers = [...sums].filter(([, units]) => units < 0n).toSorted(([, a], [, b]) => Number(a > b) - Number(a < b))
  const from = losers.slice(0, MOST_SENDERS).map(([address]) => checksumAddress(address as Hex))
  const omitted = losers.length > MOST_SENDERS && ({ sendersOmitted: true } as const)
  return [...sums].flatMap(([address, units]): Transfer[] => {
    if (units <= 0n) return []
    const to = checksumAddress(address as Hex)
    return [{ index: `t:${to}`, contract: null, from, ...omitted, to, units }]
  })
}
