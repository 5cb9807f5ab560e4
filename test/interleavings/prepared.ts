/**
 * Connections on which each text is planned once: the same checks run after every schedule, and planning them takes
 * most of their time.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'

export interface PreparedDb {
  readonly db: Db
  readonly client: pg.PoolClient
  /**
   * A second connection, on which no trigger fires. PostgreSQL drops every plan of a session that changes
   * `session_replication_role`.
   */
  readonly withoutTriggers: Db
  close(): Promise<void>
}

export const openPrepared = async (url: string): Promise<PreparedDb> => {
  const pool = createPool({ url, max: 2, statementMs: 0, connectMs: 0 })
  const client = await connect(pool)
  const restoring = await connect(pool)
  await restoring.query('set session_replication_role = replica')
  return {
    db: namedStatements(client),
    client,
    withoutTriggers: namedStatements(restoring),
    close: async () => {
      client.release()
      restoring.release()
      await pool.end()
    },
  }
}

const connect = async (pool: pg.Pool): Promise<pg.PoolClient> => {
  const client = await pool.connect()
  await client.query('set idle_in_transaction_session_timeout = 0')
  return client
}

/** Gives each text a name, so that the server keeps its plan. */
const namedStatements = (client: pg.PoolClient): Db => {
  const query = (text: string, values: unknown[] = []): Promise<unknown> =>
    client.query({ name: createHash('md5').update(text).digest('hex'), text, values })
  const named = { query, release: () => {}, processID: null }
  // Kysely's dialect asks a pool for no more than this.
  return createDb({ connect: async () => named, end: async () => {} } as unknown as pg.Pool)
}
