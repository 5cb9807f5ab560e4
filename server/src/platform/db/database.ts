import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type pg from 'pg'

/** Queries are written in SQL: the query builder knows no table. */
type NoTables = Record<string, never>

/** Queries outside a transaction. */
export type Db = Kysely<NoTables>
/** An open transaction. Commands are handed one; they never open their own and never talk to the outside. */
export type Tx = Transaction<NoTables>

export const createDb = (pool: pg.Pool): Db => new Kysely<NoTables>({ dialect: new PostgresDialect({ pool }) })

/** What PostgreSQL says when a transaction lost a race and may simply be run again. */
const RETRY = new Set(['40001', '40P01'])

/** True for serialization failures and deadlocks: nothing was done, the same work may be tried again. */
export const mayRetry = (error: unknown): boolean => RETRY.has(sqlState(error) ?? '')

/** True when a statement gave up waiting for a lock: nothing was done. */
export const isLocked = (error: unknown): boolean => sqlState(error) === '55P03'

/**
 * True when the connection is gone, or no good any more. An error with a state is an answer; without one the connection
 * broke. The server says so itself when it goes down (57P), when the connection failed (08), and when it is a standby
 * since a switchover (25006).
 */
export const isLost = (error: unknown): boolean => {
  const state = sqlState(error)
  return state === undefined || state.startsWith('57P') || state.startsWith('08') || state === '25006'
}

/** The SQLSTATE of a driver error, or undefined for anything else. */
export const sqlState = (error: unknown): string | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined
}

/**
 * Runs database work in one transaction, again after a lost race (at most five times). The work must do nothing but
 * query: it may run more than once. An error from COMMIT itself means the outcome is unknown and is thrown as it is.
 */
export const inTransaction = async <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt >= 5 || !mayRetry(error)) throw error
    }
  }
}
