import pg from 'pg'
import { isLost, sqlState } from './database.ts'

export interface ClientSettings extends pg.ClientConfig {
  /** time without any response to a pending query after which the connection is closed, ms; 0 or absent: no limit */
  answerMs?: number
}

/** Time limit for connecting, ms. */
const CONNECT_MS = 5_000

/**
 * Makes the server detect that this end is gone, so that locks and leases of a machine without power are released
 * within half a minute, and stop a statement whose process has ended. The first four don't apply to Unix sockets, which
 * detect it at once.
 */
export const SERVER_SIDE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=30000 -c client_connection_check_interval=10000'

/** The database did not respond within the time limit. A retry may take as long. */
export class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
}

/** The driver's message when no connection was made in time (pg/lib/client.js). */
const NO_CONNECTION = 'timeout expired'

/** True when the database did not respond, or accepted no connection, in time. A retry may take as long. */
export const isSilence = (error: unknown): error is Error =>
  error instanceof DatabaseSilent || (error instanceof Error && error.message === NO_CONNECTION)

/**
 * One connection. When the server or the network closes it, pending queries fail. The driver then also emits `error`,
 * which would end the process without a listener, and a pool listens on its idle connections only. This client closes
 * the connection when a response is overdue (the server lost power, or its address moved), and when the server is no
 * longer the primary; a caller's next query then gets another one.
 */
export class DatabaseClient extends pg.Client {
  readonly #answerMs: number
  #owed = 0
  #heardAt = 0
  #timer: NodeJS.Timeout | undefined
  /** Rejects each query that has no response yet. */
  readonly #waiting = new Set<(error: Error) => void>()
  #hasEnded = false

  constructor(config: ClientSettings = {}) {
    super({
      connectionTimeoutMillis: Math.min(CONNECT_MS, config.answerMs || CONNECT_MS),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      ...config,
    })
    this.#answerMs = config.answerMs ?? 0
    this.on('error', () => {})
    this.once('end', () => {
      this.#hasEnded = true
      clearTimeout(this.#timer)
      this.#endWaiting()
    })
    // The driver's method has eight signatures: arguments are passed on unchanged.
    const send = this.query.bind(this) as (...args: unknown[]) => unknown
    this.query = ((...args: unknown[]) => this.#ask(send, args)) as pg.Client['query']
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
        this.connection.stream.destroy(new DatabaseSilent(`the database did not answer for ${this.#answerMs} ms`))
      })
    }, ms)
  }
}
