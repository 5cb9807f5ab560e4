/** Selects the location of the server's files and its user, so that the user can access the files. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { asOurselves, asUser, canEnter, inUserNamespace, nobody, whyNotRunnable } from './run-as.ts'
import type { RunAs } from './run-as.ts'
import { PostgresUnavailable } from './unavailable.ts'

export interface Placement {
  readonly runAs: RunAs
  readonly native: string
  readonly dataDir: string
}

/**
 * Folders for copies that the unprivileged user must read when it has no access to the project, in order of preference.
 */
const usualCopyBases: readonly string[] = ['/var/lib', '/var/tmp', '/tmp']

/** Left in the data directory when the data had to go elsewhere. */
const pointerName = 'MOVED-TO'

/** Returns the directory that contains the data: `dataDir`, or the one that an earlier run moved it to. */
export function actualDataDir(dataDir: string): string {
  const pointer = join(dataDir, pointerName)
  if (!existsSync(pointer)) return dataDir
  const moved = readFileSync(pointer, 'utf8').trim()
  return existsSync(moved) ? moved : dataDir
}

/**
 * Uses the files in place if the server's user can access them, else a private copy in the first of `copyBases` that
 * this user can access. Throws PostgresUnavailable, with every reason, when nothing works.
 */
export function placeServer(binaries: Binaries, dataDir: string, copyBases = usualCopyBases): Placement {
  mkdirSync(dirname(dataDir), { recursive: true })
  if (process.geteuid?.() !== 0) return placeAsOurselves(binaries, dataDir)
  const ordinary = ordinaryUser(dataDir)
  const refused: string[] = []
  if (actualDataDir(dataDir) === dataDir) {
    for (const runAs of [ordinary, inUserNamespace]) {
      const why = whyNotInPlace(runAs, binaries.native, dataDir)
      if (why === undefined) return { runAs, native: binaries.native, dataDir }
      refused.push(`as ${runAs.name}: ${why}`)
    }
  }
  for (const base of copyBases) {
    if (existsSync(base) && canEnter(ordinary, base)) return placeCopy(binaries, dataDir, ordinary, base)
    refused.push(`in ${base}: closed to ${ordinary.name}`)
  }
  throw new PostgresUnavailable(`it refuses to run as root, and nothing else worked (${refused.join('; ')})`)
}

/**
 * Changes the owner of the folder and its contents to the server's user. The folder itself comes last, so that its
 * owner shows completion.
 */
export function giveTo(runAs: RunAs, folder: string): void {
  if (runAs.owner === undefined || lstatSync(folder).uid === runAs.owner.uid) return
  chownTree(folder, runAs.owner.uid, runAs.owner.gid)
}

function placeAsOurselves(binaries: Binaries, dataDir: string): Placement {
  const runAs = hasName() ? asOurselves : inUserNamespace
  const why = whyNotRunnable(runAs, join(binaries.native, 'bin', 'postgres'))
  if (why !== undefined) throw new PostgresUnavailable(`its program does not run as ${runAs.name}: ${why}`)
  return { runAs, native: binaries.native, dataDir }
}

/** Containers run as bare numbers; initdb refuses a user that the system knows no name for. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** The user whose files these already are, so that root and that user can take turns; else the user `nobody`. */
function ordinaryUser(dataDir: string): RunAs {
  const existing = [dataDir, dirname(dataDir)].find((path) => existsSync(path))
  const { uid, gid } = existing === undefined ? { uid: 0, gid: 0 } : statSync(existing)
  return uid === 0 ? asUser(nobody, nobody) : asUser(uid, gid)
}

function whyNotInPlace(runAs: RunAs, native: string, dataDir: string): string | undefined {
  const why = whyNotRunnable(runAs, join(native, 'bin', 'postgres'))
  if (why !== undefined) return why
  return canEnter(runAs, dirname(dataDir)) ? undefined : `${dirname(dataDir)} is closed to it`
}

function placeCopy(binaries: Binaries, dataDir: string, runAs: RunAs, base: string): Placement {
  const home = join(base, 'bursar-postgres')
  mkdirSync(home, { recursive: true, mode: 0o755 })
  if (lstatSync(home).uid !== 0 || !lstatSync(home).isDirectory()) {
    throw new PostgresUnavailable(`${home} belongs to another user; remove it`)
  }
  chmodSync(home, 0o755)
  const native = join(home, binaries.version)
  if (!existsSync(native)) {
    const partial = `${native}.${process.pid}`
    cpSync(binaries.native, partial, { recursive: true, verbatimSymlinks: true })
    renameSync(partial, native)
  }
  const why = whyNotRunnable(runAs, join(native, 'bin', 'postgres'))
  if (why !== undefined) throw new PostgresUnavailable(`its program, copied to ${native}, does not run: ${why}`)
  return { runAs, native, dataDir: movedDataDir(dataDir, home) }
}

function movedDataDir(dataDir: string, home: string): string {
  const moved = join(home, createHash('sha256').update(dataDir).digest('hex').slice(0, 16), 'data')
  if (actualDataDir(dataDir) === moved) return moved
  // Without a pointer to it, this is left over from a data directory that was deleted since: the deletion stands.
  rmSync(moved, { recursive: true, force: true })
  mkdirSync(dirname(moved), { recursive: true, mode: 0o755 })
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (existsSync(join(dataDir, 'PG_VERSION'))) {
    cpSync(dataDir, moved, { recursive: true })
  } else {
    mkdirSync(moved, { mode: 0o700 })
  }
  writeFileSync(join(dataDir, pointerName), `${moved}\n`)
  return moved
}

function chownTree(path: string, uid: number, gid: number): void {
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) chownTree(join(path, name), uid, gid)
  }
  lchownSync(path, uid, gid)
}
