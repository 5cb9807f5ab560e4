/**
 * Folders of one test file, gone after its last test, whether that passed or not: `cleaning.ts` sees to it. What a
 * killed run leaves is removed by the next run that starts real components (`scratch.ts`).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeOwnedFolder } from './scratch.ts'

let all: string | undefined
let endsWithProcess = false

/** A new folder, anywhere in a test file or in the functions that it calls. */
export function temporaryFolder(purpose: string): string {
  if (all === undefined) {
    all = makeOwnedFolder('files')
    // Outside a test run, in a bench or a tool, the process's end is the end.
    if (!endsWithProcess) process.once('exit', removeTemporaryFolders)
    endsWithProcess = true
  }
  return mkdtempSync(join(all, `${purpose}-`))
}

export function removeTemporaryFolders(): void {
  if (all !== undefined) rmSync(all, { recursive: true, force: true })
  all = undefined
}
