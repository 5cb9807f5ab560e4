/** A database with this build's tables for a test file, and connections to it. */
import type pg from 'pg'
import { afterAll, expect } from 'vitest'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'
import { checkInvariants } from '../../server/src/treasury/invariants/index.ts'
import { useDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'

export interface WorldDatabase {
  readonly url: string
  readonly pool: pg.Pool
  readonly db: Db
}

export interface WorldDatabaseOptions {
  /** connections, where a test races many */
  max?: number
  /** invariants that the file's tests break on purpose: say why beside it */
  breaks?: readonly string[]
}

/**
 * Worlds of one module run without the subscribers that record balances of addresses, and give money that no address
 * holds. Tests of reconciliation and the simulation check this one.
 */
const NOT_RECORDED = 'records-are-books'

/**
 * For the top of a test file; asked inside hooks and tests only. After the last test, the rows of the database must
 * break no invariant (server/src/treasury/invariants).
 */
export const useDb = ({ max, breaks = [] }: WorldDatabaseOptions = {}): WorldDatabase => {
  const { url } = useDatabase({ template: migrated })
  const pool = createPool({ url, ...(max !== undefined && { max }) })
  const db = createDb(pool)
  afterAll(async () => {
    try {
      const found = await checkInvariants(db)
      const tolerated = new Set([NOT_RECORDED, ...breaks])
      expect(found.filter(({ invariant }) => !tolerated.has(invariant))).toEqual([])
    } finally {
      await pool.end()
    }
  })
  return { url, pool, db }
}
