import type { Logger } from 'pino'

/** Notifies open pages that their invoice has changed: one database subscription for all pages of a process. */
export interface LivePages {
  /**
   * Until the signal, writes a page's version whenever it differs from the last one written, and something at least
   * every 20 s.
   * @param version the current version of the page; undefined ends the stream
   */
  subscribe(
    channel: string,
    id: string,
    version: () => Promise<string | undefined>,
    write: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<void>
  notified(channel: string, id: string): void
  /** Checks every page again, because changes announced while the subscription was interrupted are lost. */
  connected(): void
  /** number of open pages */
  count(): number
  close(): void
}

const BEAT_MS = 20_000
/** Number of pages that are checked at the same time, so that the database can serve other requests. */
const AT_ONCE = 8
/** Time before a browser reconnects after it lost its connection, ms. */
const RETRY_MS = 5_000

interface OpenPage {
  look(): Promise<void>
  beat(): void
}

export const createLivePages = (log: Pick<Logger, 'warn'>): LivePages => {
  const pages = new Map<string, Set<OpenPage>>()
  const due = new Set<OpenPage>()
  let running = 0

  const work = async (): Promise<void> => {
    running += 1
    for (const one of due) {
      due.delete(one)
      await one
        .look()
        .catch((err: unknown) =>
          log.warn({ err }, 'an open page could not be checked; its next change checks it again'),
        )
    }
    running -= 1
  }
  const wake = (several: Iterable<OpenPage>): void => {
    for (const one of several) due.add(one)
    while (running < AT_ONCE && due.size > running) void work()
  }
  const all = (): OpenPage[] => [...pages.values()].flatMap((set) => [...set])
  const timer = setInterval(() => {
    for (const one of all()) one.beat()
  }, BEAT_MS).unref()

  return {
    subscribe: (channel, id, version, write, signal) =>
      new Promise((resolve) => {
        const key = `${channel} ${id}`
        let last: string | undefined
        const leave = (): void => {
          const set = pages.get(key)
          set?.delete(one)
          if (set?.size === 0) pages.delete(key)
          due.delete(one)
          resolve()
        }
        const look = async (): Promise<void> => {
          const now = await version()
          if (signal.aborted) return
          if (now === undefined) return leave()
          if (now === last) return
          last = now
          write(`data: ${now}\n\n`)
        }
        // Checks run one after another, so that an earlier one never writes last.
        let looking = Promise.resolve()
        const one: OpenPage = {
          look: () => {
            looking = looking.catch(() => {}).then(look)
            return looking
          },
          beat: () => write(':\n\n'),
        }
        if (signal.aborted) return resolve()
        const set = pages.get(key) ?? new Set()
        pages.set(key, set.add(one))
        signal.addEventListener('abort', leave, { once: true })
        write(`retry: ${RETRY_MS}\n\n`)
        wake([one])
      }),
    notified: (channel, id) => wake(pages.get(`${channel} ${id}`) ?? []),
    connected: () => wake(all()),
    count: () => all().length,
    close: () => clearInterval(timer),
  }
}
