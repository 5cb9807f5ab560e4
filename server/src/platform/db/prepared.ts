import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { isLost, type Tx } from './database.ts'
import { connectPipelined, type PoolSettings } from './pool.ts'

export type Row = Record<string, unknown>
/**
 * Executes a statement and resolves with its rows. A named statement is planned once for each connection, one with an
 * empty name each time.
 */
export type Query = (name: string, text: string, values: unknown[]) => Promise<Row[]>

/** Executes statements in an open transaction, one after another and not prepared. */
export const throughTx =
  (tx: Tx): Query =>
  async (_name, text, values) =>
    (await tx.executeQuery<Row>(CompiledQuery.raw(text, values))).rows

/** The connection of a session failed; `cause` is the reason. Sent statements may have been executed. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** Executes statements on one connection, such as those of a transaction. */
export interface Session {
  /** Throws ConnectionLost once the connection is broken; a session never changes its connection. */
  query: Query
  /** Sends all statements of `send` up to its first wait in one write: each write wakes the server. */
  oneTrip<T>(send: () => T): T
}

/** One pipelined connection for frequent statements, opened again when it breaks. */
export class PreparedConnection {
  readonly #settings: PoolSettings
  #client: Promise<pg.Client> | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Executes a statement on the current connection. Throws the driver's error. */
  readonly query: Query = async (name, text, values) => {
    const connecting = this.#connected()
    return this.#send(connecting, await connecting, { name, text, values })
  }

  async session(): Promise<Session> {
    const connecting = this.#connected()
    const client = await connecting.catch((error: unknown) => {
      throw new ConnectionLost('no connection to the database', { cause: error })
    })
    return {
      query: async (name, text, values) => {
        try {
          return await this.#send(connecting, client, { name, text, values })
        } catch (error) {
          throw isLost(error) ? new ConnectionLost('connection to the database lost', { cause: error }) : error
        }
      },
      oneTrip: (send) => {
        const { stream } = client.connection
        stream.cork()
        try {
          return send()
        } finally {
          stream.uncork()
        }
      },
    }
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await (await client?.catch(() => undefined))?.end()
  }

  #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client
    const connecting = (this.#client = connectPipelined(this.#settings))
    connecting.then(
      (client) => client.on('error', () => this.#drop(connecting)),
      // The reason, such as too many connections, may not apply to the next attempt.
      () => this.#drop(connecting),
    )
    return connecting
  }

  async #send(connecting: Promise<pg.Client>, client: pg.Client, statement: pg.QueryConfig): Promise<Row[]> {
    try {
      return (await client.query<Row>(statement)).rows
    } catch (error) {
      if (isLost(error)) this.#drop(connecting)
      throw error
    }
  }

  /** Drops the connection that broke, unless another has already replaced it. */
  #drop(connecting: Promise<pg.Client>): void {
    if (this.#client !== connecting) return
    this.#client = undefined
    void connecting.then((client) => client.end()).catch(() => {})
  }
}
