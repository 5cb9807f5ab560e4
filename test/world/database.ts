/** A database with this build's tables for a test file, and connections to it. */
import type pg from 'pg'
import { afterAll } from 'vitest'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'
import { useDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'

export interface WorldDatabase {
  readonly url: string
  readonly pool: pg.Pool
  readonly db: Db
}

/** For the top of a test file; asked inside hooks and tests only. @param max connections, where a test races many */
export const useDb = ({ max }: { max?: number } = {}): WorldDatabase => {
  const { url } = useDatabase({ template: migrated })
  const pool = createPool({ url, ...(max !== undefined && { max }) })
  afterAll(() => pool.end())
  return { url, pool, db: createDb(pool) }
}
