/** The last result of each sabotage, and the page that shows them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CHANGES_MONEY } from '../../test/sabotage/money.ts'
import { NEEDS, needsSecondFault } from '../../test/sabotage/needs.ts'
import { OUTSIDE_THE_SIMULATION } from '../../test/sabotage/outside.ts'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
import { finderOf } from './check.ts'
import { readSimulationResults, type SimulationResults } from './simulation-results.ts'

export interface Result {
  /** `hung`: the finder had not ended after many times its usual duration, which also shows the fault */
  outcome: 'found' | 'hung' | 'missed' | 'broken'
  seconds: number
  /** yyyy-mm-dd */
  day: string
  commit: string
}

/** Results of this checkout by name. A digest is that of the sabotage, its file and its finder when it was run. */
type Results = Record<string, Result & { digest: string }>

const resultsFile = (root: string): string => join(root, '.bursar', 'sabotage.json')
const pageIn = (root: string): string => join(root, 'docs', 'operating', 'sabotage.md')

const readResults = (root: string): Results =>
  existsSync(resultsFile(root)) ? (JSON.parse(readFileSync(resultsFile(root), 'utf8')) as Results) : {}

const digestOf = (root: string, sabotage: Sabotage): string => {
  const texts = [sabotage.file, finderOf(sabotage).file].map((path) => readFileSync(join(root, path), 'utf8'))
  return createHash('sha256')
    .update(JSON.stringify([sabotage, ...texts]))
    .digest('hex')
}

/** Whether it was found, and neither it nor its file nor its finder has changed since. */
export const isKnownFound = (root: string, sabotage: Sabotage): boolean => {
  const result = readResults(root)[sabotage.name]
  return (
    result !== undefined &&
    result.outcome !== 'missed' &&
    result.outcome !== 'broken' &&
    result.digest === digestOf(root, sabotage)
  )
}

/** Keeps a result and writes the page again, so that a run which is ended loses nothing. */
export const keepResult = (root: string, all: readonly Sabotage[], sabotage: Sabotage, result: Result): void => {
  const results = { ...readResults(root), [sabotage.name]: { ...result, digest: digestOf(root, sabotage) } }
  mkdirSync(dirname(resultsFile(root)), { recursive: true })
  writeFileSync(resultsFile(root), JSON.stringify(results, null, 1))
  writePage(root, all, new Map([[sabotage.name, result]]))
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

/** Writes the page: new results, and those that the present page shows of other sabotages. */
export const writePage = (root: string, all: readonly Sabotage[], results: ReadonlyMap<string, Result>): void => {
  const before = new Map<string, string>()
  const page = existsSync(pageIn(root)) ? readFileSync(pageIn(root), 'utf8') : ''
  for (const [, name, last] of page.matchAll(/^\| `([^`]+)` \|.*\| ([^|]+ \| [^|]* \| [^|]* \| [^|]*) \|$/gm))
    before.set(name!, last!)
  const simulated = readSimulationResults(root, all)
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
      CHANGES_MONEY.has(sabotage.name) ? 'yes' : 'no',
      `${cell(title)} (\`${file}\`)`,
      simulationCell(sabotage.name, simulated),
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
${simulationCounts(all, simulated)}
${moneyCounts(all, simulated)}

\`money\`: a merchant, a payer or the operator ends with other money than is right (\`test/sabotage/money.ts\`). Delays, wrong notifications and guards of permission do not count.

| name | fault | what it breaks | money | test that finds it | simulation | last | seconds | day | commit |
|---|---|---|---|---|---|---|---:|---|---|
${rows.map(({ row }) => row).join('\n')}

## Faults that the simulation alone finds

\`npm run sabotage -- --simulation\` runs the simulation ([reliability.md](reliability.md)) instead of the tests, with the fault in and with few chains, so that a run is short. A fault counts as found only if a run reports a
violation, or a role that can not start; a run that crashes or hangs has found nothing.

| name | command, at the commit of the result | the first violation | commit |
|---|---|---|---|
${foundRows(all, simulated).join('\n')}
`,
  )
}

const simulationCell = (name: string, results: SimulationResults): string => {
  const result = results[name]
  if (needsSecondFault(name) && result?.outcome !== 'found') return `needs ${NEEDS[name]}`
  if (result === undefined) {
    const part = OUTSIDE_THE_SIMULATION[name]
    return part === undefined ? 'not tried' : `not simulated: ${part}`
  }
  if (result.outcome !== 'missed') return result.outcome
  const missed = `missed after ${result.operations} operations`
  return NEEDS[name] === undefined ? missed : `${missed}; needs ${NEEDS[name]}`
}

const simulationCounts = (all: readonly Sabotage[], results: SimulationResults): string => {
  const hidden = all.filter(({ name }) => needsSecondFault(name) && results[name]?.outcome !== 'found')
  const rest = all.filter((one) => !hidden.includes(one))
  const outcomes = rest.flatMap(({ name }) => results[name]?.outcome ?? [])
  const count = (outcome: string): number => outcomes.filter((one) => one === outcome).length
  const outside = rest.filter(({ name }) => !results[name] && OUTSIDE_THE_SIMULATION[name] !== undefined).length
  const [found, missed] = [count('found'), count('missed')]
  const share = outcomes.length === 0 ? 0 : Math.floor((found * 100) / outcomes.length)
  const tried = `Tried with the simulation alone: ${outcomes.length}, of which it found ${found} (${share} %) and missed ${missed}; ${count('crashed') + count('hung')} crashed or hung.`
  const others = `Not tried: ${rest.length - outcomes.length - outside}; in parts that are not simulated: ${outside}`
  return `${tried} ${others}; without effect unless there is a second fault, and not counted as tried: ${hidden.length}.`
}

/** The part of the faults that create or lose money, and those of them that the simulation does not find, by name. */
const moneyCounts = (all: readonly Sabotage[], results: SimulationResults): string => {
  const open = all.filter(({ name }) => {
    const isSimulated = results[name] !== undefined || OUTSIDE_THE_SIMULATION[name] === undefined
    return CHANGES_MONEY.has(name) && isSimulated && (!needsSecondFault(name) || results[name]?.outcome === 'found')
  })
  const withOutcome = (outcome: string | undefined): string[] =>
    open.flatMap(({ name }) => (results[name]?.outcome === outcome ? [`\`${name}\``] : []))
  const [found, missed, untried] = [withOutcome('found'), withOutcome('missed'), withOutcome(undefined)]
  const list = (names: string[]): string => (names.length === 0 ? '0' : `${names.length} (${names.join(', ')})`)
  return `Of the simulated faults with an effect, ${open.length} create or lose money: the simulation alone found ${found.length}, missed ${list(missed)}, and did not try ${list(untried)}.`
}

const foundRows = (all: readonly Sabotage[], results: SimulationResults): string[] =>
  all.flatMap(({ name }) => {
    const result = results[name]
    if (result?.outcome !== 'found') return []
    return [`| \`${name}\` | \`${result.command}\` | ${cell(result.what)} | ${result.commit} |`]
  })
