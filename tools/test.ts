/**
 * `npm test`: the checks beside the tests, then one table. Arguments go to vitest, and then the checks are left out:
 *
 *     npm test                      everything but the slow files, which `CI=1` adds
 *     npm test -- --project slow    those
 *     npm test -- server/src/platform/money  the tests of one folder
 *     npm run check                 the checks alone
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { PART, type Part } from '../test/setup/parts.ts'

interface Step {
  readonly name: string
  /** Run with this version of Node. */
  readonly script: string
  readonly args: readonly string[]
  /** Skipped if this file does not exist. */
  readonly needs?: string
  /** Outside CI, skipped if no file of the repository has changed since it passed. */
  readonly isCached?: true
}

interface Outcome {
  readonly name: string
  readonly seconds: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const root = join(import.meta.dirname, '..')
/** The time of each file, in the format of vitest's JSON reporter. */
const report = join(root, '.bursar', 'test-report.json')
/** Written first to files of this process, because another run in this checkout writes its own. */
const ownReport = (part: Part | 'all'): string => join(root, '.bursar', `test-report-${process.pid}-${part}.json`)
/** `N passed, N failed`, for .ci/run. */
const summary = join(root, '.bursar', 'test-summary')

/** Results that checks cache for unchanged files. */
const remembered = join(root, '.bursar', 'checks')

const checks: readonly Step[] = [
  {
    name: 'types',
    script: 'node_modules/typescript/bin/tsc',
    args: ['-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', join(remembered, 'types.tsbuildinfo')],
  },
  {
    name: "types of the pages' script",
    script: 'node_modules/typescript/bin/tsc',
    args: ['-p', 'web/checkout/island/tsconfig.json'],
  },
  { name: 'format', script: 'node_modules/oxfmt/bin/oxfmt', args: ['--check'] },
  {
    name: 'unused code',
    script: 'node_modules/knip/bin/knip.js',
    args: ['--cache', '--cache-location', join(remembered, 'knip')],
  },
  {
    name: 'lint',
    script: 'node_modules/oxlint/bin/oxlint',
    args: ['--type-aware'],
    needs: '.oxlintrc.json',
    isCached: true,
  },
  { name: 'boundaries', script: 'tools/lint/main.ts', args: [] },
  { name: 'generated files', script: 'tools/generate.ts', args: ['--check'], needs: 'tools/generate.ts' },
  { name: 'sabotages', script: 'tools/sabotage.ts', args: ['--check'] },
  { name: 'grants and SQL', script: 'tools/database.ts', args: [], needs: 'tools/database.ts' },
]

/** Values of nice(1). Files that compute are longer than the checks, and so begin to work before them. */
const [CHECK_NICE, COMPUTING_NICE] = [10, 5]

const onlyChecks = process.argv.includes('--checks')
const filters = process.argv.slice(2).filter((argument) => argument !== '--checks')
/** Without arguments the slow files are skipped; CI runs all files, in two parts at once. */
const isWhole = filters.length === 0 && process.env['CI'] !== undefined && process.env['CI'] !== ''
const projects = filters.length > 0 || isWhole ? [] : ['--project', 'unit', '--project', 'system']
mkdirSync(join(root, '.bursar'), { recursive: true, mode: 0o711 })
mkdirSync(remembered, { recursive: true })
rmSync(summary, { force: true })

const wanted =
  filters.length > 0 ? [] : checks.filter(({ needs }) => needs === undefined || existsSync(join(root, needs)))
const state = process.env['CI'] ? undefined : stateOfFiles()
// Checks run while tests wait for blocks.
const parts: readonly (Part | 'all')[] = onlyChecks ? [] : isWhole ? ['computing', 'waiting'] : ['all']
const runs = [...wanted.map(runCheck), ...parts.map(runTests)]
const outcomes = (await Promise.all<Outcome | Outcome[]>(runs)).flat()
if (parts.length > 0) writeReport()
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
process.exitCode = failed === 0 ? 0 : 1
print()

async function runCheck(step: Step): Promise<Outcome> {
  const started = performance.now()
  const stamp = join(remembered, `${step.name}.passed`)
  const isPassed = step.isCached && state !== undefined && existsSync(stamp) && readFileSync(stamp, 'utf8') === state
  const { code, output } = isPassed ? { code: 0, output: '' } : await runQuietly(step.script, step.args, CHECK_NICE)
  process.stdout.write(output)
  if (step.isCached && state !== undefined && code === 0) writeFileSync(stamp, state)
  return {
    name: step.name,
    seconds: since(started),
    passed: code === 0 ? 1 : 0,
    failed: code === 0 ? 0 : 1,
    skipped: 0,
  }
}

/**
 * Returns the name, size and modification time of every file that git tracks or would add.
 * @returns undefined when there is no git
 */
function stateOfFiles(): string | undefined {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) return undefined
  const hash = createHash('sha256')
  for (const name of stdout.split('\0')) {
    const file = statSync(join(root, name), { throwIfNoEntry: false })
    hash.update(`${name} ${file?.size} ${file?.mtimeMs}\n`)
  }
  return hash.digest('hex')
}

async function runTests(part: Part | 'all'): Promise<Outcome[]> {
  const started = performance.now()
  const vitest = 'node_modules/vitest/vitest.mjs'
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${ownReport(part)}`]
  const code =
    part === 'computing'
      ? await runComputing(vitest, args)
      : await run(vitest, [...args, ...projects, ...filters], part)
  const name = part === 'computing' ? 'tests that compute' : 'tests'
  const tests = { name, seconds: since(started), ...countTests(part) }
  if (code === 0 || tests.failed > 0) return [tests]
  // A failure without a failed test: a file that can't be loaded, an error outside tests, or the end of vitest itself.
  return [tests, { name: `vitest ended with ${code}`, seconds: 0, passed: 0, failed: 1, skipped: 0 }]
}

/** Computes while the other part waits. Its output comes at its end, because the other part prints meanwhile. */
async function runComputing(vitest: string, args: readonly string[]): Promise<number> {
  const { code, output } = await runQuietly(vitest, [...args, '--project', 'slow'], COMPUTING_NICE, {
    [PART]: 'computing',
  })
  process.stdout.write(output)
  return code
}

interface Report extends Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests', number> {
  testResults: unknown[]
}

function readReport(part: Part | 'all'): Report | undefined {
  const file = ownReport(part)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined
}

function countTests(part: Part | 'all'): Pick<Outcome, 'passed' | 'failed' | 'skipped'> {
  const counts = readReport(part)
  if (counts === undefined) return { passed: 0, failed: 0, skipped: 0 }
  return { passed: counts.numPassedTests, failed: counts.numFailedTests, skipped: counts.numPendingTests }
}

/** One report of all parts, with the sums of their counts. */
function writeReport(): void {
  const reports = parts.flatMap((part) => readReport(part) ?? [])
  if (reports.length === 0) return
  const counts = Object.keys(reports[0]!).filter((name) => name.startsWith('num')) as (keyof Report)[]
  const sumOf = (name: keyof Report): number => reports.reduce((sum, one) => sum + (one[name] as number), 0)
  const sums = Object.fromEntries(counts.map((name) => [name, sumOf(name)]))
  const testResults = reports.flatMap((one) => one.testResults)
  writeFileSync(ownReport(parts[0]!), JSON.stringify({ ...reports[0], ...sums, testResults }))
  renameSync(ownReport(parts[0]!), report)
  for (const part of parts) rmSync(ownReport(part), { force: true })
}

function run(script: string, args: readonly string[], part: Part | 'all'): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...(part !== 'all' && { [PART]: part }) }
    const child = spawn(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)))
  })
}

/** Runs a program and collects its output, because programs run side by side. @param nice its priority beside tests */
function runQuietly(
  script: string,
  args: readonly string[],
  nice: number,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Tests that wait for a process get the processor first.
    if (child.pid !== undefined && !onlyChecks) setPriority(child.pid, nice)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? (signal === null ? 1 : 130), output }))
  })
}

function since(started: number): number {
  return (performance.now() - started) / 1000
}

function print(): void {
  const total = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  const skipped = outcomes.reduce((sum, outcome) => sum + outcome.skipped, 0)
  const row = (name: string, cells: readonly (string | number)[]): string =>
    name.padEnd(24) + cells.map((cell) => String(cell).padStart(9)).join('')
  console.log(`\n${row('', ['passed', 'failed', 'skipped', 'seconds'])}`)
  for (const { name, seconds, ...counts } of outcomes) {
    console.log(row(name, [counts.passed, counts.failed, counts.skipped, seconds.toFixed(1)]))
  }
  const line = `${total} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
  writeFileSync(summary, `${line}\n`)
  if (projects.length > 0 && !onlyChecks)
    console.log(
      '\nThe slow files (*.slow.test.ts: killed processes, browsers, tests of half a minute) are left to .ci/run, or npm test -- --project slow',
    )
  console.log(`\n${line}`)
}
