import { open, readdir, rename } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { EMPTY_CHAIN, LogBroken, readFirstLine, scanSegment } from './log-chain.ts'
import type { ChainEnd, OnEntry, ScanResult } from './log-chain.ts'

/**
 * One file of a log. A log is one chain of lines in several files: closed segments, each named for the number of its
 * first line, and the current file. A segment's first line continues the chain of the segment before.
 */
export interface Segment {
  path: string
  /** Number of its first line; undefined for a file without lines */
  first: number | undefined
}

const DIGITS = 12

/** `signer.log.000000004711` holds the lines from number 4711 on. */
export function segmentPath(logPath: string, first: number): string {
  return `${logPath}.${first.toString().padStart(DIGITS, '0')}`
}

/** The files of a log in its directory, the oldest first; the last is the current file. */
export async function segmentsOf(logPath: string): Promise<Segment[]> {
  const name = basename(logPath)
  const names = (await readdir(dirname(logPath))).filter((each) => each.startsWith(`${name}.`))
  const closed = names
    .map((each) => each.slice(name.length + 1))
    .filter((end) => new RegExp(`^[0-9]{${DIGITS}}$`).test(end))
  const segments = closed.toSorted().map((end) => ({ path: `${logPath}.${end}`, first: Number(end) }))
  return [...segments, { path: logPath, first: (await readFirstLine(logPath))?.seq }]
}

/** Closes the current file by renaming it to a segment. The caller creates the next file. */
export async function closeSegment(logPath: string, first: number): Promise<void> {
  await rename(logPath, segmentPath(logPath, first))
  await syncDirectory(dirname(logPath))
}

/**
 * Synchronises a directory. A new or renamed file survives a power cut only when its directory entry is on the disk
 * too.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * Reads all files of a log and checks the chain. The last file may end with an incomplete line. Throws LogBroken when
 * lines are missing or altered, when the log is shorter than `known`, or when it is another log.
 * @param known the end that the caller has processed: segments that end before it are not read
 * @param onEntry called only for the lines after `known`
 */
export async function scanLog(logPath: string, known: ChainEnd, onEntry: OnEntry): Promise<ScanResult> {
  const segments = await segmentsOf(logPath)
  const from = segments.findIndex((_, at) => (segments[at + 1]?.first ?? Infinity) > known.lines)
  const unread = segments.slice(from).filter(({ first }, at, all) => first !== undefined || at === all.length - 1)
  const start = await startOf(unread[0]!, known)
  let result: ScanResult = { segment: start.lines, end: start, wholeBytes: 0, tornBytes: 0 }
  for (const { path } of unread) {
    if (result.tornBytes > 0) throw new LogBroken(`A segment of the log ends within line ${result.end.lines + 1}`)
    result = await scanSegment(path, result.end, (entry, position, head) => {
      if (entry.seq === known.lines && entry.previous !== known.head) throw notTheSame(known)
      if (entry.seq >= known.lines) onEntry(entry, position, head)
    })
  }
  const { lines, head } = result.end
  if (lines < known.lines || (lines === known.lines && head !== known.head)) throw notTheSame(known)
  return result
}

/** The end of the chain before the oldest segment in the directory. Older segments may have been moved away. */
export async function oldestOf(logPath: string): Promise<ChainEnd> {
  const [oldest] = await segmentsOf(logPath)
  return startOf(oldest!, { lines: Infinity, head: '' })
}

/** The end of the chain before a segment, as its first line states it. */
async function startOf({ path, first }: Segment, known: ChainEnd): Promise<ChainEnd> {
  if (first === undefined || first === 0) return EMPTY_CHAIN
  if (first > known.lines) {
    const missing = `Lines ${known.lines + 1} to ${first} of the log are missing`
    throw new LogBroken(`${missing}: put the segment that holds them back beside the log`)
  }
  const { seq, previous } = (await readFirstLine(path))!
  return { lines: seq, head: previous }
}

function notTheSame({ lines, head }: ChainEnd): LogBroken {
  const message = `The log does not hold line ${lines} with the hash ${head}: it was cut back, altered or exchanged`
  return new LogBroken(`${message}. Put the log back as it was`)
}
