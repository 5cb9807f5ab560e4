export type Rounding = 'down' | 'up' | 'half-even'

/** a x b / c in integers, with the rounding named. Operands are non-negative and c is positive. */
export const mulDiv = (a: bigint, b: bigint, c: bigint, rounding: Rounding): bigint => {
  if (a < 0n || b < 0n || c <= 0n) throw new RangeError('mulDiv takes a, b >= 0 and c > 0')
  const product = a * b
  const quotient = product / c
  const rest = product % c
  if (rest === 0n) return quotient
  switch (rounding) {
    case 'down':
      return quotient
    case 'up':
      return quotient + 1n
    case 'half-even': {
      const twice = rest * 2n
      if (twice !== c) return twice > c ? quotient + 1n : quotient
      return quotient % 2n === 0n ? quotient : quotient + 1n
    }
  }
}

/**
 * Splits a total by weights so that the parts add up to it exactly (largest remainder; ties go to the earlier part).
 * @param total units, not negative
 * @param weights not negative, not all zero
 */
export const allocate = (total: bigint, weights: readonly bigint[]): bigint[] => {
  const sum = weights.reduce((a, b) => a + b, 0n)
  if (total < 0n || sum <= 0n || weights.some((w) => w < 0n)) throw new RangeError('allocate: total or weights')
  const parts = weights.map((w) => (total * w) / sum)
  let left = total - parts.reduce((a, b) => a + b, 0n)
  const order = weights
    .map((w, i) => ({ i, rest: (total * w) % sum }))
    .sort((a, b) => (a.rest === b.rest ? a.i - b.i : a.rest > b.rest ? -1 : 1))
  for (const { i } of order) {
    if (left === 0n) break
    parts[i]! += 1n
    left -= 1n
  }
  return parts
}
