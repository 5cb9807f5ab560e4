/**
 * Notifications to merchants. Guarantees:
 * - each is stored with the change that it reports, and numbered without gaps for each merchant;
 * - it is delivered at least once, in order for each object, as the bytes that were stored;
 * - a receiver that fails or hangs does not delay others;
 * - nothing is dropped: a notification that the schedule does not deliver waits for an operator.
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
