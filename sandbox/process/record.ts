/** A file that records the process of a component, so that a later start can adopt or end exactly that process. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isRunning } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

export function recordProcess(file: string, { pid, startedAt }: ProcessIdentity): void {
  writeFileSync(`${file}.new`, JSON.stringify({ pid, startedAt }))
  renameSync(`${file}.new`, file)
}

/** Returns the recorded process, if it still runs. */
export function recordedProcess(file: string): ProcessIdentity | undefined {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity
    return isRunning(found) ? found : undefined
  } catch {
    return undefined
  }
}

export function forgetProcess(file: string): void {
  rmSync(file, { force: true })
}
