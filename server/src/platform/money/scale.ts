/**
 * Converts units from one number of decimals to another. Exact: throws for a value that the smaller scale can't
 * represent. USDT has 6 decimals on Ethereum and 18 on BSC; the ledger uses 18.
 */
export const rescale = (units: bigint, from: number, to: number): bigint => {
  if (from === to) return units
  if (to > from) return units * 10n ** BigInt(to - from)
  const factor = 10n ** BigInt(from - to)
  if (units % factor !== 0n) throw new RangeError(`${units} units of ${from} decimals do not fit ${to} decimals`)
  return units / factor
}
