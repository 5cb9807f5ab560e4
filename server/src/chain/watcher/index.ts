/**
 * Reads chains. Guarantees:
 * - subscribers are called once with every block of the best chain, in order (a block that a reorganisation removed and
 *   that returns is passed again), in the transaction that moves the cursor, even after crashes or pauses;
 * - when a reorganisation removes a block, its effects are reversed before those of the next block are applied;
 * - any number of processes may run a watcher of the same chain; only one of them, the leader, reads blocks at a time;
 * - if a node does not answer or returns implausible data, the watcher waits, and does not treat missing data as empty.
 */
export { LeadershipLost } from './cursor.ts'
export { beginFollowing } from './follower.ts'
export type { Follower } from './follower.ts'
export { ForkTooDeep } from './fork.ts'
export { WrongChain } from './lead.ts'
export { createLeadership } from './leadership.ts'

export type { ChainSubscriber, PoolChange } from './subscriber.ts'

export {
  finalHeightOf,
  hasRead,
  heightOf,
  holdHeights,
  isFinalPast,
  isNewestRead,
  isRemembered,
  newestFinal,
  newestRead,
  shareHeight,
  watchStatus,
  type WatchStatus,
} from './queries.ts'

export { rescan } from './rescan.ts'

export { newestInCommon, planRewind, rewind } from './rewind.ts'
export type { Rewind, RewindDeps } from './rewind.ts'
export { DEFAULT_WATCHER_SETTINGS, watchShape } from './settings.ts'
export type { WatcherSettings } from './settings.ts'
export { createWatcher } from './watcher.ts'
export type { Watcher } from './watcher.ts'
export { createIssuerAlarm } from './issuer-acts.ts'
export { createUnknownNoteAlarm } from './unknown-notes.ts'
export { createUnprovenAlarm } from './unproven.ts'
export { createUntracedJob } from './jobs-untraced.ts'
export { createUntracedAlarm } from './untraced.ts'
