import type { VenueFill } from '../../adapters/venues/port.ts'
import type { Catalogue } from '../../market/assets/index.ts'
import { mulDiv } from '../../platform/money/index.ts'
import { E18, PIVOT } from '../../market/rates/index.ts'
import type { HedgeOrder } from './order.ts'
import type { FillUnits } from './postings.ts'

const SCALE = 18

/** Converts 1e-18 whole units to ledger units. */
export const toUnits = (e18: bigint, scale: number, rounding: 'down' | 'up'): bigint =>
  mulDiv(e18, 1n, 10n ** BigInt(SCALE - scale), rounding)
/** Converts ledger units to 1e-18 whole units, exactly. */
export const toE18 = (units: bigint, scale: number): bigint => units * 10n ** BigInt(SCALE - scale)

type Market = Pick<HedgeOrder, 'base' | 'quote' | 'side' | 'asset' | 'middle'>

/** Returns the amounts that a fill moves in the books. */
export const unitsOfFill = (
  { base, quote, side }: Market,
  { amount, cost, fee }: VenueFill,
  catalogue: Pick<Catalogue, 'find'>,
): FillUnits => {
  const scaleOf = (asset: string): number => {
    const found = catalogue.find(asset)
    if (!found) throw new Error(`${asset} is no asset of this installation`)
    return found.scale
  }
  const [into, out] =
    side === 'buy'
      ? [
          { asset: base, e18: amount },
          { asset: quote, e18: cost },
        ]
      : [
          { asset: quote, e18: cost },
          { asset: base, e18: amount },
        ]
  const charged = fee && fee.amount > 0n ? catalogue.find(fee.asset) : undefined
  return {
    received: { asset: into.asset, units: toUnits(into.e18, scaleOf(into.asset), 'down') },
    spent: { asset: out.asset, units: toUnits(out.e18, scaleOf(out.asset), 'up') },
    fee: charged ? { asset: charged.ticker, units: toUnits(fee!.amount, charged.scale, 'up') } : null,
  }
}

/**
 * Returns a fill's value in USDT, and its loss against the middle at the time of the decision; 1e-18, each quotient
 * rounded down.
 */
export const valueOfFill = (
  { asset, base, side, middle }: Market,
  { amount, cost, price, fee }: VenueFill,
): { value: bigint; slippage: bigint; feeValue: bigint } => {
  const isBase = asset === base
  const value = isBase ? cost : amount
  const usual = isBase ? mulDiv(amount, middle, E18, 'down') : mulDiv(cost, E18, middle, 'down')
  // The side that spends USDT would rather spend less; the side that receives it, more.
  const givesUsdt = isBase ? side === 'buy' : side === 'sell'
  return {
    value,
    slippage: givesUsdt ? value - usual : usual - value,
    feeValue: fee ? feeInUsdt(fee, { asset, isBase, price }) : 0n,
  }
}

/** A fee in a third asset has no price here, and is in the ledger only. */
const feeInUsdt = (
  fee: { asset: string; amount: bigint },
  { asset, isBase, price }: { asset: string; isBase: boolean; price: bigint },
): bigint => {
  if (fee.asset === PIVOT) return fee.amount
  if (fee.asset !== asset) return 0n
  return isBase ? mulDiv(fee.amount, price, E18, 'up') : mulDiv(fee.amount, E18, price, 'up')
}
