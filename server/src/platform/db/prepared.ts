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

/** One connection for statements that are run all the time, made again when it breaks. */
export class PreparedConnection {
  readonly #settings: PoolSettings
  #client: Promise<pg.Client> | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  readonly query: Query = async (name, text, values) => {
    const connecting = (this.#client ??= this.#connect())
    const client = await connecting.catch((error: unknown) => {
      // Whatever kept it from being made, such as too many connections, may be over the next time.
      this.#drop(connecting)
      throw error
    })
    try {
      return (await client.query<Row>({ name, text, values })).rows
    } catch (error) {
      if (isLost(error)) this.#drop(connecting)
      throw error
    }
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await (await client?.catch(() => undefined))?.end()
  }

  async #connect(): Promise<pg.Client> {
    const connecting = connectPipelined(this.#settings)
    const client = await connecting
    client.on('error', () => this.#drop(this.#client))
    return client
  }

  #drop(connecting: Promise<pg.Client> | undefined): void {
    if (connecting === undefined || this.#client !== connecting) return
    this.#client = undefined
    void connecting.then((client) => client.end()).catch(() => {})
  }
}
