import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** How the programs of PostgreSQL and the system are run. */
export interface Programs {
  /** folder of the programs of PostgreSQL; null: those in PATH */
  folder: string | null
  /** another user that runs them; PostgreSQL refuses to run as root */
  as?: { uid: number; gid: number }
  /** ends a program that `runProgram` waits for */
  signal?: AbortSignal
}

/** How long a program waits for the answer of a server, ms. */
export const ANSWER_MS = 30_000

/** A program ended with another exit code than 0. */
export class ProgramFailed extends Error {
  override name = 'ProgramFailed'
}

/** Chooses Debian's folder of a major version if it exists, else PATH. */
export const programsOf = (major: number, given: string | undefined): Programs => {
  const debian = `/usr/lib/postgresql/${major}/bin`
  return { folder: given ?? (existsSync(join(debian, 'pg_basebackup')) ? debian : null) }
}

/** The environment of a program: nothing of ours, which has secrets, except for what is given. */
const environmentOf = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  TZ: 'UTC',
  ...env,
})

/** Starts a program of PostgreSQL. */
export const startProgram = (
  { folder, as }: Programs,
  name: string,
  args: readonly string[],
  { env = {}, stdio }: { env?: Readonly<Record<string, string>>; stdio: StdioOptions },
): ChildProcess =>
  spawn(folder === null ? name : join(folder, name), args, { env: environmentOf(env), cwd: '/', stdio, ...as })

/**
 * Runs a program of the system, such as `cp`, to its end.
 * @param options.limitMs when the program is killed; without it only by the signal
 * @returns its output. Throws ProgramFailed.
 */
export const runProgram = async (
  programs: Programs,
  name: string,
  args: readonly string[],
  { env = {}, input, limitMs }: { env?: Readonly<Record<string, string>>; input?: Uint8Array; limitMs?: number } = {},
): Promise<Buffer> => {
  const child = startProgram(programs, name, args, { env, stdio: 'pipe' })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout!.on('data', (part: Buffer) => out.push(part))
  child.stderr!.on('data', (part: Buffer) => err.push(part))
  // A program that ends before it has read its input says why on its own.
  child.stdin!.on('error', () => {})
  child.stdin!.end(input)
  const kill = (): boolean => child.kill('SIGKILL')
  programs.signal?.addEventListener('abort', kill)
  if (programs.signal?.aborted === true) kill()
  let isLate = false
  const late = limitMs === undefined ? undefined : setTimeout(() => (isLate = kill()), limitMs)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  }).finally(() => {
    clearTimeout(late)
    programs.signal?.removeEventListener('abort', kill)
  })
  if (isLate) throw new ProgramFailed(`${name} got no answer in ${limitMs! / 1_000} seconds`)
  if (code !== 0) throw new ProgramFailed(`${name} failed (${code}): ${Buffer.concat(err).toString('utf8').trim()}`)
  return Buffer.concat(out)
}

/**
 * A connection is lost when the other machine acknowledges nothing for about 40 seconds, also while nothing is sent.
 * libpq waits for hours by itself. Unix sockets ignore this.
 */
const LOST_SOON = 'keepalives_idle=10&keepalives_interval=5&keepalives_count=4&tcp_user_timeout=30000'

/**
 * Splits a database URL into a text without the password, which other users may see in the list of processes, and the
 * environment with the password. The text also says when a connection counts as lost; parameters of the URL rule.
 */
export const connectionOf = (url: string): { text: string; env: Record<string, string> } => {
  const { text, env } = withoutPassword(url)
  const [, place, query] = /^(postgres(?:ql)?:\/\/[^?]*)\??(.*)$/s.exec(text) ?? []
  if (place === undefined) return { text, env }
  return { text: `${place}?${[LOST_SOON, query].filter(Boolean).join('&')}`, env }
}

const withoutPassword = (url: string): { text: string; env: Record<string, string> } => {
  const inUser = /^(postgres(?:ql)?:\/\/[^:@/?]*):([^@/]*)@(.*)$/.exec(url)
  if (inUser) {
    const { text, env } = withoutPassword(`${inUser[1]}@${inUser[3]}`)
    return { text, env: { PGPASSWORD: decodeURIComponent(inUser[2]!), ...env } }
  }
  const inQuery = /^([^?]*)\?(?:(.*)&)?password=([^&]*)(?:&(.*))?$/.exec(url)
  if (!inQuery) return { text: url, env: {} }
  const rest = [inQuery[2], inQuery[4]].filter(Boolean).join('&')
  return { text: inQuery[1]! + (rest && `?${rest}`), env: { PGPASSWORD: decodeURIComponent(inQuery[3]!) } }
}
