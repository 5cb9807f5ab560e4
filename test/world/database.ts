/** A database with this build's tables for a test file, and connections to it. */
import type pg from 'pg'
import { afterAll } from 'vitest'
import { createDb, createPool, type Db } from '../../server/src/platform/db/index.ts'
import { useDatabase } from '../setup/database.ts'
import { migrated } from '../setup/migrated.ts'

/** For the top of a test file; asked inside hooks and tests only. */
export const useDb = (): { readonly url: string; readonly pool: pg.Pool; readonly db: Db } => {
  const { url } = useDatabase({ template: migrated })
  const pool = createPool({ url })
  afterAll(() => pool.end())
  return { url, pool, db: createDb(pool) }
}
