/** Steps after which the search gives up, which takes a few milliseconds. Bitcoin Core allows 100,000. */
const MAX_STEPS = 50_000

/**
 * Returns the subset with the smallest sum in [`low`, `high`], or undefined when none was found within the step limit.
 * Items must be positive and in descending order. The search is depth first and tries each item included, then
 * excluded. It abandons a branch that can no longer reach `low` or exceeds `high` (Bitcoin Core, `SelectCoinsBnB`).
 */
export function branchAndBound<T extends { effective: bigint }>(
  items: readonly T[],
  low: bigint,
  high: bigint,
): T[] | undefined {
  const values = items.map(({ effective }) => effective)
  const taken: number[] = []
  let sum = 0n
  let remaining = values.reduce((total, value) => total + value, 0n)
  let next = 0
  let best: { indexes: number[]; sum: bigint } | undefined

  for (let step = 0; step < MAX_STEPS; step++) {
    if (sum >= low && sum <= high && (!best || sum < best.sum)) best = { indexes: [...taken], sum }
    const useless = sum >= low || sum + remaining < low || next === items.length
    if (useless) {
      const last = taken.pop()
      if (last === undefined) break
      for (let skipped = last + 1; skipped < next; skipped++) remaining += values[skipped]!
      sum -= values[last]!
      next = last + 1
      continue
    }
    const value = values[next]!
    const twinWasLeftOut = next > 0 && values[next - 1] === value && taken.at(-1) !== next - 1
    if (!twinWasLeftOut) {
      taken.push(next)
      sum += value
    }
    remaining -= value
    next++
  }
  return best?.indexes.map((index) => items[index]!)
}
