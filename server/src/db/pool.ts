import pg from 'pg'

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
  /** A statement of a pipelined connection that waits longer for a lock fails with 55P03, in ms; by default it waits. */
  lockWaitMs?: number
  /** Shown in pg_stat_activity, so that an operator can tell the roles apart. */
  applicationName?: string
}

const clientConfig = (settings: PoolSettings): pg.ClientConfig => ({
  connectionString: settings.url,
  application_name: settings.applicationName ?? 'bursar',
  types,
  keepAlive: true,
})

/** Connections for ordinary queries. Statements that hang give up, so that one lock can't take every connection. */
export const createPool = (settings: PoolSettings): pg.Pool => {
  const pool = new pg.Pool({
    ...clientConfig(settings),
    max: settings.max ?? 8,
    connectionTimeoutMillis: 5_000,
    idle_in_transaction_session_timeout: 30_000,
    lock_timeout: 10_000,
  })
  // An idle connection that breaks is replaced by the pool; the error must not end the process.
  pool.on('error', () => {})
  return pool
}

/**
 * One connection whose queries are written without waiting for earlier answers. A failed statement leaves its
 * transaction aborted: the COMMIT behind it then answers ROLLBACK, so every answer has to be looked at.
 */
export const connectPipelined = async (settings: PoolSettings): Promise<pg.Client> => {
  const client = new pg.Client({
    ...clientConfig(settings),
    pipeline: true,
    // Plans made on empty tables are kept; index plans are right at every size for these statements.
    options: `-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c lock_timeout=${settings.lockWaitMs ?? 0}`,
  })
  // The server may end a connection in the same packet that opens it: without a listener that would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
