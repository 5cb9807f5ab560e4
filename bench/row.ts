/** One figure of a bench, and the limit it is compared with. */
export interface Row {
  name: string
  value: number
  /** of `value` and `limit` */
  unit: string
  /**
   * the limit that the value is compared with, measured in the same run where possible; null for a figure without one
   */
  limit: number | null
  /** the limit, in words */
  limitName: string
  /** value / limit */
  ratio: number | null
  goal: number | null
  /** whether the ratio has to reach the goal or stay below it */
  sense: 'least' | 'most'
  ok: boolean
}

interface Judged {
  name: string
  unit: string
  value: number
  limit: number
  limitName: string
  goal: number
  /** where rounds took turns, the median of their ratios; otherwise value / limit */
  ratio?: number
}

/** Returns a figure that must reach `goal` times its limit. */
export const atLeast = ({ ratio, ...rest }: Judged): Row => judged(rest, ratio ?? rest.value / rest.limit, 'least')

/** Returns a figure that must not exceed `goal` times its limit. */
export const atMost = ({ ratio, ...rest }: Judged): Row => judged(rest, ratio ?? rest.value / rest.limit, 'most')

const judged = (given: Omit<Judged, 'ratio'>, ratio: number, sense: Row['sense']): Row => ({
  ...given,
  ratio,
  sense,
  ok: sense === 'least' ? ratio >= given.goal : ratio <= given.goal,
})

/** Returns a figure with a comparison, without a goal. */
export const stated = (figure: Omit<Judged, 'goal' | 'ratio'>): Row => ({
  ...figure,
  ratio: figure.value / figure.limit,
  goal: null,
  sense: 'most',
  ok: true,
})

/** Returns a figure that is reported without a goal. @param why reason for having no limit */
export const reported = (name: string, value: number, unit: string, why = ''): Row => ({
  name,
  value,
  unit,
  limit: null,
  limitName: why,
  ratio: null,
  goal: null,
  sense: 'least',
  ok: true,
})

/** Returns the median; the upper middle value of an even number. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** Returns the median of the ratios of alternating rounds, which cancels effects that slow both. */
export const medianRatio = (values: readonly number[], limits: readonly number[]): number =>
  median(values.map((value, round) => value / limits[round]!))
