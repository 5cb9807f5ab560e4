/** Selects the user that PostgreSQL runs as. PostgreSQL refuses to run as root, so under root it gets another user. */
import { spawnSync } from 'node:child_process'
import type { SpawnSyncReturns } from 'node:child_process'

/** The uid of an unprivileged user that owns no files. Every system accepts the number, also without an account. */
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

/**
 * Outside the namespace the process is still this user, so it can access our files; inside it is `nobody`, neither root
 * nor unknown.
 */
export const inUserNamespace: RunAs = {
  name: 'nobody in a user namespace (unshare)',
  ...(process.geteuid?.() === 0 ? { owner: { uid: 0, gid: 0 } } : {}),
  spawnIds: {},
  command: (file, args) => ({
    file: 'unshare',
    args: ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`, file, ...args],
  }),
}

/** Returns the environment of the server and its tools: without our variables, which may contain secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
}

/** Runs a short program to its end. `cwd` is the root folder, because ours may be inaccessible to that user. */
export function runToEnd(runAs: RunAs, file: string, args: readonly string[]): SpawnSyncReturns<string> {
  const command = runAs.command(file, args)
  return spawnSync(command.file, command.args, {
    encoding: 'utf8',
    cwd: '/',
    env: serverEnvironment(),
    ...runAs.spawnIds,
  })
}

/** Returns why the program can't be run, or undefined when it can. */
export function whyNotRunnable(runAs: RunAs, binary: string): string | undefined {
  const run = runToEnd(runAs, binary, ['--version'])
  if (run.status === 0) return undefined
  return (run.error?.message ?? run.stderr.trim()) || `exit code ${run.status}`
}

export function canEnter(runAs: RunAs, folder: string): boolean {
  return runToEnd(runAs, '/bin/sh', ['-c', 'cd "$0"', folder]).status === 0
}
