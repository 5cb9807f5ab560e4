import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import type pg from 'pg'
import { inCommit } from '../traces/tracing.ts'
import { announceCommit } from './announcing.ts'

/** Queries are written in SQL, so the query builder has no table types. */
type NoTables = Record<string, never>

/** Queries outside a transaction. */
export type Db = Kysely<NoTables>
/** An open transaction. Commands take it as an argument; they never open one and never call external systems. */
export type Tx = Transaction<NoTables>

export const createDb = (pool: pg.Pool): Db => new Kysely<NoTables>({ dialect: new PostgresDialect({ pool }) })

/** SQLSTATEs of transactions that lost a race and can be repeated. */
const RETRY = new Set(['40001', '40P01'])

/** True for serialization failures and deadlocks: nothing was done, and the same work can be repeated. */
export const mayRetry = (error: unknown): boolean => RETRY.has(sqlState(error) ?? '')

/** True when a statement timed out while waiting for a lock: nothing was done. */
export const isLocked = (error: unknown): boolean => sqlState(error) === '55P03'

/**
 * True when the connection is lost or must no longer be used. An error without an SQLSTATE means that it broke. The
 * server reports a shutdown (57P), a connection failure (08), and that it is a standby since a switchover (25006).
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

/** The clock of the database server, to compare it with other clocks. Statements take their time as a parameter. */
export const readServerTime = async (db: Db): Promise<Date> => {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  return rows[0]!.at
}

/**
 * Runs `work` in one transaction, and repeats it after a lost race, up to five attempts in all. `work` must only query,
 * because it may run more than once. An error from COMMIT means that the outcome is unknown; it is thrown unchanged.
 */
export const inTransaction = async <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    let opened: Tx | undefined
    try {
      const result = await inCommit<Tx, T>(
        (noted) => db.transaction().execute(noted),
        (tx) => work((opened = tx)),
      )
      announceCommit(opened)
      return result
    } catch (error) {
      if (attempt >= 5 || !mayRetry(error)) throw error
    }
  }
}
