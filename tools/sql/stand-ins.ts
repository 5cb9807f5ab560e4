/** SQL expressions whose values are known only at run time, each with a text that the check uses instead. */
import type { StandIn } from './check.ts'

export const STAND_INS: readonly StandIn[] = [
  {
    file: 'server/src/merchants/webhooks/archive.ts',
    expression: 'name',
    text: 'events',
    reason: 'a partition of a month, which has the columns of its table',
  },
]
