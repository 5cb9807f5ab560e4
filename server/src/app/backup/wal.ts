import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ANSWER_MS, connectionOf, ProgramFailed, runProgram, startProgram, type Programs } from './programs.ts'

/** The replication slot: the server stores the log until it is received here. */
export const SLOT = 'bursar_backup'

/** A file of the write-ahead log, complete or the one that is being written. */
const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})(\.partial)?$/

interface Segment {
  name: string
  timeline: number
  /** number of the segment since the start of the log */
  number: bigint
  isPartial: boolean
}

const segmentOf = (name: string, segmentBytes: number): Segment | undefined => {
  const [, timeline, high, low, partial] = SEGMENT.exec(name) ?? []
  if (timeline === undefined) return undefined
  const perFile = 0x1_0000_0000n / BigInt(segmentBytes)
  return {
    name,
    timeline: Number.parseInt(timeline, 16),
    number: BigInt(`0x${high}`) * perFile + BigInt(`0x${low}`),
    isPartial: partial !== undefined,
  }
}

const segmentsIn = async (folder: string, segmentBytes: number): Promise<Segment[]> => {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .flatMap((name) => segmentOf(name, segmentBytes) ?? [])
    .toSorted((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : a.timeline - b.timeline))
}

/** The newest file of the newest timeline. */
export interface NewestFile {
  path: string
  /** without the suffix of an incomplete file */
  name: string
  timeline: number
  /** position of its first byte */
  start: bigint
}

/** @returns null: nothing was received yet */
export const newestReceived = async (folder: string): Promise<NewestFile | null> => {
  const names = (await readdir(folder)).filter((name) => SEGMENT.test(name)).toSorted()
  const newest = names.at(-1)
  if (newest === undefined) return null
  const path = join(folder, newest)
  const [, timeline, high, low] = SEGMENT.exec(newest)!
  // pg_receivewal gives a file its whole length before it writes to it.
  const { size } = await stat(path)
  return {
    path,
    name: newest.slice(0, 24),
    timeline: Number.parseInt(timeline!, 16),
    start: (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`) * BigInt(size),
  }
}

/**
 * Starts to receive the write-ahead log into a folder. The replication slot is made if it is missing. It ends when the
 * connection ends, because only a new start finds the primary of a failover and makes its slot.
 *
 * As a standby, it synchronises each part before the server gets its position. Otherwise it does not use the slot:
 * pg_receivewal without a slot and without `--synchronous` never tells the server what it has on its disk
 * (`reportFlushPosition` in receivelog.c of PostgreSQL), and the server counts only standbys that do
 * (`SyncRepGetCandidateStandbys` in syncrep.c), also for the name `*`. Then `advanceSlot` moves the slot.
 */
export const startReceiving = async (
  programs: Programs,
  { url, folder, name, isStandby }: { url: string; folder: string; name: string; isStandby: boolean },
) => {
  const { text, env } = connectionOf(url)
  const login = ['-d', text, '--no-password']
  if (isStandby)
    await runProgram(programs, 'pg_receivewal', [...login, '--create-slot', '--if-not-exists', '--slot', SLOT], {
      env,
      limitMs: ANSWER_MS,
    })
  else await reserveSlot(programs, url)
  const asStandby = isStandby ? ['--slot', SLOT, '--synchronous'] : []
  return startProgram(programs, 'pg_receivewal', [...login, ...asStandby, '--no-loop', '-D', folder], {
    env: { ...env, PGAPPNAME: name },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
}

/** Runs statements of SQL, one after another. Throws ProgramFailed, and says how to let a login into its database. */
const runSql = async (programs: Programs, url: string, statements: readonly string[]): Promise<void> => {
  const { text, env } = connectionOf(url)
  const commands = statements.flatMap((statement) => ['-c', statement])
  const args = ['-X', '-w', '-q', '-v', 'ON_ERROR_STOP=1', '-d', text, ...commands]
  await runProgram(programs, 'psql', args, { env, limitMs: ANSWER_MS }).catch((error: unknown) => {
    if (!(error instanceof ProgramFailed) || !error.message.includes('no pg_hba.conf entry')) throw error
    throw new ProgramFailed(
      `${error.message}\nsynchronous_standby_names does not name this receiver, so it moves its slot by SQL: add the line for its database to pg_hba.conf (docs/operating/backup.md)`,
    )
  })
}

/**
 * Makes the slot so that it stores the log at once: one of `pg_receivewal --create-slot` stores nothing before it is
 * used. A slot that has lost its log is made again: the server refuses a log with a hole by itself.
 */
const reserveSlot = (programs: Programs, url: string): Promise<void> =>
  runSql(programs, url, [
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots
      where slot_name = '${SLOT}' and restart_lsn is null and not active`,
    `select pg_create_physical_replication_slot('${SLOT}', true)
      where not exists (select from pg_replication_slots where slot_name = '${SLOT}')`,
  ])

/**
 * Lets the server remove the log before the newest received file: pg_receivewal synchronises each file when it is
 * complete. Throws ProgramFailed if the login may not use its database.
 */
export const advanceSlot = async (programs: Programs, url: string, folder: string): Promise<void> => {
  const newest = await newestReceived(folder)
  if (newest === null) return
  const position = `${(newest.start >> 32n).toString(16)}/${(newest.start & 0xffff_ffffn).toString(16)}`
  await runSql(programs, url, [
    `select pg_replication_slot_advance(slot_name, '${position}') from pg_replication_slots
      where slot_name = '${SLOT}' and not active and restart_lsn < '${position}'`,
  ])
}

/** The result of looking at the received log. */
export interface ReceivedLog {
  problems: string[]
  /** time of the last change of the newest file; null: there is no file */
  newestAt: Date | null
}

/**
 * Checks that the log has no gap from a position's file to its newest file, and that each complete file has its whole
 * length.
 * @param from the file at the end of a base backup: the backup itself has the log before it
 */
export const checkReceived = async (
  folder: string,
  { from, segmentBytes }: { from: string; segmentBytes: number },
): Promise<ReceivedLog> => {
  const first = segmentOf(from, segmentBytes)!
  const segments = (await segmentsIn(folder, segmentBytes)).filter(({ number }) => number >= first.number)
  if (segments.length === 0) return { problems: [`the log from ${from} on was not received`], newestAt: null }
  const problems: string[] = []
  let next = first.number
  for (const { name, number, isPartial } of segments) {
    if (number > next) problems.push(`the log has a gap before ${name}`)
    const { size } = await stat(join(folder, name))
    if (size !== segmentBytes) problems.push(`${name} has ${size} bytes instead of ${segmentBytes}`)
    next = isPartial ? number : number + 1n
  }
  const newestAt = (await stat(join(folder, segments.at(-1)!.name))).mtime
  return { problems, newestAt }
}

/**
 * Reads every record of the complete files from a position's file on by `pg_waldump`, which checks their checksums: a
 * recovery takes a damaged record for the end of the log. The newest, incomplete file can't be checked, because its end
 * looks the same.
 * @returns a sentence for each damaged run of files
 */
export const readReceived = async (
  programs: Programs,
  folder: string,
  { from, segmentBytes }: { from: string; segmentBytes: number },
): Promise<string[]> => {
  const first = segmentOf(from, segmentBytes)!
  const complete = (await segmentsIn(folder, segmentBytes)).filter(
    ({ number, isPartial }) => number >= first.number && !isPartial,
  )
  const problems: string[] = []
  for (const timeline of new Set(complete.map((segment) => segment.timeline))) {
    const names = complete.filter((segment) => segment.timeline === timeline).map(({ name }) => name)
    await runProgram(programs, 'pg_waldump', ['--quiet', '-p', folder, names[0]!, names.at(-1)!]).catch(
      (error: unknown) => {
        if (!(error instanceof ProgramFailed)) throw error
        problems.push(`the received log is damaged: ${error.message}`)
      },
    )
  }
  return problems
}

/**
 * Number of the newest complete file of the newest timeline, which a recovery follows: an older one may have gone
 * further before a failover. Null: that timeline has no complete file.
 */
export const newestComplete = async (folder: string, segmentBytes: number): Promise<bigint | null> => {
  const segments = await segmentsIn(folder, segmentBytes)
  const newest = Math.max(...segments.map(({ timeline }) => timeline))
  return segments.findLast(({ timeline, isPartial }) => timeline === newest && !isPartial)?.number ?? null
}

/** Number of the file that has a position, since the start of the log. */
export const numberOf = (position: string, segmentBytes: number): bigint =>
  segmentOf(fileOf(position, 1, segmentBytes), segmentBytes)!.number

/** Removes the files of the log before a file. @returns how many */
export const removeBefore = async (
  folder: string,
  { file, segmentBytes }: { file: string; segmentBytes: number },
): Promise<number> => {
  const first = segmentOf(file, segmentBytes)!
  const old = (await segmentsIn(folder, segmentBytes)).filter(
    ({ number, isPartial }) => number < first.number && !isPartial,
  )
  for (const { name } of old) await rm(join(folder, name))
  return old.length
}

/** The name of the file that has a position, on a timeline. */
export const fileOf = (position: string, timeline: number, segmentBytes: number): string => {
  const [high, low] = position.split('/').map((part) => Number.parseInt(part, 16))
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0')
  return hex(timeline) + hex(high!) + hex(Math.floor(low! / segmentBytes))
}
