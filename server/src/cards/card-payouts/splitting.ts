import type { AmountLimits } from '../../adapters/acquirers/port.ts'
import { mulDiv } from '../../platform/money/index.ts'

/** The most payments that a batch is split into. */
export const MOST_PARTS = 500n

/** The largest share of an even part that is moved to its neighbour, in hundredths. */
const SPREAD = 10n
/** When even parts would be less than this below the limit, in hundredths, one part is added. */
const LEAST_SLACK = 5n

/** Returns whole numbers from 0 to `below`, exclusive. A parameter, so that the same numbers make the same parts. */
export type Random = (below: number) => number

/** Returns the smallest number of parts within the limits that add up to an amount; undefined when there is none. */
const leastParts = (units: bigint, { least, most }: AmountLimits): bigint | undefined => {
  if (units <= 0n || most <= 0n || least > most) return undefined
  const parts = mulDiv(units, 1n, most, 'up')
  return parts * least <= units && parts <= MOST_PARTS ? parts : undefined
}

/** Whether an amount can be split into parts within the limits. */
export const canSplit = (units: bigint, limits: AmountLimits): boolean => leastParts(units, limits) !== undefined

/**
 * Splits an amount into parts between `least` and `most` that add up to it exactly. It makes as few parts as possible
 * while they can still differ, because banks treat several equal payments to one card as duplicates. All parts but the
 * last are whole units of the currency if the limits allow.
 * @param grain minor units of one whole unit of the currency
 */
export const split = (units: bigint, limits: AmountLimits, grain: bigint, random: Random): bigint[] => {
  const fewest = leastParts(units, limits)
  if (fewest === undefined)
    throw new RangeError(`${units} can not be split into parts of ${limits.least} to ${limits.most}`)
  if (fewest === 1n) return [units]
  const isTight = (fewest * limits.most - units) * 100n < fewest * limits.most * LEAST_SLACK
  const count = isTight && (fewest + 1n) * limits.least <= units && fewest < MOST_PARTS ? fewest + 1n : fewest
  const parts = evenParts(units, count)
  makeWhole(parts, limits, grain)
  makeDifferent(parts, limits, grain, random)
  return parts
}

/** Makes parts that are equal to one minor unit; each is within the limits because their average is. */
const evenParts = (units: bigint, count: bigint): bigint[] =>
  Array.from({ length: Number(count) }, (_, i) => units / count + (BigInt(i) < units % count ? 1n : 0n))

/** Moves fractions of a whole unit to the last part, if both parts stay within the limits. */
const makeWhole = (parts: bigint[], { least, most }: AmountLimits, grain: bigint): void => {
  const last = parts.length - 1
  for (let i = 0; i < last; i += 1) {
    const rest = parts[i]! % grain
    if (parts[i]! - rest < least || parts[last]! + rest > most) continue
    parts[i]! -= rest
    parts[last]! += rest
  }
}

/** Moves whole units between the two parts of each pair, by a different number for each pair if there are enough. */
const makeDifferent = (parts: bigint[], { least, most }: AmountLimits, grain: bigint, random: Random): void => {
  const pairs = BigInt((parts.length / 2) | 0)
  for (let pair = 0n; pair < pairs; pair += 1n) {
    const [a, b] = [Number(pair) * 2, Number(pair) * 2 + 1]
    const movable = smallest(most - parts[a]!, parts[b]! - least, (parts[b]! * SPREAD) / 100n) / grain
    const [from, upTo] = [(movable * pair) / pairs, (movable * (pair + 1n)) / pairs]
    const moved = (from + BigInt(random(Number(upTo - from) + 1))) * grain
    parts[a]! += moved
    parts[b]! -= moved
  }
}

const smallest = (...values: bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b))

/**
 * Returns the limits for the parts of a batch: those common to all accounts, so that any account can take each part, if
 * the amount can be split within them; otherwise those of the first account that can take it; undefined when none can.
 * @param accounts in order of preference
 */
export const limitsFor = (units: bigint, accounts: readonly AmountLimits[]): AmountLimits | undefined => {
  if (accounts.length === 0) return undefined
  const shared = accounts.reduce((a, b) => ({
    least: a.least > b.least ? a.least : b.least,
    most: a.most < b.most ? a.most : b.most,
  }))
  return [shared, ...accounts].find((limits) => canSplit(units, limits))
}
