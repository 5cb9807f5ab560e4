/** The packages of this checkout, built once for all test files of a run. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { withFileLock } from '../../sandbox/process/lock.ts'
import '../../test/setup/provided.ts'

/** Another file may be building them, on a slow machine. */
const MOST_MS = 10 * 60_000

/** Copies what `npm run package` makes into a folder. The caller may rename and remove its copies. */
export const copyPackages = async (folder: string): Promise<void> => {
  const shared = inject('packagesFolder')
  const built = join(shared, 'built')
  await withFileLock(join(shared, 'lock'), MOST_MS, async () => {
    if (existsSync(built)) return
    const making = join(shared, 'making')
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'main.ts'), '--out', making])
    renameSync(making, built)
  })
  cpSync(built, folder, { recursive: true })
}
