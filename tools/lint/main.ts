/** `npm run check`: prints every violation of this repository's rules with its file. Exits with 1 if there is one. */
import { GRANTS } from '../../server/src/platform/db/grants.ts'
import { findViolations } from './boundaries.ts'
import { FOREIGN_READS } from './foreign-reads.ts'
import { readSources } from './imports.ts'
import { findRawRows } from './raw-rows.ts'
import { findForeignSql } from './tables.ts'
import { findUntidy } from './tidy.ts'

const root = new URL('../../', import.meta.url).pathname
const FOLDERS = ['contract', 'chainkit', 'signer', 'sdk', 'server', 'sandbox', 'test', 'bench', 'tools', 'web']

const files = await readSources(root, FOLDERS)
const imports = files.flatMap((file) => file.imports)
// A reader that finds no files would report no violations either.
if (files.length < 1_000 || imports.length < 3_000) throw new Error('tools/lint does not find the sources')
const found = [
  ...findViolations(files),
  ...findUntidy(files),
  ...findRawRows(files),
  ...findForeignSql(files, GRANTS, FOREIGN_READS),
]
for (const line of found) console.log(line)
process.exitCode = found.length === 0 ? 0 : 1
