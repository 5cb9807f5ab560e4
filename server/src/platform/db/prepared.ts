import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { isLost, type Tx } from './database.ts'
import { connectPipelined, type PoolSettings } from './pool.ts'

export type Row = Record<string, unknown>
/**
 * Sends one statement and resolves with its rows. Named statements are planned once per connection, one whose name is
 * empty each time.
 */
export type Query = (name: string, text: string, values: unknown[]) => Promise<Row[]>

/** Statements of an open transaction: none is prepared, and they run one after the other. */
export const throughTx =
  (tx: Tx): Query =>
  async (_name, text, values) =>
    (await tx.executeQuery<Row>(CompiledQuery.raw(text, values))).rows

/** The connection of a session could not be made, or broke; `cause` says why. What was sent may have been done. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** Statements on one and the same connection, such as those of a transaction. */
export interface Session {
  /** Throws ConnectionLost once the connection is broken; a new one is never taken within a session. */
  query: Query
  /** Sends all that `send` asks for before its first wait as one write: each write wakes the server. */
  oneTrip<T>(send: () => T): T
}

/** One pipelined connection for statements that are run all the time, made again when it breaks. */
export class PreparedConnection {
  readonly #settings: PoolSettings
  #client: Promise<pg.Client> | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Each statement takes the connection of its moment. Throws the driver's error. */
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
      // What kept it from being made, such as too many connections, may be over the next time.
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

  /** Only the connection that broke: another may have taken its place. */
  #drop(connecting: Promise<pg.Client>): void {
    if (this.#client !== connecting) return
    this.#client = undefined
    void connecting.then((client) => client.end()).catch(() => {})
  }
}
