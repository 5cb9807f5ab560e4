/** Checks that each sabotage can still be applied, and that its finder still exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'

/** The file of a test, and a part of its title that only the wanted tests of the file have. */
export interface Finder {
  file: string
  title: string
}

/** @throws RangeError without the separator */
export const finderOf = ({ name, finder }: Pick<Sabotage, 'name' | 'finder'>): Finder => {
  const [file, title, more] = finder.split(' › ')
  if (!file || !title || more !== undefined) throw new RangeError(`${name}: the finder is not "file › title"`)
  return { file, title }
}

/** Returns the faults of the table, one line each. */
export const findStale = (repository: string, sabotages: readonly Sabotage[]): string[] => {
  const read = (path: string): string | undefined =>
    existsSync(join(repository, path)) ? readFileSync(join(repository, path), 'utf8') : undefined
  const names = new Set<string>()
  return sabotages.flatMap((sabotage) => {
    const { name, file, replace } = sabotage
    const wrong: string[] = []
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) wrong.push('the name is not in kebab-case')
    if (names.has(name)) wrong.push('the name is used twice')
    names.add(name)
    const count = (read(file)?.split(replace[0]).length ?? 0) - 1
    if (count === -1) wrong.push(`there is no ${file}`)
    else if (count !== 1) wrong.push(`${file} has its text ${count} times: ${replace[0]}`)
    if (replace[0] === replace[1]) wrong.push('it changes nothing')
    const finder = finderOf(sabotage)
    const tests = read(finder.file)
    if (tests === undefined) wrong.push(`there is no ${finder.file}`)
    else if (!hasTest(tests, finder.title)) wrong.push(`${finder.file} has no test "${finder.title}"`)
    return wrong.map((line) => `sabotage ${name}: ${line}`)
  })
}

/** Whether a test file has a test whose title has this part. */
export const hasTest = (tests: string, part: string): boolean => titlesOf(tests).some((title) => matches(title, part))

/** String literals of a test file, among them its titles. */
const titlesOf = (text: string): string[] =>
  [...text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map(([, , title]) => title!.replaceAll(/\\(.)/g, '$1'))

/** Whether a title has this part, or is all of it once values are in its places. */
const matches = (title: string, part: string): boolean => {
  if (title.includes(part)) return true
  const [first = '', ...rest] = title.split(/%[sdifjo]|\$\w+/)
  // A title of nothing but places would match everything.
  if (rest.length === 0 || [first, ...rest].join('').length < 5) return false
  const pattern = [first, ...rest].map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('.*')
  return new RegExp(`^${pattern}$`).test(part)
}
