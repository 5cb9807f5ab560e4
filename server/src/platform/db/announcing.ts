/**
 * Announces commits that made work for jobs, so that idle jobs can make long pauses. An announcement is sent after the
 * commit, not by NOTIFY within the transaction: PostgreSQL lets transactions with NOTIFY commit one at a time. It can
 * therefore be lost when a process ends; the work then waits for the longest pause of its job (`Job.idleMs`).
 */

let announcer: (() => void) | undefined
const marked = new WeakSet<object>()

/**
 * Sets the function that is called after each announced commit of this process; undefined: none.
 * @param announce must not throw, and must not wait
 */
export const setAnnouncer = (announce: (() => void) | undefined): void => {
  announcer = announce
}

/** Notes in an open transaction that it makes work for jobs: it is announced after the commit. */
export const makesWork = (tx: object): void => {
  if (announcer !== undefined) marked.add(tx)
}

/** Announces work that is committed. */
export const announceWork = (): void => announcer?.()

/** Announces a transaction that has been committed, if it made work. */
export const announceCommit = (tx: object | undefined): void => {
  if (tx !== undefined && marked.has(tx)) announceWork()
}
