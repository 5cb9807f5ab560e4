/** An installation as the command `bursar` finds it: a migrated database, and settings in files of a folder. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import type { Db } from '../../server/src/platform/db/index.ts'
import { temporaryFolder } from '../setup/temporary.ts'
import { useDb, type WorldDatabaseOptions } from './database.ts'
import { TEST_KEYS } from './keys.ts'

interface TestInstallation {
  readonly url: string
  readonly pool: pg.Pool
  readonly db: Db
  readonly folder: string
  /** Writes a file that only its owner may read, as JSON unless it is a text. @returns its path */
  file(name: string, contents: unknown): string
  /** The parts of every installation: no asset yet, the keys of the test mnemonic, no log. */
  readonly env: Record<string, string>
}

/** For the top of a test file; its database is asked inside hooks and tests only. */
export const useInstallation = (options: WorldDatabaseOptions = {}): TestInstallation => {
  const { url, pool, db } = useDb(options)
  const folder = temporaryFolder('installation')
  const file = (name: string, contents: unknown): string => {
    const path = join(folder, name)
    writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents), { mode: 0o600 })
    return path
  }
  const env = {
    DATABASE_URL: url,
    BURSAR_DATA_KEY_FILE: file('key', 'ab'.repeat(32)),
    BURSAR_ASSETS_FILE: file('assets.json', { crypto: [], fiat: [] }),
    BURSAR_XPUBS_FILE: file('xpubs.json', { ...TEST_KEYS, masterFingerprint: '00000000' }),
    BURSAR_LOG_LEVEL: 'silent',
  }
  return { url, pool, db, folder, file, env }
}
