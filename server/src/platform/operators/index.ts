/**
 * The record of operators' commands. Guarantees:
 * - each command that changes something is recorded before it begins and after it ends, with the person, the machine
 *   and the real time;
 * - a later change or removal of a row is detected.
 */
export { redactArguments } from './redacting.ts'
export { appendAction, findBrokenAction, headOfActions, listActions } from './store.ts'
export type { Operator, Outcome } from './store.ts'
