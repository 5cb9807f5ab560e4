import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { DatabaseClient } from './client.ts'
import { isLost, type Tx } from './database.ts'
import { connectPipelined, type PoolSettings } from './pool.ts'
import { ReconnectingConnection } from './reconnecting.ts'

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
  readonly #connection: ReconnectingConnection

  constructor(settings: PoolSettings) {
    this.#connection = new ReconnectingConnection({ open: () => connectPipelined(settings) })
  }

  /** Executes a statement on the current connection. Throws the driver's error. */
  readonly query: Query = async (name, text, values) => this.#send(await this.#connection.get(), { name, text, values })

  async session(): Promise<Session> {
    const client = await this.#connection.get().catch((error: unknown) => {
      throw new ConnectionLost('no connection to the database', { cause: error })
    })
    return {
      query: async (name, text, values) => {
        try {
          return await this.#send(client, { name, text, values })
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

  close(): Promise<void> {
    return this.#connection.close()
  }

  async #send(client: DatabaseClient, statement: pg.QueryConfig): Promise<Row[]> {
    try {
      return (await client.query<Row>(statement)).rows
    } catch (error) {
      if (isLost(error)) this.#connection.drop(client)
      throw error
    }
  }
}
