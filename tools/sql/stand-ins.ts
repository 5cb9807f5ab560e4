/** Expressions in SQL whose values are known at run time only, each with a text that the check uses in its place. */
import type { StandIn } from './check.ts'

export const STAND_INS: readonly StandIn[] = [
  {
    file: 'server/src/merchants/webhooks/archive.ts',
    expression: 'name',
    text: 'events',
    reason: 'a partition of a month, which has the columns of its table',
  },
]
