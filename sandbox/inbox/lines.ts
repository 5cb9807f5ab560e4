/** Append-only records, in memory and in a file with one JSON object per line. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Lines<T> {
  /** Oldest first. */
  readonly all: readonly T[]
  /** Its number: 1 for the first. */
  append(one: T): number
}

/** Opens the records. A last line truncated by a kill is dropped: its sender got no response and will retry. */
export function openLines<T>(file: string): Lines<T> {
  mkdirSync(dirname(file), { recursive: true })
  const all = load<T>(file)
  return {
    all,
    append: (one) => {
      appendFileSync(file, `${JSON.stringify(one)}\n`)
      return all.push(one)
    },
  }
}

function load<T>(file: string): T[] {
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  if (whole.length < bytes.length) truncateSync(file, whole.length)
  const lines = whole.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as T)
}
