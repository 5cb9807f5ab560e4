/**
 * Usage regenerates linearly over a window: a day for new usage; later usage lengthens or shortens the window by
 * weight. Counted in slots of 3 s and in averages with six more digits, as in java-tron (chainbase ResourceProcessor),
 * so that results are exact.
 */
import { slotsOfADay } from '../state/account.ts'
import type { Usage } from '../state/account.ts'

const precision = 1_000_000n

/** The slot of a time in ms. */
export const slotOf = (time: bigint): bigint => time / 3_000n

/** Returns the remaining usage at a slot. */
export const usedAt = ({ used, slot, window }: Usage, now: bigint): bigint => {
  if (used === 0n || now - slot >= window) return 0n
  return (averageAt({ used, slot, window }, now) * window) / precision
}

/** Returns the usage after `amount` more is used at a slot. */
export const use = (usage: Usage, amount: bigint, now: bigint): Usage => {
  const average = now - usage.slot >= usage.window ? 0n : averageAt(usage, now)
  const remaining = (average * usage.window) / precision
  const added = divideUp(amount * precision, slotsOfADay)
  const used = (average * usage.window + added * slotsOfADay) / precision
  if (remaining === 0n || used === 0n) return { used, slot: now, window: slotsOfADay }
  const left = usage.window - (now - usage.slot)
  return { used, slot: now, window: (left * remaining + slotsOfADay * amount) / used }
}

/** Moves a share of the borrower's usage to the lender with the returned stake; windows are averaged by weight. */
export const takeOver = (lender: Usage, borrower: Usage, amount: bigint, now: bigint): Usage => {
  const own = use(lender, 0n, now)
  const used = own.used + amount
  if (used === 0n) return { used, slot: now, window: slotsOfADay }
  return { used, slot: now, window: (own.used * own.window + amount * borrower.window) / used }
}

const averageAt = ({ used, slot, window }: Usage, now: bigint): bigint => {
  const average = divideUp(used * precision, window)
  return now === slot ? average : divideNear(average * (window - (now - slot)), window)
}

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b
const divideNear = (a: bigint, b: bigint): bigint => (2n * a + b) / (2n * b)
