/** The last result of each sabotage, and the page that shows them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
import { finderOf } from './check.ts'

export interface Result {
  /** `hung`: the finder had not ended after many times its usual duration, which also shows the fault */
  outcome: 'found' | 'hung' | 'missed' | 'broken'
  seconds: number
  /** yyyy-mm-dd */
  day: string
  commit: string
}

/** Results of this checkout by name. A digest is that of the sabotage, its file and its finder when it was run. */
type Kept = Record<string, Result & { digest: string }>

const keptIn = (root: string): string => join(root, '.bursar', 'sabotage.json')
const pageIn = (root: string): string => join(root, 'docs', 'operating', 'sabotage.md')

const readKept = (root: string): Kept =>
  existsSync(keptIn(root)) ? (JSON.parse(readFileSync(keptIn(root), 'utf8')) as Kept) : {}

const digestOf = (root: string, sabotage: Sabotage): string => {
  const texts = [sabotage.file, finderOf(sabotage).file].map((path) => readFileSync(join(root, path), 'utf8'))
  return createHash('sha256')
    .update(JSON.stringify([sabotage, ...texts]))
    .digest('hex')
}

/** Whether it was found, and neither it nor its file nor its finder has changed since. */
export const isKnownFound = (root: string, sabotage: Sabotage): boolean => {
  const kept = readKept(root)[sabotage.name]
  return (
    kept !== undefined &&
    kept.outcome !== 'missed' &&
    kept.outcome !== 'broken' &&
    kept.digest === digestOf(root, sabotage)
  )
}

/** Keeps a result and writes the page again, so that a run which is ended loses nothing. */
export const keepResult = (root: string, all: readonly Sabotage[], sabotage: Sabotage, result: Result): void => {
  const kept = { ...readKept(root), [sabotage.name]: { ...result, digest: digestOf(root, sabotage) } }
  mkdirSync(dirname(keptIn(root)), { recursive: true })
  writeFileSync(keptIn(root), JSON.stringify(kept, null, 1))
  writePage(root, all, new Map([[sabotage.name, result]]))
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

/** Writes the page: new results, and those that the present page shows of other sabotages. */
export const writePage = (root: string, all: readonly Sabotage[], results: ReadonlyMap<string, Result>): void => {
  const before = new Map<string, string>()
  const page = existsSync(pageIn(root)) ? readFileSync(pageIn(root), 'utf8') : ''
  for (const [, name, last] of page.matchAll(/^\| `([^`]+)` \|.*\| ([^|]+ \| [^|]* \| [^|]* \| [^|]*) \|$/gm))
    before.set(name!, last!)
  const rows = all.map((sabotage) => {
    const result = results.get(sabotage.name)
    const last =
      result === undefined
        ? (before.get(sabotage.name) ?? 'not run |  |  | ')
        : `${result.outcome} | ${result.seconds.toFixed(1)} | ${result.day} | ${result.commit}`
    const { file, title } = finderOf(sabotage)
    const cells = [
      sabotage.fault,
      cell(sabotage.breaks),
      `${cell(title)} (\`${file}\`)`,
      sabotage.simulation ?? 'unknown',
    ]
    return { last, row: `| \`${sabotage.name}\` | ${cells.join(' | ')} | ${last} |` }
  })
  const count = (start: string): number => rows.filter(({ last }) => last.startsWith(start)).length
  writeFileSync(
    pageIn(root),
    `# Known faults, put in again

Written by \`npm run sabotage\`. Each row is one fault: a guard taken out, a fix undone, or a bug that another system had. The table in \`test/sabotage/\` has the text of each. The command applies
one at a time to a copy of the work tree and runs the test named here, which must fail; before, the same test must pass without the fault. \`hung\`: the test had not ended after two minutes.
\`npm run sabotage -- NAME…\` runs some of them, \`--again\` runs also those that were found and have not changed since. \`npm run check\` fails if a text is no longer in its file or a test no longer exists.

${all.length} faults: ${count('found') + count('hung')} found, ${count('missed')} missed, ${count('broken')} without a result, ${count('not run')} not run.
Found by the simulation alone: ${all.filter(({ simulation }) => simulation === 'finds').length}; missed by it: ${all.filter(({ simulation }) => simulation === 'misses').length}; not tried: ${all.filter(({ simulation }) => simulation === undefined).length}.

| name | fault | what it breaks | test that finds it | simulation | last | seconds | day | commit |
|---|---|---|---|---|---|---:|---|---|
${rows.map(({ row }) => row).join('\n')}
`,
  )
}
