import type { NewId } from './id.ts'

/**
 * What a command may know of the world: the time it happens at, on the business clock, and where new ids come from.
 * Handed in, so that the same inputs make the same rows.
 */
export interface Moment {
  at: Date
  newId: NewId
}
