import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { LogEntry } from './entry.ts'

/** The end of a chain of lines: the number of lines, and the hash of the last one, which is the chain's head. */
export interface ChainEnd {
  lines: number
  /** SHA-256, hex */
  head: string
}

/** The end of a chain without lines. */
export const EMPTY_CHAIN: ChainEnd = { lines: 0, head: '0'.repeat(64) }

/** A line of the log as it is written: the entry, its number, and the hash of the line before it. */
export type Chained<Entry extends LogEntry = LogEntry> = Entry & { seq: number; previous: string }

/** Position of a line in the log, without its line break. */
export interface Position {
  /** The segment of the log, by the number of its first line */
  segment: number
  /** In bytes, within the segment */
  offset: number
  length: number
}

export interface ScanResult {
  /** Number of the first line of the last file that was read */
  segment: number
  end: ChainEnd
  /** Bytes up to the end of the last whole line */
  wholeBytes: number
  /** Bytes after it: an incomplete line, to which no answer was given */
  tornBytes: number
}

/** The log is damaged or incomplete, by something other than an interrupted write. */
export class LogBroken extends Error {
  override name = 'LogBroken'
}

export function lineHash(line: Uint8Array): string {
  return createHash('sha256').update(line).digest('hex')
}

/** Called for each line in order. `head` is the hash of this line, which is the head of the chain up to it. */
export type OnEntry = (entry: Chained, position: Position, head: string) => void

/**
 * Reads one file of a log and checks its chain. An incomplete last line, or one that the file system wrote only in
 * part, is reported as torn; any other fault throws LogBroken.
 * @param start the end of the chain before this file
 */
export async function scanSegment(path: string, start: ChainEnd, onEntry: OnEntry): Promise<ScanResult> {
  const result: ScanResult = { segment: start.lines, end: start, wholeBytes: 0, tornBytes: 0 }
  let unreadable = 0
  const { rest } = await eachLine(path, (line) => {
    const { lines, head } = result.end
    if (unreadable > 0) throw new LogBroken(`Line ${lines + 1} of the log is not readable`)
    const entry = parseLine(line)
    if (!entry) {
      unreadable = line.length + 1
      return
    }
    if (entry.seq !== lines || entry.previous !== head) {
      throw new LogBroken(`Line ${lines + 1} does not follow from the line before: the log was altered`)
    }
    const hash = lineHash(line)
    onEntry(entry, { segment: start.lines, offset: result.wholeBytes, length: line.length }, hash)
    result.end = { lines: lines + 1, head: hash }
    result.wholeBytes += line.length + 1
  })
  if (unreadable > 0 && rest > 0) throw new LogBroken(`Line ${result.end.lines + 1} of the log is not readable`)
  result.tornBytes = unreadable + rest
  return result
}

/** The first line of a file of the log; undefined when the file has no whole line. */
export async function readFirstLine(path: string): Promise<Chained | undefined> {
  let first: Chained | undefined
  await eachLine(path, (line) => {
    first = parseLine(line)
    return 'enough'
  })
  return first
}

function parseLine(line: Uint8Array): Chained | undefined {
  try {
    return JSON.parse(Buffer.from(line).toString('utf8')) as Chained
  } catch {
    return undefined
  }
}

const LINE_BREAK = 0x0a

/** @returns how many bytes follow the last line break */
async function eachLine(path: string, onLine: (line: Buffer) => 'enough' | void): Promise<{ rest: number }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = buffer.indexOf(LINE_BREAK); end >= 0; end = buffer.indexOf(LINE_BREAK)) {
      if (onLine(buffer.subarray(0, end)) === 'enough') return { rest: 0 }
      buffer = buffer.subarray(end + 1)
    }
    rest = buffer
  }
  return { rest: rest.length }
}
