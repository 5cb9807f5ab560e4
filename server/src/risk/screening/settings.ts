import Type, { type Static } from 'typebox'
import { choice, count } from '../../platform/config/fields.ts'
import type { ScreeningRules } from './screening.ts'

const STANDARD = {
  riskyFrom: 0.5,
  lateAfterMinutes: 30,
  whenUnanswered: 'hold',
  deciders: 1,
  rescreenDays: 90,
} as const
const MOST_DECIDERS = 5
const MOST_DAYS = 3_650
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** The consequences of judgements, in `BURSAR_SCREENING_FILE`. */
export const SCREENING_MEMBERS = {
  riskyFrom: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      default: STANDARD.riskyFrom,
      says: 'a number above 0, at most 1',
      description: 'a score from which money is risky',
    }),
  ),
  lateAfterMinutes: Type.Optional(
    count(
      'an alert is raised after this time without a judgement; providers are still asked, at most every 15 minutes',
      {
        standard: STANDARD.lateAfterMinutes,
        unit: 'minutes',
      },
    ),
  ),
  whenUnanswered: Type.Optional(
    choice(
      'a withdrawal without a judgement for this time: `"hold"`: it waits; `"flag"`: it is sent, and is listed in `bursar screening list`',
      ['hold', 'flag'],
      { standard: STANDARD.whenUnanswered },
    ),
  ),
  deciders: Type.Optional(
    count('number of people who must agree before a risky subject is released or rejected', {
      most: MOST_DECIDERS,
      standard: STANDARD.deciders,
    }),
  ),
  rescreenDays: Type.Optional(
    count('age of judgements up to which a new version of a list is compared with them', {
      most: MOST_DAYS,
      standard: STANDARD.rescreenDays,
      unit: 'days',
    }),
  ),
}

/** Returns the rules of a file, with defaults for the rest. */
export const screeningRulesOf = (given: {
  [Name in keyof typeof SCREENING_MEMBERS]?: Static<(typeof SCREENING_MEMBERS)[Name]>
}): ScreeningRules => {
  const { riskyFrom, lateAfterMinutes, whenUnanswered, deciders, rescreenDays } = { ...STANDARD, ...given }
  return {
    riskyFrom,
    lateAfterMs: lateAfterMinutes * MINUTE_MS,
    whenUnanswered,
    deciders,
    rescreenMs: rescreenDays * DAY_MS,
  }
}
