/** As whom PostgreSQL runs. It refuses to run as root, so root lends it another user. */
import { spawnSync } from 'node:child_process'
import type { SpawnSyncReturns } from 'node:child_process'

/** `nobody`: exists everywhere by number, owns nothing, needs no account of its own. */
export const nobody = 65534

export interface RunAs {
  /** For messages. */
  readonly name: string
  /** The user and group that must own the files; absent when ours do. */
  readonly owner?: { readonly uid: number; readonly gid: number }
  /** Set when the system itself switches the user at spawn. */
  readonly spawnIds: { readonly uid?: number; readonly gid?: number }
  command(file: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] }
}

export const asOurselves: RunAs = {
  name: 'the current user',
  spawnIds: {},
  command: (file, args) => ({ file, args }),
}

export function asUser(uid: number, gid: number): RunAs {
  return {
    name: uid === nobody ? `user ${uid} (nobody)` : `user ${uid}`,
    owner: { uid, gid },
    spawnIds: { uid, gid },
    command: (file, args) => ({ file, args }),
  }
}

/** To the outside still ourselves, so it reaches all that is ours; in its own eyes nobody, neither root nor unknown. */
export const inUserNamespace: RunAs = {
  name: 'nobody in a user namespace (unshare)',
  ...(process.geteuid?.() === 0 ? { owner: { uid: 0, gid: 0 } } : {}),
  spawnIds: {},
  command: (file, args) => ({
    file: 'unshare',
    args: ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`, file, ...args],
  }),
}

/** The environment of the server and its tools: nothing of ours, which may hold secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
}

/** Runs a short program to its end. `cwd` is the root folder because ours may be closed to that user. */
export function runToEnd(runAs: RunAs, file: string, args: readonly string[]): SpawnSyncReturns<string> {
  const command = runAs.command(file, args)
  return spawnSync(command.file, command.args, {
    encoding: 'utf8',
    cwd: '/',
    env: serverEnvironment(),
    ...runAs.spawnIds,
  })
}

/** Why the program cannot be run, or undefined when it can. */
export function whyNotRunnable(runAs: RunAs, binary: string): string | undefined {
  const run = runToEnd(runAs, binary, ['--version'])
  if (run.status === 0) return undefined
  return (run.error?.message ?? run.stderr.trim()) || `exit code ${run.status}`
}

export function canEnter(runAs: RunAs, folder: string): boolean {
  return runToEnd(runAs, '/bin/sh', ['-c', 'cd "$0"', folder]).status === 0
}
