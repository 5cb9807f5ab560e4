/** Starts a component in its own process group, with its output in a file. */
import { spawn } from 'node:child_process'
import type { SpawnOptions } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { inspectProcess } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

/** How a process ended: by its own code, or by a signal. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChildProgram {
  readonly file: string
  readonly args: readonly string[]
  readonly logFile: string
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Run as this user and group; only root may. */
  readonly uid?: number
  readonly gid?: number
}

export interface StartedChild extends ProcessIdentity {
  readonly exited: Promise<Exit>
  /** The last lines this process wrote to its log. */
  tail(lines?: number): string
}

/** Process groups of the components that this process has started. */
const running = new Set<number>()

/**
 * Makes SIGINT and SIGTERM end this process and all components that it has started. For commands without a supervisor:
 * their components are in process groups of their own, which Ctrl-C in a terminal does not reach. A component may still
 * be ending when this process has ended.
 */
export function endComponentsOnSignal(): void {
  const end = (): void => {
    for (const pid of running) {
      try {
        process.kill(-pid, 'SIGTERM')
      } catch {
        // It has ended meanwhile.
      }
    }
    process.exit(130)
  }
  process.once('SIGINT', end).once('SIGTERM', end)
}

/**
 * Starts the program. It gets a session of its own, so that Ctrl-C in a terminal reaches the supervisor alone and
 * components stop in the right order; its output goes straight to the file, so that it outlives us unharmed.
 * Rejects with the system's error when the program cannot be started.
 */
export async function startChild(program: ChildProgram): Promise<StartedChild> {
  const log = openSync(program.logFile, 'a')
  try {
    const logStart = fstatSync(log).size
    const child = spawn(program.file, program.args, optionsFor(program, log))
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve())
      child.once('error', reject)
    })
    child.unref()
    const pid = child.pid as number
    running.add(pid)
    child.once('exit', () => running.delete(pid))
    const startedAt = inspectProcess(pid)?.startedAt ?? 'ended at once'
    return { pid, startedAt, exited, tail: (lines = 15) => tailOf(program.logFile, lines, logStart) }
  } finally {
    closeSync(log)
  }
}

/** The last lines of a log file, from byte `from` on. Empty when there is no such file. */
export function tailOf(file: string, lines: number, from = 0): string {
  const limit = 64 * 1024
  try {
    const fd = openSync(file, 'r')
    try {
      const { size } = fstatSync(fd)
      const start = Math.max(from, size - limit)
      const buffer = Buffer.alloc(Math.max(0, size - start))
      readSync(fd, buffer, 0, buffer.length, start)
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n')
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

function optionsFor(program: ChildProgram, log: number): SpawnOptions {
  return {
    stdio: ['ignore', log, log],
    detached: true,
    ...(program.env === undefined ? {} : { env: program.env }),
    ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
    ...(program.uid === undefined ? {} : { uid: program.uid }),
    ...(program.gid === undefined ? {} : { gid: program.gid }),
  }
}
