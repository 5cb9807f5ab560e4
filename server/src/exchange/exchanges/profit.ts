import { mulDiv } from '../../platform/money/index.ts'

/** What came in and went out of one asset since the beginning: ledger units, and their values in 1e-18 USDT. */
export interface Flows {
  boughtUnits: bigint
  boughtValue: bigint
  soldUnits: bigint
  soldValue: bigint
}

/** 1e-18 USDT. */
export interface Profit {
  /** of what was both bought and sold, at the average of all purchases and of all sales */
  realised: bigint
  /** of the rest, at what it is worth now; null when it is not known */
  unrealised: bigint | null
}

/**
 * Profit by average prices over all time, which are the same in whatever order trades happened. Every division is
 * rounded against the platform, and both parts add up to what was sold, less what was bought, plus what the rest is
 * worth.
 * @param worth of the rest, by its size in ledger units; undefined when it has no price
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
