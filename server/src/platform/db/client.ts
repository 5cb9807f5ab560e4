import pg from 'pg'
import { isLost, sqlState } from './database.ts'

export interface ClientSettings extends pg.ClientConfig {
  /**
   * ms without any answer, while one is owed, after which the connection is given up; 0, as when absent: it waits for
   * ever
   */
  answerMs?: number
}

/** A connection is made in so long, ms, or not at all. */
const CONNECT_MS = 5_000

/**
 * How the server finds out that this end is gone, so that locks and leases of a machine without power are free within
 * half a minute; and that it stops a statement whose process has ended. Unix sockets, which know at once, take no
 * notice of the first four.
 */
export const SERVER_SIDE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=30000 -c client_connection_check_interval=10000'

/** No answer came in the time that was given for it: a caller that asks again may wait as long. */
export class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
}

/**
 * One connection. When the server or the network ends it, the queries under way fail, and nothing else happens: the
 * driver also emits `error` then, which would end the process if nothing listened, and a pool listens to its idle
 * connections only. It is ended from here when an answer is owed and none comes (the server's machine lost power, or
 * its address moved), and when the server can no longer be the primary: a caller that asks next gets another.
 */
export class DatabaseClient extends pg.Client {
  readonly #answerMs: number
  #owed = 0
  #heardAt = 0
  #timer: NodeJS.Timeout | undefined
  /** Ends each query that has no answer yet. */
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
    // The driver's method has eight signatures: what comes in goes on as it is.
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

  /** What a query's answer, or the end of the connection, settles: the first of them counts. */
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
   * No answer comes on a connection that has ended. The driver ends its queries itself, in the next turn; one that it
   * has lost sight of would never end, and with it all orders of a merchant.
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

  /** Each answer gives those behind it on the connection the whole time again. */
  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#heardAt + this.#answerMs - performance.now()
      if (left > 0) return this.#wait(left)
      // An answer may lie in the socket unread when this process was stopped for a while: it is read before the next
      // turn.
      setImmediate(() => {
        if (this.#owed === 0 || this.#heardAt + this.#answerMs > performance.now()) return
        this.connection.stream.destroy(new DatabaseSilent(`the database did not answer for ${this.#answerMs} ms`))
      })
    }, ms)
  }
}
