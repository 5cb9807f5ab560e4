/** Days of a chart, in UTC, as `2026-11-28`. */
const DAY_MS = 86_400_000

/** The lengths of a chart in days, the first one if none is chosen. */
export const SPANS = [30, 7, 90] as const
export type Span = (typeof SPANS)[number]

export const spanOf = (text: string | undefined): Span => SPANS.find((span) => String(span) === text) ?? SPANS[0]

/** The days of a chart, oldest first. The last one is that of `now`, in ms. */
export const daysUntil = (now: number, span: Span): string[] =>
  Array.from({ length: span }, (_, i) => new Date(now - (span - 1 - i) * DAY_MS).toISOString().slice(0, 10))

/**
 * The balance of each asset at the end of each day: that of the newest day with entries.
 * @param closings oldest first; with the newest one before the first day, if there is one
 */
export const carryOn = (
  days: readonly string[],
  closings: readonly { day: string; asset: string; units: bigint }[],
): ReadonlyMap<string, bigint>[] => {
  let next = 0
  const current = new Map<string, bigint>()
  return days.map((day) => {
    for (; next < closings.length && closings[next]!.day <= day; next += 1)
      current.set(closings[next]!.asset, closings[next]!.units)
    return new Map(current)
  })
}
