/** A database with this build's tables for a test file: `const database = useDatabase({ template: migrated })`. */
import { migrate } from '../../server/src/platform/db/migrate.ts'
import type { Template } from './database.ts'

export const migrated: Template = {
  name: 'bursar',
  migrate: async (url) => {
    await migrate(url)
  },
}
