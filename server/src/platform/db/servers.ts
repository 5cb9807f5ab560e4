import { setTimeout as sleep } from 'node:timers/promises'

/** Time that the other servers still have after the first that accepts writes, ms. */
const OTHERS_MS = 500

/** The servers of a database URL. */
export interface SplitUrl {
  /** The same URL for each server alone, in the order of the URL. */
  urls: string[]
  /** Whether only a server that accepts writes may be used (`target_session_attrs` of libpq). */
  needsPrimary: boolean
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * Splits a URL with several servers, `postgres://USER@HOST:PORT,HOST:PORT/NAME`, as libpq does
 * (https://www.postgresql.org/docs/current/libpq-connect.html, section 34.1.1.3).
 */
export const splitDatabaseUrl = (url: string): SplitUrl => {
  const [, before, servers, after] = PARTS.exec(url) ?? []
  return {
    urls: servers === undefined ? [url] : servers.split(',').map((server) => `${before}${server}${after}`),
    needsPrimary: /[?&]target_session_attrs=(read-write|primary)(&|$)/.test(url),
  }
}

/** No server of the URL accepts writes now. The message has the reason of each. */
export class NoPrimary extends Error {
  override name = 'NoPrimary'
}

/** A connection that is closed when another server has become the primary. */
export interface Closable {
  /** Closes the connection at once. Its pending queries fail as those of a lost connection. */
  abandon(reason: Error): void
}

/**
 * Connects to one server. @returns the timeline of its write-ahead log, which each promotion raises
 * @throws Error when it can't be reached in time, or accepts no writes
 */
export type Probe = (url: string) => Promise<number>

/**
 * The servers of one URL, one of which is the primary. All are asked at once. The primary is remembered while a
 * connection to it is open, and until one breaks. If it is found on another server, the connections to the earlier one
 * are closed: a server that is cut off answers nothing, and its connections would wait for their time limits.
 */
export class Servers {
  readonly urls: readonly string[]
  readonly #probe: Probe
  #primary: number | undefined
  #looking: Promise<number> | undefined
  readonly #open = new Map<Closable, number>()

  constructor(urls: readonly string[], probe: Probe) {
    this.urls = urls
    this.#probe = probe
  }

  /** Returns the position of the primary in `urls`. Throws NoPrimary. */
  find(): Promise<number> {
    const primary = this.#primary
    if (primary !== undefined && [...this.#open.values()].includes(primary)) return Promise.resolve(primary)
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  opened(connection: Closable, at: number): void {
    this.#open.set(connection, at)
  }

  closed(connection: Closable): void {
    this.#open.delete(connection)
  }

  /** A connection to this server failed or broke: the next connection looks for the primary again. */
  failed(at: number): void {
    if (this.#primary === at) this.#primary = undefined
  }

  async #look(): Promise<number> {
    const primary = await findPrimary(this.urls, this.#probe)
    this.#primary = primary
    for (const [connection, at] of this.#open)
      if (at !== primary) connection.abandon(new Error('another server has become the primary of the database'))
    return primary
  }
}

/**
 * A primary that was replaced may still run, cut off from the other servers. So all servers may answer for a moment
 * after the first, and the newest promotion counts.
 */
const findPrimary = async (urls: readonly string[], probe: Probe): Promise<number> => {
  const primaries: { at: number; timeline: number }[] = []
  const reasons: string[] = []
  const first = Promise.withResolvers<void>()
  const all = Promise.all(
    urls.map(async (url, at) => {
      try {
        primaries.push({ at, timeline: await probe(url) })
        first.resolve()
      } catch (error) {
        reasons.push(`server ${at + 1}: ${(error as Error).message}`)
      }
    }),
  )
  await Promise.race([all, first.promise])
  await Promise.race([all, sleep(OTHERS_MS, undefined, { ref: false })])
  const newest = primaries.toSorted((a, b) => b.timeline - a.timeline)[0]
  if (newest === undefined)
    throw new NoPrimary(`no server of the database accepts writes: ${reasons.toSorted().join('; ')}`)
  return newest.at
}
