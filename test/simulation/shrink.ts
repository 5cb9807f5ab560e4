/**
 * Makes a failing run shorter (delta debugging, Zeller and Hildebrandt 2002): leaves out blocks of steps, smaller and
 * smaller ones, as long as the run still fails.
 */
export interface Shrunk {
  /** steps that are still taken */
  steps: number[]
  /** runs that it took */
  runs: number
}

/**
 * @param steps the steps of the failing run
 * @param fails whether a run of these steps alone fails
 * @param mostRuns it ends after so many runs, with the shortest found
 */
export const shrink = async (
  steps: readonly number[],
  fails: (steps: readonly number[]) => Promise<boolean>,
  mostRuns: number,
): Promise<Shrunk> => {
  let left = [...steps]
  let runs = 0
  for (let size = left.length >> 1; size >= 1 && runs < mostRuns; size >>= 1) {
    // From the end: the last steps are needed least often, except the very last ones.
    for (let end = left.length; end > 0 && runs < mostRuns; end -= size) {
      const without = left.filter((_, at) => at < end - size || at >= end)
      if (without.length === left.length || without.length === 0) continue
      runs += 1
      if (await fails(without)) left = without
    }
  }
  return { steps: left, runs }
}

/** Steps as text, such as `1-3,7`. */
export const rangesOf = (steps: readonly number[]): string => {
  const ranges: [number, number][] = []
  for (const step of steps) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === step - 1) last[1] = step
    else ranges.push([step, step])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

/** Reads such a text. Throws a RangeError for anything else. */
export const stepsOf = (text: string): number[] =>
  text.split(',').flatMap((range) => {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range)
    const [from, to] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]
    if (match === null || to < from) throw new RangeError(`${range}: write steps as 1-3,7`)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
