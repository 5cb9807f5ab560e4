/**
 * Stops of outgoing payments: of an asset, a merchant, a network, or a combination of them. Once a stop has committed,
 * nothing that it covers is planned and no new signature for it is requested; signed transactions are processed to
 * their end (decision 0020).
 */
export { coveringStop, covers, describeStop } from './stop.ts'
export type { NewStop, Reach, StopTerm } from './stop.ts'
export { isCovered } from './covering.ts'
export { holdStops, changeStops } from './lock.ts'
export {
  createStop,
  createStopsReader,
  liftStop,
  liftStopsOf,
  listAllStops,
  listStops,
  readStops,
  reasonOfStop,
  STOP_COUNTS,
} from './store.ts'
export { unlessStopped } from './unless-stopped.ts'
