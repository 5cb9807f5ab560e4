/**
 * Reads chains. Promises that every block of the best chain is shown to every listener once and in order, together with
 * the move of the cursor, whatever crashes or pauses; that a block that is lost is taken back before its successor is
 * shown; that any number of processes may watch while one leads; and that a silent or lying node stops it without
 * concluding anything.
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
