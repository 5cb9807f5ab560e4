import { readServerTime, type Db } from '../../platform/db/index.ts'
import type { Report } from './doctor-acquirers.ts'
import type { Note } from './doctor-networks.ts'

/**
 * More than NTP leaves between two machines, and less than the time by which a merchant's request may be ahead (5 s by
 * default), and than the shortest lifetime that depends on two clocks.
 */
const MOST_DIFFERENCE_MS = 2_000

/** A clock that was read between two looks at this machine's clock, in ms since the epoch. */
interface ReadClock {
  before: number
  after: number
  /** null if its owner does not say it */
  theirs: number | null
}

/** Reads the clock of the database server. */
export const readDatabaseClock = async (db: Db, now: () => number): Promise<ReadClock> => {
  const before = now()
  const theirs = (await readServerTime(db)).getTime()
  return { before, after: now(), theirs }
}

/**
 * Reports how far another clock is from this machine's. The duration of the question is not counted as a difference:
 * the other clock was read at some moment of it.
 */
export const reportClock = (name: string, { before, after, theirs }: ReadClock, report: Report, note: Note): void => {
  if (theirs === null) return note(`${name}: it does not say its time, because its build is older than this one`)
  const difference = theirs > after ? theirs - after : theirs < before ? theirs - before : 0
  if (Math.abs(difference) <= MOST_DIFFERENCE_MS) return report(true, `${name}: its clock agrees with this machine's`)
  const seconds = (Math.abs(difference) / 1_000).toFixed(1)
  report(
    false,
    `${name}: its clock is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} this machine's: run chrony or another NTP client on both machines`,
  )
}
