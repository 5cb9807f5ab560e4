import type { Level } from '../../adapters/rates/port.ts'
import { mulDiv } from '../../platform/money/index.ts'

/** One whole unit of an asset, in the unit of order books. */
export const E18 = 10n ** 18n

/**
 * Conversions along the levels of an order book, in 1e-18 whole units. Each returns undefined when the levels don't
 * hold enough. Results are rounded against the caller: amounts received down, amounts paid up.
 */

/** Quote received for selling `base` to the bids. */
export const soldFor = (bids: readonly Level[], base: bigint): bigint | undefined => valueOf(bids, base, 'down')

/** Quote paid for buying `base` from the asks. */
export const boughtWith = (asks: readonly Level[], base: bigint): bigint | undefined => valueOf(asks, base, 'up')

/** Base that must be sold to the bids to receive `quote`. */
export const toSellFor = (bids: readonly Level[], quote: bigint): bigint | undefined => amountOf(bids, quote, 'up')

/** Base that `quote` buys from the asks. */
export const toBuyWith = (asks: readonly Level[], quote: bigint): bigint | undefined => amountOf(asks, quote, 'down')

/** Adds the levels up exactly and rounds once, at the end. */
const valueOf = (levels: readonly Level[], base: bigint, rounding: 'down' | 'up'): bigint | undefined => {
  let left = base
  let value = 0n
  for (const { price, amount } of levels) {
    const taken = amount < left ? amount : left
    value += taken * price
    left -= taken
    if (left === 0n) return mulDiv(value, 1n, E18, rounding)
  }
  return undefined
}

const amountOf = (levels: readonly Level[], quote: bigint, rounding: 'down' | 'up'): bigint | undefined => {
  let left = quote * E18
  let base = 0n
  for (const { price, amount } of levels) {
    const worth = amount * price
    if (worth >= left) return base + mulDiv(left, 1n, price, rounding)
    base += amount
    left -= worth
  }
  return undefined
}

/** The mean of the best bid and the best ask, rounded half to even; undefined when a side is empty. */
export const middleOf = ({ bids, asks }: { bids: readonly Level[]; asks: readonly Level[] }): bigint | undefined => {
  const [bid, ask] = [bids[0], asks[0]]
  return bid && ask && mulDiv(bid.price + ask.price, 1n, 2n, 'half-even')
}

/** Whether the levels are valid: prices and amounts above zero, each side in order, no bid at or above an ask. */
export const isSound = ({ bids, asks }: { bids: readonly Level[]; asks: readonly Level[] }): boolean => {
  const positive = [...bids, ...asks].every(({ price, amount }) => price > 0n && amount > 0n)
  const falling = bids.every(({ price }, i) => i === 0 || price <= bids[i - 1]!.price)
  const rising = asks.every(({ price }, i) => i === 0 || price >= asks[i - 1]!.price)
  const crossed = bids[0] !== undefined && asks[0] !== undefined && bids[0].price >= asks[0].price
  return positive && falling && rising && !crossed
}
