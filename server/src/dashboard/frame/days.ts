const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_MS = 86_400_000
/** Times outside these years are no times of payments, and no keys of lists. */
const [FIRST, LAST] = [Date.UTC(2000, 0, 1), Date.UTC(2200, 0, 1)]

/** The beginning of a day in UTC, typed as `2026-11-27`; undefined if it is no such day. */
const startOf = (day: string): Date | undefined => {
  const at = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  const isDay = at >= FIRST && at < LAST && new Date(at).toISOString().startsWith(day)
  return isDay ? new Date(at) : undefined
}

export interface Days {
  timeFrom: Date | null
  /** the end of the last day */
  timeTo: Date | null
  /** a day is no day: it is left out */
  isWrong: boolean
}

/** Reads the query fields `from` and `to`: days in UTC, both included. */
export const readDays = ({ from, to }: Readonly<Record<string, string>>): Days => {
  const [first, last] = [startOf(from ?? ''), startOf(to ?? '')]
  return {
    timeFrom: first ?? null,
    timeTo: last ? new Date(last.getTime() + DAY_MS) : null,
    isWrong: (!first && (from ?? '') !== '') || (!last && (to ?? '') !== ''),
  }
}
