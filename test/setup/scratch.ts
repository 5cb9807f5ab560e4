/** Temporary folders for real components. The next run removes folders and processes that a killed run leaves. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProcess } from '../../sandbox/process/end.ts'
import { inspectProcess } from '../../sandbox/process/identity.ts'
import type { ProcessIdentity } from '../../sandbox/process/identity.ts'
import { recordedProcess, recordProcess } from '../../sandbox/process/record.ts'

export interface Scratch {
  readonly dir: string
  /** Notes a process that works in the folder, so that it can be ended should we be killed. */
  owns(name: string, process: ProcessIdentity): void
  remove(): void
}

const prefix = 'bursar-test-'
const ownerFile = 'owner.process.json'

export async function makeScratch(purpose: string): Promise<Scratch> {
  await sweep()
  const dir = makeOwnedFolder(purpose)
  return {
    dir,
    owns: (name, owned) => recordProcess(join(dir, `${name}.process.json`), owned),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** A folder that says whose it is: once that process is gone, the next run removes it. */
export function makeOwnedFolder(purpose: string): string {
  const dir = mkdtempSync(join(tmpdir(), `${prefix}${purpose}-`))
  // Root runs PostgreSQL as another user, who must be able to pass through; the folders inside are closed.
  chmodSync(dir, 0o711)
  recordProcess(join(dir, ownerFile), inspectProcess(process.pid) as ProcessIdentity)
  return dir
}

async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const dir = join(tmpdir(), name)
    const owner = join(dir, ownerFile)
    if (!name.startsWith(prefix) || !existsSync(owner) || recordedProcess(owner) !== undefined) continue
    await removeLeft(dir)
  }
}

/** Another run may be removing the same folder: a folder that it removed first is no failure. */
async function removeLeft(dir: string): Promise<void> {
  try {
    for (const file of readdirSync(dir).filter((entry) => entry.endsWith('.process.json'))) {
      const left = recordedProcess(join(dir, file))
      if (left !== undefined)
        await endProcess(left, [
          { signal: 'SIGQUIT', waitMs: 3_000 },
          { signal: 'SIGKILL', waitMs: 3_000 },
        ])
    }
    rmSync(dir, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
