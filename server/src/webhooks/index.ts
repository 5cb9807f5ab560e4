/**
 * Notifications to merchants. Promises that each is stored with the change it tells of, numbered without a gap per merchant,
 * delivered at least once in order per object, and sent in the bytes that were stored.
 */
export { emit } from './emit.ts'
export type { Notice } from './emit.ts'
