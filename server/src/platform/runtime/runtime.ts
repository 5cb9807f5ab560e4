import type { Logger } from 'pino'
import type { NewId } from '../base/id.ts'
import type { Moment } from '../base/moment.ts'
import type { Db } from '../db/index.ts'
import type { Clock } from './clock.ts'

/** What every job and route is handed: the database, the clocks, ids and the log. */
export interface Runtime {
  db: Db
  clock: Clock
  newId: NewId
  log: Logger
}

/** The present, for a command. */
export const momentOf = ({ clock, newId }: Pick<Runtime, 'clock' | 'newId'>): Moment => ({
  at: new Date(clock.business()),
  newId,
})
