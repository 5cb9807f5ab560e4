/** A database cluster, which initdb creates once in a data directory. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { giveTo } from './placement.ts'
import type { Placement } from './placement.ts'
import { runToEnd } from './run-as.ts'
import { PostgresUnavailable } from './unavailable.ts'

/** Returns whether the directory has a cluster. Throws when a different major version created it. */
export function hasCluster(dataDir: string, version: string): boolean {
  const file = join(dataDir, 'PG_VERSION')
  if (!existsSync(file)) return false
  const made = readFileSync(file, 'utf8').trim()
  const major = version.split('.')[0]
  if (made === major) return true
  throw new PostgresUnavailable(
    `${dataDir} was made by PostgreSQL ${made} and this is ${major}; move it away to start empty`,
  )
}

/** Creates the cluster in a temporary folder and renames it, so that a kill leaves nothing that looks complete. */
export function createCluster({ runAs, native, dataDir }: Placement): void {
  const prefix = `${basename(dataDir)}.init-`
  for (const name of readdirSync(dirname(dataDir))) {
    if (name.startsWith(prefix)) removeDraft(join(dirname(dataDir), name))
  }
  const draft = join(dirname(dataDir), `${prefix}${process.pid}`)
  mkdirSync(draft, { mode: 0o700 })
  giveTo(runAs, draft)
  const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-instructions']
  const run = runToEnd(runAs, join(native, 'bin', 'initdb'), [`--pgdata=${draft}`, ...settings])
  if (run.status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    throw new PostgresUnavailable(`initdb failed: ${(run.error?.message ?? `${run.stdout}\n${run.stderr}`).trim()}`)
  }
  renameSync(draft, dataDir)
}

/** The initdb of a killed launcher may still be writing there; then the next start removes it. */
function removeDraft(draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true })
  } catch {}
}
