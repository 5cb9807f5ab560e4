import pg from 'pg'
import { DatabaseClient, DatabaseSilent, SERVER_SIDE, type ClientSettings } from './client.ts'

/** Column types the driver turns into exact values: counters to safe numbers, integer units to bigint. */
const parsers: Record<number, (text: string) => unknown> = {
  20: (text) => {
    const value = Number(text)
    if (!Number.isSafeInteger(value)) throw new RangeError(`bigint column beyond 2^53: ${text}`)
    return value
  },
  1700: (text) => BigInt(text),
  // arrays of integer units, none of them null
  1231: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt)),
}

const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export interface PoolSettings {
  url: string
  max?: number
  /** A statement of a pipelined connection that waits longer for a lock fails with 55P03, in ms. */
  lockWaitMs?: number
  /** A statement that runs longer is ended by the server with 57014, in ms; 0: none is */
  statementMs?: number
  /** ms without any answer after which a connection is given up; 5 seconds longer than a statement when absent */
  answerMs?: number
  /** Shown in pg_stat_activity, so that an operator can tell the roles apart. */
  applicationName?: string
}

const STATEMENT_MS = 20_000
const LOCK_WAIT_MS = 10_000
/** What an answer may take longer than its statement: it travels, and the server may be busy with others. */
const ANSWER_MS = 5_000

const clientConfig = (settings: PoolSettings): ClientSettings => {
  const { statementMs = STATEMENT_MS } = settings
  return {
    connectionString: settings.url,
    application_name: settings.applicationName ?? 'bursar',
    types,
    options: SERVER_SIDE,
    statement_timeout: statementMs,
    answerMs: settings.answerMs ?? (statementMs === 0 ? 0 : statementMs + ANSWER_MS),
  }
}

/**
 * Connections for ordinary queries. What hangs gives up, so that one lock can't take every connection: a wait for a
 * lock, a statement, an open transaction, and a server that is silent.
 */
export const createPool = (settings: PoolSettings): pg.Pool => {
  const pool = new pg.Pool({
    ...clientConfig(settings),
    Client: DatabaseClient,
    max: settings.max ?? 8,
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: LOCK_WAIT_MS,
  })
  // The pool replaces an idle connection that breaks, and says so here too.
  pool.on('error', () => {})
  return pool
}

/**
 * One connection whose queries are written without waiting for earlier answers. A failed statement leaves its
 * transaction aborted: the COMMIT behind it then answers ROLLBACK, so every answer has to be looked at.
 */
export const connectPipelined = async (settings: PoolSettings): Promise<pg.Client> => {
  const client = new DatabaseClient({
    ...clientConfig(settings),
    pipeline: true,
    // Plans made on empty tables are kept; index plans are right at every size for these statements.
    options: `${SERVER_SIDE} -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c lock_timeout=${settings.lockWaitMs ?? LOCK_WAIT_MS}`,
  })
  await client.connect().catch((error: Error) => {
    // The driver's words for it (pg/lib/client.js).
    throw error.message === 'timeout expired'
      ? new DatabaseSilent('no connection to the database in time', { cause: error })
      : error
  })
  return client
}
