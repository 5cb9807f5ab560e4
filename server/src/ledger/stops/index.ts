/**
 * Stops of money that leaves: of an asset, a merchant, a network, or what these have in common. From the moment a stop
 * has committed, nothing that it covers is planned, and the signer is asked for nothing new that it covers; what was
 * signed goes on to its end (decision 0020).
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
