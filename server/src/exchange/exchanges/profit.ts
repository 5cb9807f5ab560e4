import { mulDiv } from '../../platform/money/index.ts'

/** Totals in and out of one asset since the beginning: ledger units, and their values in 1e-18 USDT. */
export interface Flows {
  boughtUnits: bigint
  boughtValue: bigint
  soldUnits: bigint
  soldValue: bigint
}

/** 1e-18 USDT. */
export interface Profit {
  /** on the amount that was both bought and sold, at the average prices of all purchases and of all sales */
  realised: bigint
  /** on the rest, at its current value; null when that is unknown */
  unrealised: bigint | null
}

/**
 * Computes profit by average prices over all time, so the order of trades does not matter. Every division is rounded
 * against the platform. Both parts add up to the value sold, less the value bought, plus the value of the rest.
 * @param worth value of the rest, by its size in ledger units; undefined when it has no price
 */
export const profitOf = (
  { boughtUnits, boughtValue, soldUnits, soldValue }: Flows,
  worth: (units: bigint) => bigint | undefined,
): Profit => {
  const matched = boughtUnits < soldUnits ? boughtUnits : soldUnits
  const cost = boughtUnits === 0n ? 0n : mulDiv(boughtValue, matched, boughtUnits, 'up')
  const proceeds = soldUnits === 0n ? 0n : mulDiv(soldValue, matched, soldUnits, 'down')
  const rest = boughtUnits - soldUnits
  const now = rest === 0n ? 0n : worth(rest < 0n ? -rest : rest)
  const open = soldValue - proceeds - (boughtValue - cost)
  return { realised: proceeds - cost, unrealised: now === undefined ? null : open + (rest < 0n ? -now : now) }
}
