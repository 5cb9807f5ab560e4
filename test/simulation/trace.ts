/** The steps of a run, a line each. Two runs of a seed in single-step mode have the same hash. */
import { createHash } from 'node:crypto'

export interface Trace {
  add(line: string): void
  /** of all lines so far */
  hash(): string
  /** the newest lines, oldest first */
  newest(count: number): string[]
  readonly length: number
}

const MOST_LINES = 5_000

export const createTrace = (print?: (line: string) => void): Trace => {
  const digest = createHash('sha256')
  const lines: string[] = []
  let length = 0
  return {
    add: (line) => {
      digest.update(`${line}\n`)
      length += 1
      lines.push(line)
      if (lines.length > MOST_LINES) lines.splice(0, lines.length - MOST_LINES)
      print?.(line)
    },
    hash: () => digest.copy().digest('hex'),
    newest: (count) => lines.slice(-count),
    get length() {
      return length
    },
  }
}
