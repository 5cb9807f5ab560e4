/**
 * The chain on disk: each line is a JSON object with one complete step: the genesis, a block, or a fork with its
 * blocks. A line truncated by a kill was never acknowledged and is dropped. Written lines survive a kill of the
 * process, but not a power failure.
 */
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface BlockRecord {
  readonly id: string
  readonly timestamp: number
  readonly witness: number
  /** Whole transactions, hexadecimal. */
  readonly transactions: readonly string[]
  readonly parameters?: Readonly<Record<string, string>>
}

export type LogRecord =
  | {
      readonly genesis: {
        readonly version: number
        readonly timestamp: number
        readonly parameters: Readonly<Record<string, string>>
        readonly accounts: Readonly<Record<string, string>>
      }
    }
  | { readonly block: BlockRecord }
  | { readonly fork: { readonly depth: number; readonly blocks: readonly BlockRecord[] } }

export interface ChainLog {
  /** The entries that the log had when it was opened. */
  readonly records: readonly LogRecord[]
  append(record: LogRecord): void
  close(): void
}

/** Opens the log; without a folder nothing is stored. */
export const openLog = (folder: string | undefined): ChainLog => {
  if (folder === undefined) return { records: [], append: () => {}, close: () => {} }
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'chain.jsonl')
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  const descriptor = openSync(file, 'a')
  if (whole.length < bytes.length) ftruncateSync(descriptor, whole.length)
  return {
    records: whole
      .toString('utf8')
      .split('\n')
      .slice(0, -1)
      .map((line, at) => parse(line, file, at)),
    append: (record) => {
      const line = Buffer.from(`${JSON.stringify(record)}\n`)
      for (let at = 0; at < line.length;) at += writeSync(descriptor, line, at)
    },
    close: () => closeSync(descriptor),
  }
}

const parse = (line: string, file: string, at: number): LogRecord => {
  try {
    return JSON.parse(line) as LogRecord
  } catch {
    throw new Error(`${file}, line ${at + 1} is damaged; delete the folder to start the chain anew`)
  }
}
