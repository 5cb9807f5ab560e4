/** A copy of the work tree in which files may be changed and tests run. */
import { spawn } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Sabotage } from '../../test/sabotage/sabotage.ts'
import type { Finder } from './check.ts'

export interface TestResult {
  file: string
  title: string
  /** The title with those of the describes around it. */
  fullName: string
  status: string
}

/** How a run of tests ended: its results, or that it took too long or gave none. */
export type Ran = { kind: 'ran'; tests: TestResult[] } | { kind: 'hung' } | { kind: 'broken'; output: string }

export interface Scratch {
  /** Runs the tests of the finders. */
  run(finders: readonly Finder[], mostMs: number): Promise<Ran>
  /** The root of the copy. */
  copy: string
  /** Does something while a sabotage is applied, which is taken back afterwards. */
  withFault<T>(sabotage: Pick<Sabotage, 'file' | 'replace'>, work: () => Promise<T>): Promise<T>
  /** Runs the tests of the finders while a sabotage is applied. */
  runWith(sabotage: Pick<Sabotage, 'file' | 'replace'>, finders: readonly Finder[], mostMs: number): Promise<Ran>
  remove(): void
}

const LEFT_OUT = new Set(['node_modules', '.git', '.bursar', 'dist', 'coverage'])

/** Copies the work tree as it is, without git, which a machine of CI may lack. The caller removes the copy. */
export const makeScratch = (root: string): Scratch => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-sabotage-'))
  const copy = join(folder, 'copy')
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
  linkPackages(root, copy)
  const report = join(folder, 'report.json')
  const run: Scratch['run'] = async (finders, mostMs) => {
    rmSync(report, { force: true })
    const output = await runVitest(copy, report, finders, mostMs)
    if (output === undefined) return { kind: 'hung' }
    try {
      return { kind: 'ran', tests: readReport(report, copy) }
    } catch {
      return { kind: 'broken', output }
    }
  }
  const withFault: Scratch['withFault'] = async ({ file, replace: [text, instead] }, work) => {
    const path = join(copy, file)
    const before = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      before.replace(text, () => instead),
    )
    try {
      return await work()
    } finally {
      writeFileSync(path, before)
    }
  }
  return {
    copy,
    run,
    withFault,
    runWith: (sabotage, finders, mostMs) => withFault(sabotage, () => run(finders, mostMs)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Links the installed packages. Those of this repository are the copy's own, because they are changed too. */
const linkPackages = (root: string, copy: string): void => {
  const from = join(root, 'node_modules')
  const to = join(copy, 'node_modules')
  mkdirSync(join(to, '@bursar'), { recursive: true })
  for (const name of readdirSync(from)) {
    if (name !== '@bursar' && name !== '.vite') symlinkSync(join(from, name), join(to, name))
  }
  for (const name of readdirSync(join(from, '@bursar')))
    symlinkSync(readlinkSync(join(from, '@bursar', name)), join(to, '@bursar', name))
  for (const own of globSync('{chainkit,contract,signer,sdk,web/checkout}/node_modules', { cwd: root }))
    symlinkSync(join(root, own), join(copy, own))
}

/** Returns vitest's output, or undefined if it was ended because it took too long. */
const runVitest = (
  copy: string,
  report: string,
  finders: readonly Finder[],
  mostMs: number,
): Promise<string | undefined> => {
  const titles = [...new Set(finders.map(({ title }) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)))]
  const args = [
    'run',
    '--reporter=json',
    `--outputFile=${report}`,
    '--testNamePattern',
    titles.join('|'),
    ...new Set(finders.map(({ file }) => file)),
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(copy, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: copy,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, BURSAR_CASES: process.env['BURSAR_CASES'] ?? '1' },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)))
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      // vitest's workers are of its process group.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    }, mostMs)
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      resolve(isLate ? undefined : output)
    })
  })
}

interface Report {
  testResults: { name: string; assertionResults: { title: string; fullName: string; status: string }[] }[]
}

const readReport = (report: string, copy: string): TestResult[] => {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, fullName, status }) => ({
      file: name.slice(name.indexOf(copy) + copy.length + 1),
      title,
      fullName,
      status,
    })),
  )
}
