import type { NewId } from './id.ts'

/**
 * The only inputs of a command besides its arguments and the database: the time, on the business clock, and a source of
 * new ids. It is passed in, so that the same inputs give the same rows.
 */
export interface Moment {
  at: Date
  newId: NewId
}
