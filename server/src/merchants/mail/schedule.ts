import type { StoredMail } from './mail.ts'

const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 60 * 60_000
/** A mail older than this is not sent any more: it is of no use to its reader. */
const LONGEST_WAIT_MS = 3 * 24 * 60 * 60_000

/**
 * The time of the next attempt for a mail that was not accepted; undefined when it is too old. Pauses double up to an
 * hour.
 */
export const nextTry = (
  { attempts, createdAt }: Pick<StoredMail, 'attempts' | 'createdAt'>,
  now: number,
): Date | undefined => {
  if (now - createdAt.getTime() >= LONGEST_WAIT_MS) return undefined
  return new Date(now + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS))
}
