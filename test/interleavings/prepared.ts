/**
 * One connection on which each text is planned once: the same checks run after every schedule, and planning them takes
 * most of their time.
 */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'

export interface PreparedDb {
  readonly db: Db
  readonly client: pg.PoolClient
  close(): Promise<void>
}

export const openPrepared = async (url: string): Promise<PreparedDb> => {
  const pool = createPool({ url, max: 1, statementMs: 0, connectMs: 0 })
  const client = await pool.connect()
  await client.query('set idle_in_transaction_session_timeout = 0')
  const query = (text: string, values: unknown[] = []): Promise<unknown> =>
    client.query({ name: createHash('md5').update(text).digest('hex'), text, values })
  const named = { query, release: () => {}, processID: null }
  // Kysely's dialect asks a pool for no more than this.
  const db = createDb({ connect: async () => named, end: async () => {} } as unknown as pg.Pool)
  return {
    db,
    client,
    close: async () => {
      client.release()
      await pool.end()
    },
  }
}
