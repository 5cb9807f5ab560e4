/** Announces work that this process commits to the processes that run jobs. */
import { sql } from 'kysely'
import { setAnnouncer, type Db } from '../../platform/db/index.ts'
import type { Stop } from './parts.ts'

/** Channel of PostgreSQL: a process has committed work for jobs. The payload is empty. */
export const WORK_CHANNEL = 'work_committed'

export interface Announcer {
  announce(): void
  /** Sends no more announcements. */
  close(): void
}

/** The first announcement is sent at once. Later ones share one in this time, so that a busy process sends few. */
const LEAST_MS = 50

/**
 * Announces the commits of this process.
 * @param ownJobs ends the pauses of the jobs of this process: their work then needs no other process. Undefined: the
 *   processes with jobs are notified
 */
export const startAnnouncing = (db: Db, ownJobs: (() => void) | undefined): Stop => {
  const announcer = createAnnouncer(db)
  setAnnouncer(ownJobs ?? announcer.announce)
  return async () => {
    setAnnouncer(undefined)
    announcer.close()
  }
}

/**
 * Creates the announcer of a process without jobs. Each announcement is a statement of its own, which waits for no
 * disk. One that fails is lost. The next one waits for the answer to the one before, so that announcements take one
 * connection of the pool at most while the database is slow.
 */
export const createAnnouncer = (db: Db): Announcer => {
  let timer: NodeJS.Timeout | undefined
  let isUnanswered = false
  let isDue = false
  let isClosed = false
  const sendIfDue = (): void => {
    if (!isDue || isUnanswered || timer !== undefined) return
    isDue = false
    isUnanswered = true
    timer = setTimeout(() => {
      timer = undefined
      sendIfDue()
    }, LEAST_MS).unref()
    const answered = (): void => {
      isUnanswered = false
      sendIfDue()
    }
    sql<{ pg_notify: unknown }>`select pg_notify(${WORK_CHANNEL}, '')`.execute(db).then(answered, answered)
  }
  return {
    announce: () => {
      isDue = !isClosed
      sendIfDue()
    },
    close: () => {
      isClosed = true
      isDue = false
      clearTimeout(timer)
    },
  }
}
