import type { Logger } from 'pino'
import type { NewId } from '../base/id.ts'
import type { Moment } from '../base/moment.ts'
import type { Db } from '../db/index.ts'
import type { Clock } from './clock.ts'

/** Dependencies of every job and route: the database, the clocks, ids and the log. */
export interface Runtime {
  db: Db
  clock: Clock
  newId: NewId
  log: Logger
}

/** The current moment, for a command. */
export const momentOf = ({ clock, newId }: Pick<Runtime, 'clock' | 'newId'>): Moment => ({
  at: new Date(clock.business()),
  newId,
})
