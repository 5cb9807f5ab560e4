/** Finds tests by what their names begin with. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface NamedTest {
  file: string
  /** what stands behind the ids */
  name: string
}

const FILES = [
  '{server,signer,chainkit,sandbox,sdk,contract,web,test}/**/*.test.ts',
  'server/src/adapters/chains/conformance/*.ts',
]

/**
 * By id, the tests named for it, in the order of their files.
 * @param named finds a string literal: its quote in the first group, its ids in the second, joined by spaces, and the
 *   rest of it in the third
 */
export const testsById = (repository: string, named: RegExp): ReadonlyMap<string, NamedTest[]> => {
  const found = new Map<string, NamedTest[]>()
  const files = globSync(FILES, { cwd: repository })
    .filter((path) => !path.includes('node_modules'))
    .toSorted()
  for (const file of files) {
    for (const [, , ids, name] of readFileSync(join(repository, file), 'utf8').matchAll(named)) {
      for (const id of ids!.trim().split(/[ ,]+/)) found.set(id, [...(found.get(id) ?? []), { file, name: name! }])
    }
  }
  return found
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** A table of ids, each with a line about it and its tests, a row for each test. */
export const tableOf = (
  heads: readonly [string, string],
  about: Readonly<Record<string, string>>,
  found: ReadonlyMap<string, readonly NamedTest[]>,
): string => {
  const rows = Object.entries(about).flatMap(([id, line]) =>
    (found.get(id) ?? []).map(
      ({ file, name }, i) => `| ${i === 0 ? id : ''} | ${i === 0 ? cell(line) : ''} | ${cell(name)} | \`${file}\` |`,
    ),
  )
  return `| ${heads[0]} | ${heads[1]} | test | file |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
