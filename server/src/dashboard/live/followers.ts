import type { Logger } from 'pino'

/** An open stream of a person. */
interface Follower {
  merchantId: string
  personId: string
  /** whether the session is open now, and its person may still see the merchant */
  isStillAllowed(): Promise<boolean>
}

/** The open streams of one process: each gets the version of its merchant when it begins, and after each change. */
export interface Followers {
  /** whether a person may open a further stream */
  hasPlace(personId: string): boolean
  /** Writes until the signal, or until the person may no longer see the merchant. */
  follow(follower: Follower, write: (chunk: string) => void, signal: AbortSignal): Promise<void>
}

interface FollowersDeps {
  versions(merchantIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  log: Pick<Logger, 'warn'>
  /** pause between two reads of the versions, ms */
  everyMs?: number
  /** open streams of a person */
  mostPerPerson?: number
}

/** Changes within this time reach a page together, ms. */
const EVERY_MS = 2_000
/** Rounds after which a stream without a change is checked, and written to: 20 s. */
const BEAT_ROUNDS = 10
/** Time before a browser reconnects after it lost its connection, ms. */
const RETRY_MS = 5_000
/** A browser closes the stream of a hidden page: so many pages are visible at the same time. */
const MOST_PER_PERSON = 20
/** Streams that are checked at the same time, so that the database can serve other requests. */
const AT_ONCE = 8

interface Open extends Follower {
  version: string | undefined
  /** rounds since something was written */
  rounds: number
  write(chunk: string): void
  leave(): void
}

export const createFollowers = ({
  versions,
  log,
  everyMs = EVERY_MS,
  mostPerPerson = MOST_PER_PERSON,
}: FollowersDeps): Followers => {
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  let isReading = false

  /** Writes a version, or that nothing changed, to one stream. The session is checked before each write. */
  const send = async (one: Open, version: string | undefined): Promise<void> => {
    one.rounds += 1
    if (version === one.version && one.rounds < BEAT_ROUNDS) return
    if (!(await one.isStillAllowed())) return one.leave()
    if (!open.has(one)) return
    one.write(version === one.version || version === undefined ? ':\n\n' : `data: ${version}\n\n`)
    one.version = version ?? one.version
    one.rounds = 0
  }
  const round = async (): Promise<void> => {
    const all = [...open]
    const found = await versions([...new Set(all.map(({ merchantId }) => merchantId))])
    for (let i = 0; i < all.length; i += AT_ONCE)
      await Promise.all(all.slice(i, i + AT_ONCE).map((one) => send(one, found.get(one.merchantId))))
  }
  const plan = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void read(), ms).unref()
  }
  const read = async (): Promise<void> => {
    isReading = true
    await round().catch((err: unknown) =>
      log.warn({ err }, 'changes for open pages of the dashboard could not be read; the next round reads them'),
    )
    isReading = false
    if (open.size > 0) plan(everyMs)
  }
  const countOf = (personId: string): number => [...open].filter((one) => one.personId === personId).length

  return {
    hasPlace: (personId) => countOf(personId) < mostPerPerson,
    follow: (follower, write, signal) =>
      new Promise((resolve) => {
        const leave = (): void => {
          open.delete(one)
          if (open.size === 0) clearTimeout(timer)
          resolve()
        }
        const one: Open = { ...follower, version: undefined, rounds: 0, write, leave }
        if (signal.aborted || countOf(one.personId) >= mostPerPerson) return resolve()
        open.add(one)
        signal.addEventListener('abort', leave, { once: true })
        write(`retry: ${RETRY_MS}\n\n`)
        if (!isReading) plan(0)
      }),
  }
}
