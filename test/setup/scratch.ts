/** Temporary folders for real components. What a killed run leaves behind, processes too, the next run removes. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProcess } from '../../sandbox/process/end.ts'
import { inspectProcess, isRunning } from '../../sandbox/process/identity.ts'
import type { ProcessIdentity } from '../../sandbox/process/identity.ts'

export interface Scratch {
  readonly dir: string
  /** Notes a process that works in the folder, so that it can be ended should we be killed. */
  owns(name: string, process: ProcessIdentity): void
  remove(): void
}

const prefix = 'bursar-test-'
const keeperFile = 'kept-by.process.json'

export async function makeScratch(purpose: string): Promise<Scratch> {
  await sweep()
  const dir = mkdtempSync(join(tmpdir(), `${prefix}${purpose}-`))
  // Root runs PostgreSQL as another user, who must be able to pass through; the folders inside are closed.
  chmodSync(dir, 0o711)
  note(join(dir, keeperFile), inspectProcess(process.pid) as ProcessIdentity)
  return {
    dir,
    owns: (name, owned) => note(join(dir, `${name}.process.json`), owned),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const dir = join(tmpdir(), name)
    const keeper = name.startsWith(prefix) ? read(join(dir, keeperFile)) : undefined
    if (keeper === undefined || isRunning(keeper)) continue
    for (const file of readdirSync(dir).filter((entry) => entry.endsWith('.process.json'))) {
      const left = read(join(dir, file))
      if (left !== undefined) await endProcess(left, [{ signal: 'SIGQUIT', waitMs: 3_000 }, { signal: 'SIGKILL', waitMs: 3_000 }])
    }
    rmSync(dir, { recursive: true, force: true })
  }
}

function note(file: string, { pid, startedAt }: ProcessIdentity): void {
  writeFileSync(file, JSON.stringify({ pid, startedAt }))
}

function read(file: string): ProcessIdentity | undefined {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity) : undefined
  } catch {
    return undefined
  }
}
