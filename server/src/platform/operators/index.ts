/**
 * Who did what by hand. Promises that every command that changes something is in the record before it begins and after
 * it has ended, with the person, the machine and the real time, and that a row that is changed or removed later shows.
 */
export { keepable } from './redacting.ts'
export { appendAction, findBrokenAction, headOfActions, listActions } from './store.ts'
export type { Operator, Outcome } from './store.ts'
