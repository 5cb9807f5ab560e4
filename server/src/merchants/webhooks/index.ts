/**
 * Notifications to merchants. Guarantees:
 * - each is stored with the change that it reports, and numbered without gaps for each merchant;
 * - it is sent until the merchant's endpoint accepts it, so it may arrive more than once; the notifications of one
 *   deposit, order or invoice are sent in order; the stored bytes are sent;
 * - a receiver that fails or hangs does not delay others, and an endpoint does not delay the other endpoints of its
 *   merchant: each gets the notifications of one object in order;
 * - no undelivered notification is dropped: after its retries, it waits until an operator restarts or skips it, or
 *   until the merchant's endpoint accepts another notification.
 */
export { emit } from './emit.ts'
export type { Notice } from './emit.ts'
export type { ExhaustedSubscriber } from './alert.ts'
export { leapSequences, replayEvents, replayOnce, skipEvent, wakeMerchant, type Replayed } from './commands.ts'
export {
  countFailing,
  countFailingEndpoints,
  DELIVERY_STATES,
  findDelivery,
  healthOf,
  listDeliveries,
  MOST_COUNTED,
  newestSequence,
  type DeliveryState,
  type EndpointHealth,
  type EventDetail,
  type EventFilter,
  type ListedEvent,
} from './listing.ts'

export { createAttemptPruneJob, createDelivery } from './jobs.ts'
export type { Delivery, DeliveryDeps } from './jobs.ts'
export { archiveEvents, listArchives } from './archive.ts'
export { createMonthsJob, readMonths } from './months.ts'
export {
  BACKLOG_COUNTS,
  deliveriesOf,
  ENDPOINT_BACKLOG_COUNTS,
  lastSequence,
  listAttempts,
  listEvents,
  listExhausted,
  listSent,
  selectEvents,
  wasNotified,
} from './queries.ts'

export type { AttemptRow, EventDelivery } from './queries.ts'
export {
  addEndpoint,
  changeEndpoint,
  countSealedEndpoints,
  findEndpoint,
  listEndpoints,
  lockEndpoint,
  MOST_ADDITIONAL_ENDPOINTS,
  NOTIFICATION_KINDS,
  readDescription,
  removeEndpoint,
  resealEndpoints,
  rotateEndpointSecret,
  type AdditionalEndpoint,
  type EndpointChoices,
} from './endpoints.ts'
export {
  attemptsAtEndpoints,
  endpointDeliveries,
  endpointHealth,
  listEndpointAttempts,
  replayToEndpoint,
  waitingAt,
  wakeEndpoint,
  type EndpointDelivery,
} from './endpoint-deliveries.ts'
export { askTest, newestTest, type AskedTest, type TestNotification } from './testing.ts'
export { webhookRoutes } from './routes.ts'
export type { Endpoint } from './signature.ts'
