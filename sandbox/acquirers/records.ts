/** The records of an acquirer's emulator: by id in memory, and in a file that a restart reads. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Records<T extends { readonly id: string }> {
  get(id: string): T | undefined
  /** Keeps each in place of the one with its id, all in one write, which is made before this returns. */
  put(...records: readonly T[]): void
  /** In the order they were first put. */
  all(): T[]
}

/**
 * Opens the records: each line is a JSON object, and the last one of an id counts. A last line truncated by a kill is
 * dropped, because it was never acknowledged.
 */
export function openRecords<T extends { readonly id: string }>(file: string): Records<T> {
  mkdirSync(dirname(file), { recursive: true })
  const records = load<T>(file)
  writeFileSync(`${file}.new`, linesOf([...records.values()]), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return {
    get: (id) => records.get(id),
    put: (...changed) => {
      appendFileSync(file, linesOf(changed))
      for (const record of changed) records.set(record.id, record)
    },
    all: () => [...records.values()],
  }
}

function linesOf(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

function load<T extends { readonly id: string }>(file: string): Map<string, T> {
  const records = new Map<string, T>()
  if (!existsSync(file)) return records
  const text = readFileSync(file, 'utf8')
  for (const line of text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)) {
    const record = JSON.parse(line) as T
    records.set(record.id, record)
  }
  return records
}
