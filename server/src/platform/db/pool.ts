import pg from 'pg'
import { DatabaseClient, openClient, SERVER_SIDE, type ClientSettings } from './client.ts'

/** Parsers that make column values exact: bigint columns as safe numbers, integer units as bigint. */
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
  /** ms without any response after which a connection is closed; 5 seconds longer than a statement when absent */
  answerMs?: number
  /** time limit for connecting, ms; 0: none; 5 seconds when absent */
  connectMs?: number
  /** Shown in pg_stat_activity, so that an operator can distinguish the roles. */
  applicationName?: string
}

const STATEMENT_MS = 20_000
const LOCK_WAIT_MS = 10_000
/** Additional time for a response after its statement: for the network, and for a busy server. */
const ANSWER_MS = 5_000

const clientConfig = (settings: PoolSettings): ClientSettings => {
  const { statementMs = STATEMENT_MS } = settings
  return {
    connectionString: settings.url,
    application_name: settings.applicationName ?? 'bursar',
    types,
    options: SERVER_SIDE,
    statement_timeout: statementMs,
    ...(settings.connectMs !== undefined && { connectionTimeoutMillis: settings.connectMs }),
    answerMs: settings.answerMs ?? (statementMs === 0 ? 0 : statementMs + ANSWER_MS),
  }
}

/**
 * Creates the pool for ordinary queries. Lock waits, statements, idle transactions and missing responses all have time
 * limits, so that one lock can't occupy every connection.
 */
export const createPool = (settings: PoolSettings): pg.Pool => {
  const pool = new pg.Pool({
    ...clientConfig(settings),
    Client: DatabaseClient,
    max: settings.max ?? 8,
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: LOCK_WAIT_MS,
  })
  // The pool replaces an idle connection that breaks; it also emits this event.
  pool.on('error', () => {})
  return pool
}

/**
 * Opens one connection that sends queries without waiting for earlier responses. A failed statement aborts its
 * transaction, and a later COMMIT then responds with ROLLBACK, so the caller must check every response.
 */
export const connectPipelined = (settings: PoolSettings): Promise<DatabaseClient> =>
  openClient({
    ...clientConfig(settings),
    pipeline: true,
    // Generic plans are cached even if the tables were empty; for these statements index plans suit every size.
    options: `${SERVER_SIDE} -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c lock_timeout=${settings.lockWaitMs ?? LOCK_WAIT_MS}`,
  })
