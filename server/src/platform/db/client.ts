import pg from 'pg'
import { isLost, sqlState } from './database.ts'
import { Servers, splitDatabaseUrl, type Closable } from './servers.ts'

export interface ClientSettings extends pg.ClientConfig {
  /** Whether a standby is accepted although the URL asks for a server that accepts writes. */
  acceptsStandby?: boolean
  /** time without any response to a pending query after which the connection is closed, ms; 0 or absent: no limit */
  answerMs?: number
}

/** Time limit for connecting, ms. */
const CONNECT_MS = 5_000
/** Time in which one of several servers must say whether it accepts writes, ms. */
const PROBE_MS = 2_000

/**
 * Makes the server detect that this end is gone, so that locks and leases of a machine without power are released
 * within half a minute, and stop a statement whose process has ended. The first four don't apply to Unix sockets, which
 * detect it at once. No statement is compiled (`jit`, on in PostgreSQL's own settings): the cost of a plan without the
 * disabled kinds of scans says nothing of its time, and the compiler would take hundreds of times as long as the
 * statement.
 */
export const SERVER_SIDE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=30000 -c client_connection_check_interval=10000 -c jit=off'

/** The database did not respond within the time limit. A retry may take as long. */
export class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
}

/** The driver's message when no connection was made in time (pg/lib/client.js). */
const NO_CONNECTION = 'timeout expired'

/** True when the database did not respond, or accepted no connection, in time. A retry may take as long. */
export const isSilence = (error: unknown): error is Error =>
  error instanceof DatabaseSilent || (error instanceof Error && error.message === NO_CONNECTION)

const STANDARD_PORT = 5432

/** The servers of each URL that has several, for all connections of this process. */
const known = new Map<string, Servers>()

const serversOf = (url: string, urls: readonly string[]): Servers => {
  const servers = known.get(url) ?? new Servers(urls, probe)
  known.set(url, servers)
  return servers
}

/** Returns the timeline of a server that accepts writes. */
const probe = async (url: string): Promise<number> => {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'bursar-probe',
    connectionTimeoutMillis: PROBE_MS,
    answerMs: PROBE_MS,
  })
  try {
    await client.connect()
    const { rows } = await client.query<{ timeline: number }>(
      "select ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline",
    )
    return rows[0]!.timeline
  } finally {
    client.end().catch(() => {})
  }
}

/** Returns the error of a promise, or undefined. */
const settled = (promise: Promise<unknown>): Promise<Error | undefined> =>
  promise.then(
    () => undefined,
    (error: Error) => error,
  )

/** The server's function that warns of a commit that no standby has confirmed (src/backend/replication/syncrep.c). */
const UNCONFIRMED = 'SyncRepWaitForLSN'

/**
 * One connection. If the URL has several servers, it is to the one that accepts writes. When the server or the network
 * closes it, pending queries fail. The driver then also emits `error`, which would end the process without a listener,
 * and a pool listens on its idle connections only. This client closes the connection when a response is overdue (the
 * server lost power, or its address moved), and when the server is no longer the primary; a caller's next query then
 * gets another one. A commit is not acknowledged if the server stopped waiting for its standby.
 */
export class DatabaseClient extends pg.Client implements Closable {
  readonly #servers: Servers | undefined
  readonly #needsPrimary: boolean
  #at = 0
  #isStandby = false
  #isClosing = false
  readonly #answerMs: number
  #owed = 0
  #heardAt = 0
  #timer: NodeJS.Timeout | undefined
  /** Rejects each query that has no response yet. */
  readonly #waiting = new Set<(error: Error) => void>()
  #hasEnded = false

  constructor(config: ClientSettings = {}) {
    const { urls, needsPrimary } = splitDatabaseUrl(config.connectionString ?? '')
    super({
      connectionTimeoutMillis: Math.min(CONNECT_MS, config.answerMs || CONNECT_MS),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...config,
      ...(urls.length > 1 && { connectionString: urls[0] }),
    })
    this.#answerMs = config.answerMs ?? 0
    this.#needsPrimary = needsPrimary && config.acceptsStandby !== true
    this.#servers = urls.length > 1 ? serversOf(config.connectionString!, urls) : undefined
    this.on('error', () => {})
    this.on('notice', (notice) => {
      if (notice.routine === UNCONFIRMED) this.abandon(new Error('no standby has confirmed the commit'))
    })
    // Sent by PostgreSQL 14 and newer before the first query.
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on'
    })
    this.once('end', () => {
      this.#hasEnded = true
      this.#servers?.closed(this)
      if (!this.#isClosing) this.#servers?.failed(this.#at)
      clearTimeout(this.#timer)
      this.#endWaiting()
    })
    // The driver's method has eight signatures: arguments are passed on unchanged.
    const send = this.query.bind(this) as (...args: unknown[]) => unknown
    this.query = ((...args: unknown[]) => this.#ask(send, args)) as pg.Client['query']
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    if (this.#servers === undefined && !this.#needsPrimary) {
      return callback === undefined ? super.connect().then(() => this) : super.connect(callback)
    }
    const connecting = this.#connectToPrimary()
    if (callback === undefined) return connecting
    const report = async (): Promise<void> => callback((await settled(connecting))!)
    void report()
  }

  async #connectToPrimary(): Promise<this> {
    if (this.#servers) {
      this.#at = await this.#servers.find()
      const { hostname, port } = new URL(this.#servers.urls[this.#at]!)
      this.host = decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1')
      this.port = Number(port || STANDARD_PORT)
      this.#servers.opened(this, this.#at)
    }
    try {
      await super.connect()
      if (this.#needsPrimary && this.#isStandby) throw new Error('the server of the database is a standby')
      return this
    } catch (error) {
      this.#servers?.failed(this.#at)
      this.connection.stream.destroy()
      throw error
    }
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#isClosing = true
    return callback === undefined ? super.end() : super.end(callback)
  }

  abandon(reason: Error): void {
    this.#servers?.failed(this.#at)
    for (const settle of this.#waiting) settle(reason)
    this.connection.stream.destroy(reason)
  }

  #ask(send: (...args: unknown[]) => unknown, args: unknown[]): unknown {
    this.#asked()
    if (this.#hasEnded) this.#endWaiting()
    const callback = args.at(-1)
    if (typeof callback !== 'function') {
      return new Promise((resolve, reject) => {
        const settle = this.#once(resolve, reject)
        const result = send(...args) as Promise<unknown>
        result.then((value) => settle(undefined, value), settle)
      })
    }
    const settle = this.#once(
      (value) => callback(undefined, value),
      (error) => callback(error),
    )
    return send(...args.slice(0, -1), settle)
  }

  /** Creates a callback that settles a query once, by its response or by the end of the connection. */
  #once(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
    const settle = (error?: unknown, value?: unknown): void => {
      if (!this.#waiting.delete(settle)) return
      this.#answered(error ?? undefined)
      if (error) reject(error)
      else resolve(value)
    }
    this.#waiting.add(settle)
    return settle
  }

  /**
   * Rejects the pending queries of a connection that has ended. The driver rejects those that it knows in the next
   * turn; any other would never settle, and would block all orders of a merchant.
   */
  #endWaiting(): void {
    setImmediate(() => {
      for (const settle of this.#waiting) settle(new Error('Connection terminated unexpectedly'))
    })
  }

  #asked(): void {
    this.#owed += 1
    if (this.#owed > 1) return
    this.#heardAt = performance.now()
    if (this.#answerMs > 0) this.#wait(this.#answerMs)
  }

  #answered(error?: unknown): void {
    this.#heardAt = performance.now()
    this.#owed -= 1
    if (this.#owed === 0) clearTimeout(this.#timer)
    if (sqlState(error) !== undefined && isLost(error)) this.connection.stream.destroy()
  }

  /** Checks the time limit, which starts anew with each response on the connection. */
  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#heardAt + this.#answerMs - performance.now()
      if (left > 0) return this.#wait(left)
      // After this process was stopped for a while, a response may be unread in the socket: it is read before the next
      // turn.
      setImmediate(() => {
        if (this.#owed === 0 || this.#heardAt + this.#answerMs > performance.now()) return
        this.abandon(new DatabaseSilent(`the database did not answer for ${this.#answerMs} ms`))
      })
    }, ms)
  }
}

/**
 * Opens a connection. Throws DatabaseSilent when none was made in time, otherwise the driver's error.
 */
export const openClient = async (config: ClientSettings): Promise<DatabaseClient> => {
  const client = new DatabaseClient(config)
  try {
    return await client.connect()
  } catch (error) {
    client.end().catch(() => {})
    throw isSilence(error) ? new DatabaseSilent('no connection to the database in time', { cause: error }) : error
  }
}
