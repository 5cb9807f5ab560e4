/**
 * Notifications to merchants. Promises that each is stored with the change it tells of, numbered without a gap per
 * merchant, delivered at least once in order per object, and sent in the bytes that were stored; that a receiver which
 * fails or hangs does not delay the others; and that nothing is dropped: what the schedule doesn't bring waits for its
 * owner.
 */
export { emit } from './emit.ts'
export type { Notice } from './emit.ts'
export type { ExhaustedSubscriber } from './alert.ts'
export { leapSequences, replayEvents, skipEvent, wakeMerchant } from './commands.ts'

export { createAttemptPruneJob, createDelivery } from './jobs.ts'
export type { Delivery, DeliveryDeps } from './jobs.ts'
export { archiveEvents, listArchives } from './archive.ts'
export { createMonthsJob, readMonths } from './months.ts'
export {
  BACKLOG_COUNTS,
  lastSequence,
  listAttempts,
  listEvents,
  listExhausted,
  selectEvents,
  wasNotified,
} from './queries.ts'

export { webhookRoutes } from './routes.ts'
export type { Endpoint } from './signature.ts'
