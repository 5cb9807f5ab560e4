import type { StoredMail } from './mail.ts'

const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 60 * 60_000
/** A mail that is later than this is no use to its reader. */
const LONGEST_WAIT_MS = 3 * 24 * 60 * 60_000

/**
 * When a mail that was not taken is tried again, or undefined when it has become too old. Pauses double up to an hour.
 */
export const nextTry = (
  { attempts, createdAt }: Pick<StoredMail, 'attempts' | 'createdAt'>,
  now: number,
): Date | undefined => {
  if (now - createdAt.getTime() >= LONGEST_WAIT_MS) return undefined
  return new Date(now + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS))
}
