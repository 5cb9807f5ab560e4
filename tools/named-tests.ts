/** Finds tests by the beginnings of their names. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface NamedTest {
  file: string
  /** the name after the ids */
  name: string
}

const FILES = [
  '{server,signer,chainkit,sandbox,sdk,contract,web,test}/**/*.test.ts',
  'tools/*.system.test.ts',
  'server/src/adapters/chains/conformance/*.ts',
]

/**
 * Returns the tests named for each id, in the order of their files.
 * @param named matches a string literal: group 1 is its quote, group 2 its ids, joined by spaces, and group 3 the rest
 * of it
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

/** Returns a table of ids, each with a description and its tests, one row per test. */
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
