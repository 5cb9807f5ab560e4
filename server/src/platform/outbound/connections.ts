import { Client, type Dispatcher, type buildConnector } from 'undici'
import type { Exchange } from './exchange.ts'

export interface ConnectionsSettings {
  connect: buildConnector.connector
  /** Maximum number of origins with persistent connections. */
  most: number
  /** Maximum number of connections to one origin. Further requests wait, and their time limit runs. */
  perOrigin: number
  /** Connections to one origin that are opened at once when a request finds none idle. */
  eager: number
  /** A request that has waited this long gets a new connection. */
  patienceMs: number
}

type Request = Dispatcher.DispatchOptions

const IDLE_MS = 4_000
const LONGEST_IDLE_MS = 30_000
const MAX_HEADER_BYTES = 16_384

/**
 * An undici client, which reconnects when its connection has ended, and whether the current connection has carried an
 * exchange.
 */
interface Line {
  client: Client
  carried: boolean
}

/** Persistent connections by origin. A new origin replaces the least recently used one. */
export class Connections {
  readonly #origins = new Map<string, Origin>()
  readonly #settings: ConnectionsSettings

  constructor(settings: ConnectionsSettings) {
    this.#settings = settings
  }

  /**
   * Sends a request over an idle connection.
   * @param fresh use a new connection
   */
  send(origin: string, request: Request, exchange: Exchange, fresh: boolean): void {
    let known = this.#origins.get(origin)
    if (known) this.#origins.delete(origin)
    else known = new Origin(origin, this.#settings)
    this.#origins.set(origin, known)
    for (const [oldest, old] of this.#origins) {
      if (this.#origins.size <= this.#settings.most) break
      this.#origins.delete(oldest)
      old.retire()
    }
    known.send(request, exchange, fresh)
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#origins.values()].map((origin) => origin.destroy()))
    this.#origins.clear()
  }
}

/**
 * The connections of one origin, each with one exchange at a time. A waiting request takes the next connection that
 * becomes idle, which is cheaper for both sides than a new one. The most recently used connection is used first, so
 * that unneeded ones become idle and close. A connection is closed when its exchange did not end properly.
 */
class Origin {
  readonly #origin: string
  readonly #settings: ConnectionsSettings
  readonly #lines = new Set<Line>()
  readonly #idle: Line[] = []
  readonly #waiting: { request: Request; exchange: Exchange; since: number }[] = []
  #patience: NodeJS.Timeout | undefined
  #retired = false

  constructor(origin: string, settings: ConnectionsSettings) {
    this.#origin = origin
    this.#settings = settings
  }

  send(request: Request, exchange: Exchange, fresh: boolean): void {
    const { eager, perOrigin, patienceMs } = this.#settings
    const line = fresh ? undefined : this.#idle.pop()
    if (line) return this.#start(line, request, exchange)
    if (this.#lines.size < Math.min(fresh ? perOrigin : eager, perOrigin))
      return this.#start(this.#open(), request, exchange)
    this.#waiting.push({ request, exchange, since: performance.now() })
    this.#patience ??= setTimeout(() => this.#relieve(), patienceMs)
  }

  /** Closes idle connections, and the others when their exchange ends. */
  retire(): void {
    this.#retired = true
    for (const line of this.#idle.splice(0)) this.#giveUp(line)
  }

  async destroy(): Promise<void> {
    this.#retired = true
    clearTimeout(this.#patience)
    await Promise.all([...this.#lines].map(({ client }) => client.destroy()))
  }

  #start(line: Line, request: Request, exchange: Exchange): void {
    exchange.begin(line, (ended) => {
      if (ended) line.carried = true
      else this.#giveUp(line)
      this.#serveNext(ended ? line : undefined)
    })
    line.client.dispatch(request, exchange)
  }

  #serveNext(free: Line | undefined): void {
    const next = this.#nextWaiting()
    if (next) this.#start(free ?? this.#open(), next.request, next.exchange)
    else if (free && this.#retired) this.#giveUp(free)
    else if (free) this.#idle.push(free)
  }

  /** Opens connections for requests that have waited too long, because responses are slow. */
  #relieve(): void {
    this.#patience = undefined
    const { perOrigin, patienceMs } = this.#settings
    const before = performance.now() - patienceMs
    const isBelowMost = (): boolean => this.#lines.size < perOrigin
    while (isBelowMost() && this.#waiting.length > 0 && this.#waiting[0]!.since <= before) {
      const next = this.#nextWaiting()
      if (next) this.#start(this.#open(), next.request, next.exchange)
    }
    const [first] = this.#waiting
    if (first) this.#patience = setTimeout(() => this.#relieve(), isBelowMost() ? first.since - before : patienceMs)
  }

  #nextWaiting(): { request: Request; exchange: Exchange } | undefined {
    let next = this.#waiting.shift()
    while (next?.exchange.settled) next = this.#waiting.shift()
    return next
  }

  #giveUp(line: Line): void {
    this.#lines.delete(line)
    void line.client.destroy()
  }

  #open(): Line {
    const client = new Client(this.#origin, {
      connect: this.#settings.connect,
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: LONGEST_IDLE_MS,
      // Replaced by one deadline for the whole exchange, because these limits start anew with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const line = { client, carried: false }
    client.on('connect', () => {
      line.carried = false
    })
    this.#lines.add(line)
    return line
  }
}
