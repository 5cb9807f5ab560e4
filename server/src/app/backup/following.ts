/** Whether the received log can go on from a server: the one of before, or one that was promoted in its place. */
import { link, mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ANSWER_MS, connectionOf, runProgram, startProgram, type Programs } from './programs.ts'
import { newestReceived } from './wal.ts'

/** A server and the received log do not fit together. The message says what a person must do. */
export class LogDiverged extends Error {
  override name = 'LogDiverged'
}

/** A position of the log as a number of bytes. */
const bytesOf = (position: string): bigint => {
  const [high, low] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** Runs a command of the replication protocol. @returns its columns, with a tab between them */
export const runReplicationCommand = async (programs: Programs, url: string, text: string): Promise<string> => {
  const { text: target, env } = connectionOf(`${url}${url.includes('?') ? '&' : '?'}replication=true`)
  const args = ['-X', '-A', '-t', '-w', '-F', '\t', '-d', target, '-c', text]
  const printed = await runProgram(programs, 'psql', args, { env, limitMs: ANSWER_MS })
  return printed.toString('utf8').trimEnd()
}

/**
 * Where a timeline was left, by the history of a later one (PostgreSQL's `timeline.c`: a line is `TIMELINE POSITION
 * REASON`). Undefined: the later one does not descend from it.
 */
export const forkOf = (history: string, timeline: number): string | undefined =>
  history
    .split('\n')
    .map((line) => /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/.exec(line))
    .find((found) => Number(found?.[1]) === timeline)?.[2]

/** The 64-bit number of the cluster is in the header of each file of the log (`xlog_internal.h`, after 24 bytes). */
const clusterOf = async (path: string): Promise<string> => {
  const file = await open(path, 'r')
  try {
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 24)
    return buffer.readBigUInt64LE().toString()
  } finally {
    await file.close()
  }
}

/**
 * The end of the last whole record of a file of the log. `pg_waldump` reads no file with the suffix `.partial`, so it
 * gets a link with another name.
 */
const endOfRecords = async (programs: Programs, path: string, name: string): Promise<bigint | null> => {
  const folder = await mkdtemp(join(path, '..', '.end-'))
  try {
    await link(path, join(folder, name))
    const child = startProgram({ folder: programs.folder }, 'pg_waldump', ['-p', folder, name], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let tail = ''
    for await (const part of child.stdout!) tail = (tail + String(part)).slice(-20_000)
    const last = [...tail.matchAll(/len \(rec\/tot\):\s*\d+\/\s*(\d+),.*lsn: ([0-9A-F]+\/[0-9A-F]+)/g)].at(-1)
    return last === undefined ? null : bytesOf(last[2]!) + BigInt(last[1]!)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Refuses to go on where the received log would get a hole, or would lose commits that were acknowledged because this
 * receiver had them. Throws LogDiverged that says what to do, or ProgramFailed when no server answers.
 * @param folder of the received log
 */
export const requireSameLog = async (programs: Programs, url: string, folder: string): Promise<void> => {
  const newest = await newestReceived(folder)
  if (newest === null) return
  const [cluster, at] = (await runReplicationCommand(programs, url, 'IDENTIFY_SYSTEM')).split('\t')
  const received = await clusterOf(newest.path)
  if (cluster !== received)
    throw new LogDiverged(
      `${folder} has the log of cluster ${received}, and the server is ${cluster}: after a restore, receive into a new folder (docs/operating/recovery.md)`,
    )
  const timeline = Number(at)
  if (timeline === newest.timeline) return
  if (timeline < newest.timeline)
    throw new LogDiverged(
      `the server is on timeline ${timeline}, and ${folder} has timeline ${newest.timeline} of a later primary: this server is a former primary, or was restored. Let the URL name the present primary; after a restore, receive into a new folder`,
    )
  // The name of the file, a tab, and its lines, which have tabs too.
  const history = (await runReplicationCommand(programs, url, `TIMELINE_HISTORY ${timeline}`)).replace(/^[^\t]*\t/, '')
  const fork = forkOf(history, newest.timeline)
  if (fork === undefined)
    throw new LogDiverged(
      `the server is on timeline ${timeline}, which does not descend from timeline ${newest.timeline} of ${folder}: receive into a new folder, and run \`bursar backup\` at once`,
    )
  const last = await endOfRecords(programs, newest.path, newest.name)
  const end = last ?? newest.start
  if (end > bytesOf(fork))
    throw new LogDiverged(
      `the server was promoted at ${fork}, and ${folder} has ${end - bytesOf(fork)} bytes of log after that: commits that were acknowledged and that this server lacks. Stop all roles, and do not remove the folder: it has them. Restore it into a new database (docs/operating/recovery.md), or have them sent again and receive into a new folder`,
    )
}
