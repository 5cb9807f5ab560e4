import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { LogEntry } from './entry.ts'

/** The head of a log without lines. */
export const EMPTY_HEAD = '0'.repeat(64)

/** A line of the log as it is written: the entry, its number, and the hash of the line before it. */
export type Chained<Entry extends LogEntry = LogEntry> = Entry & { seq: number; previous: string }

/** Where a line lies in the file, in bytes, without its line break. */
export interface Position {
  offset: number
  length: number
}

export interface ScanResult {
  lines: number
  /** Hash of the last line: the head of the chain */
  head: string
  /** Bytes up to the end of the last whole line */
  wholeBytes: number
  /** Bytes after it: a line whose write was cut off, which no answer was ever given for */
  tornBytes: number
}

/** The log does not hold together: something other than a cut-off write happened to it. */
export class LogBroken extends Error {
  override name = 'LogBroken'
}

export function lineHash(line: Uint8Array): string {
  return createHash('sha256').update(line).digest('hex')
}

/**
 * Reads a log from its start and checks the chain. A last line that is cut off, or that the file system left half
 * written, is reported as torn; any other fault throws LogBroken.
 */
export async function scanLog(
  path: string,
  onEntry: (entry: Chained, position: Position) => void,
): Promise<ScanResult> {
  const result: ScanResult = { lines: 0, head: EMPTY_HEAD, wholeBytes: 0, tornBytes: 0 }
  let unreadable = 0
  const { rest } = await eachLine(path, (line) => {
    if (unreadable > 0) throw new LogBroken(`Line ${result.lines + 1} of the log is not readable`)
    const entry = parseLine(line)
    if (!entry) {
      unreadable = line.length + 1
      return
    }
    if (entry.seq !== result.lines || entry.previous !== result.head) {
      throw new LogBroken(`Line ${result.lines + 1} does not follow from the line before: the log was altered`)
    }
    onEntry(entry, { offset: result.wholeBytes, length: line.length })
    result.lines++
    result.head = lineHash(line)
    result.wholeBytes += line.length + 1
  })
  if (unreadable > 0 && rest > 0) throw new LogBroken(`Line ${result.lines + 1} of the log is not readable`)
  result.tornBytes = unreadable + rest
  return result
}

function parseLine(line: Uint8Array): Chained | undefined {
  try {
    return JSON.parse(Buffer.from(line).toString('utf8')) as Chained
  } catch {
    return undefined
  }
}

const LINE_BREAK = 0x0a

async function eachLine(path: string, onLine: (line: Buffer) => void): Promise<{ rest: number }> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = buffer.indexOf(LINE_BREAK); end >= 0; end = buffer.indexOf(LINE_BREAK)) {
      onLine(buffer.subarray(0, end))
      buffer = buffer.subarray(end + 1)
    }
    rest = buffer
  }
  return { rest: rest.length }
}
