import { randomInt } from 'node:crypto'
import { type DatabaseClient, DatabaseSilent } from './client.ts'

const PREPARE_MS = 5_000

export interface ReconnectingSettings {
  /** Opens a connection. Rejects with the driver's error. */
  open(): Promise<DatabaseClient>
  /** Prepares the session of a new connection before its first use. If it rejects, the connection is closed. */
  prepare?(client: DatabaseClient): Promise<void>
  /** Time for `prepare`, ms; 5 s by default. After it the connection is abandoned, because the database is silent. */
  prepareMs?: number
  /**
   * The session of a prepared connection has ended or was given up. Locks, settings and unread notifications of the
   * session are gone. Called once for each session, in the same turn in which this process learns of the end.
   */
  ended?(): void
  /** Pause between heartbeats, and the time after which a heartbeat without an answer ends the session, ms. */
  heartbeat?: { everyMs: number; answerMs: number }
}

/**
 * One connection to the database, replaced by another after its end. Each connection has a session of its own, so an
 * owner that keeps state in a session uses `prepare` and `ended`.
 */
export class ReconnectingConnection {
  readonly #settings: ReconnectingSettings
  #opening: Promise<DatabaseClient> | undefined
  /** The connection, once it is open and prepared. */
  #client: DatabaseClient | undefined
  #heartbeat: NodeJS.Timeout | undefined
  /** Average pause before the next attempt, ms. Undefined: a connection is opened only when it is asked for. */
  #pauseMs: number | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(settings: ReconnectingSettings) {
    this.#settings = settings
  }

  /** Returns the connection, or opens one. Rejects if the attempt fails; the next call is a new attempt. */
  get(): Promise<DatabaseClient> {
    return (this.#opening ??= this.#open())
  }

  isCurrent(client: DatabaseClient): boolean {
    return this.#client === client
  }

  /**
   * Opens a connection now, and again after each end or failed attempt, until `close`.
   * @param pauseMs average pause before the next attempt; the pause varies by half, because many processes lose their
   *   connections at the same time
   */
  keepOpen(pauseMs: number): void {
    this.#pauseMs = pauseMs
    this.get().catch(() => {})
  }

  /** Closes a connection that is of no use any more. Does nothing if another has replaced it. */
  drop(client: DatabaseClient): void {
    if (this.#client !== client) return
    this.#forget()
    client.end().catch(() => {})
    this.#openLater()
  }

  /** Closes the connection. A later `get` opens another one. */
  async close(): Promise<void> {
    this.#pauseMs = undefined
    clearTimeout(this.#retry)
    const opening = this.#opening
    this.#forget()
    const client = await opening?.catch(() => undefined)
    await client?.end().catch(() => {})
  }

  #forget(): void {
    const hadSession = this.#client !== undefined
    this.#opening = undefined
    this.#client = undefined
    clearTimeout(this.#heartbeat)
    if (hadSession) this.#settings.ended?.()
  }

  #open(): Promise<DatabaseClient> {
    const opening: Promise<DatabaseClient> = this.#connect(() => this.#opening === opening).catch((error: unknown) => {
      // The reason, such as too many connections, may not apply to the next attempt.
      if (this.#opening === opening) {
        this.#opening = undefined
        this.#openLater()
      }
      throw error
    })
    return opening
  }

  /** @param isWanted whether the attempt is still the current one */
  async #connect(isWanted: () => boolean): Promise<DatabaseClient> {
    const client = await this.#settings.open()
    let hasEnded = false
    for (const event of ['error', 'end'] as const) {
      client.on(event, () => {
        hasEnded = true
        this.drop(client)
      })
    }
    const late = setTimeout(
      () => client.abandon(new DatabaseSilent('the database did not answer while a session was prepared')),
      this.#settings.prepareMs ?? PREPARE_MS,
    )
    try {
      await this.#settings.prepare?.(client)
      if (hasEnded) throw new Error('the connection to the database ended before its first use')
      if (!isWanted()) throw new Error('the connection to the database was closed before its first use')
    } catch (error) {
      client.end().catch(() => {})
      throw error
    } finally {
      clearTimeout(late)
    }
    this.#client = client
    this.#beat(client)
    return client
  }

  #openLater(): void {
    if (this.#pauseMs === undefined) return
    const pauseMs = randomInt(Math.ceil(this.#pauseMs / 2), Math.ceil(this.#pauseMs * 1.5) + 1)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.get().catch(() => {}), pauseMs)
  }

  #beat(client: DatabaseClient): void {
    const { heartbeat } = this.#settings
    if (heartbeat === undefined) return
    const { everyMs, answerMs } = heartbeat
    this.#heartbeat = setTimeout(() => {
      this.#heartbeat = setTimeout(() => {
        client.abandon(new DatabaseSilent('the database did not answer a heartbeat'))
        this.drop(client)
      }, answerMs)
      client.query('select').then(
        () => {
          if (this.#client !== client) return
          clearTimeout(this.#heartbeat)
          this.#beat(client)
        },
        () => this.drop(client),
      )
    }, everyMs)
  }
}
