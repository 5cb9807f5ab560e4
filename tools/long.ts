/**
 * `npm run test:long`: every property on forty times the cases of `.ci/run`, and the tests that take a million rows or
 * dozens of kills, for hours. It writes the result of each file to test/long-tier.md. Arguments select files:
 *
 *     npm run test:long -- server/src/chain
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'

interface FileResult {
  name: string
  status: string
  startTime: number
  endTime: number
  assertionResults: { status: string }[]
}

const root = join(import.meta.dirname, '..')
const page = join(root, 'test', 'long-tier.md')
const report = join(root, '.bursar', 'long-report.json')

/** A file belongs to the long tier if it uses the number of cases. */
const files = globSync('{chainkit,contract,sandbox,sdk,server,signer,test,tools,web}/**/*.test.ts', { cwd: root })
  .filter((file) => !file.includes('node_modules'))
  .filter((file) => /setup\/cases\.ts'/.test(readFileSync(join(root, file), 'utf8')))
  .filter((file) => process.argv.length === 2 || process.argv.slice(2).some((part) => file.includes(part)))
if (files.length === 0) {
  console.error('No file of the long tier has such a name.')
  process.exit(2)
}

/** The tested commit, even if others are committed meanwhile. */
const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim()
mkdirSync(join(root, '.bursar'), { recursive: true })
rmSync(report, { force: true })
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ].concat(files),
  { cwd: root, stdio: 'inherit', env: { ...process.env, BURSAR_LONG: '1', CI: '1' } },
)
if (existsSync(report)) writeFileSync(page, renderPage(readRows()))
process.exitCode = status ?? 1

/** Returns the page's present rows, with those of this run replaced, without rows of deleted files. */
function readRows(): string[] {
  const rows = new Map<string, string>()
  const old = existsSync(page) ? readFileSync(page, 'utf8') : ''
  for (const [row, file] of old.matchAll(/^\| `([^`]+)` \|.*$/gm))
    if (existsSync(join(root, file!))) rows.set(file!, row)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: FileResult[] }
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const file = relative(root, name)
    const count = (wanted: string): number => assertionResults.filter((test) => test.status === wanted).length
    const shown = `${count('passed')} passed${count('failed') > 0 ? `, ${count('failed')} failed` : ''}`
    const cells = [
      `\`${file}\``,
      shown,
      ((endTime - startTime) / 1000).toFixed(0),
      new Date(endTime).toISOString().slice(0, 10),
      commit,
    ]
    rows.set(file, `| ${cells.join(' | ')} |`)
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function renderPage(rows: readonly string[]): string {
  return `# The long tier

Written by \`npm run test:long\`, on a machine with ${availableParallelism()} processors: properties on forty times the cases of \`.ci/run\`, a million rows
in place of ten thousand, connections and processes killed dozens of times. \`BURSAR_CASES=100 npm run test:long\` tries two hundred times the cases.

| file | tests | seconds | day | commit |
|---|---|---:|---|---|
${rows.join('\n')}
`
}
