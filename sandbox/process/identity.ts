/**
 * Identifies the process of a pid. A pid alone is not enough: after a crash the number may belong to another process.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'

/** A process, distinct from a later one with the same pid. `startedAt` is opaque: compare it, never parse it. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startedAt: string
}

export interface ProcessInfo extends ProcessIdentity {
  /** The executable's name as the system knows it, at most 15 characters. */
  readonly command: string
  /** Absent if the system does not report it (another user's process, or not Linux). */
  readonly workingDirectory?: string
}

const bootIdFile = '/proc/sys/kernel/random/boot_id'
const hasProc = existsSync('/proc/self/stat') && existsSync(bootIdFile)

/** Returns the live process with this pid, or undefined. A zombie counts as absent. */
export function inspectProcess(pid: number): ProcessInfo | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  return hasProc ? fromProc(pid) : fromPs(pid)
}

/** Returns whether exactly this process, not another with its pid, is still running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return inspectProcess(identity.pid)?.startedAt === identity.startedAt
}

/** Returns the live processes with this working directory; none where the system does not report it. */
export function processesWorkingIn(folder: string): ProcessInfo[] {
  if (!hasProc || !existsSync(folder)) return []
  const home = realpathSync(folder)
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const all = pids.map((pid) => inspectProcess(Number(pid))).filter((info) => info !== undefined)
  return all.filter((info) => info.workingDirectory === home)
}

function fromProc(pid: number): ProcessInfo | undefined {
  const stat = readOrUndefined(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (stat === undefined) return undefined
  // The command stands in parentheses and may contain any character, so fields are counted from the last ')'.
  const end = stat.lastIndexOf(')')
  const fields = stat.slice(end + 2).split(' ')
  const [state, threads, ticks] = [fields[0], fields[17], fields[19]]
  // While other threads of a killed process are still ending, its files and ports are still open.
  const hasEnded = state === 'X' || (state === 'Z' && Number(threads) <= 1)
  if (hasEnded || ticks === undefined) return undefined
  const workingDirectory = readOrUndefined(() => readlinkSync(`/proc/${pid}/cwd`))
  return {
    pid,
    startedAt: `${readFileSync(bootIdFile, 'utf8').trim()}:${ticks}`,
    command: stat.slice(stat.indexOf('(') + 1, end),
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
  }
}

function fromPs(pid: number): ProcessInfo | undefined {
  const shown = spawnSync('ps', ['-o', 'state=,lstart=,comm=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  })
  // state, five words of start time, then the path of the executable
  const match = /^(\S+)\s+((?:\S+\s+){4}\S+)\s+(.+)$/.exec((shown.stdout ?? '').trim())
  if (match === null || match[1]?.startsWith('Z') === true) return undefined
  const path = match[3] ?? ''
  return { pid, startedAt: match[2] ?? '', command: path.slice(path.lastIndexOf('/') + 1).slice(0, 15) }
}

function readOrUndefined(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
