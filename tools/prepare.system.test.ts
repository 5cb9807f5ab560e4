import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

const tools = new URL('.', import.meta.url).pathname
const nobody = { uid: 65_534, gid: 65_534 }
/** Only root can, and only when this Node lies where others may run it. */
const canBeNobody =
  process.geteuid?.() === 0 && spawnSync(process.execPath, ['--version'], { ...nobody, cwd: '/' }).status === 0
const installed = 'packages installed in'

let template: string
let project: string

/** A project with one real dependency, packed as a file, so that npm needs no network. */
beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), 'bursar-prepare-template-'))
  mkdirSync(join(template, 'tools'))
  mkdirSync(join(template, 'pear'))
  copyFileSync(`${tools}/prepare.mjs`, join(template, 'tools', 'prepare.mjs'))
  cpSync(`${tools}/prepare`, join(template, 'tools', 'prepare'), { recursive: true })
  write('pear/package.json', { name: 'pear', version: '1.0.0', scripts: { postinstall: 'touch ../../ran' } })
  npm(['pack', './pear'])
  rmSync(join(template, 'pear'), { recursive: true })
  write('package.json', { name: 'orchard', version: '1.0.0', dependencies: { pear: 'file:pear-1.0.0.tgz' } })
  npm(['install', '--package-lock-only'])
})

afterAll(() => rmSync(template, { recursive: true, force: true }))

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'bursar-prepare-'))
  spawnSync('cp', ['-a', `${template}/.`, project])
})

afterEach(() => rmSync(project, { recursive: true, force: true }))

function write(name: string, content: object): void {
  writeFileSync(join(template, name), JSON.stringify(content))
}

function npm(args: string[]): void {
  const run = spawnSync('npm', args, { cwd: template, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(run.stderr)
}

function run(options: { uid?: number; gid?: number; env?: Record<string, string> } = {}) {
  const { env, ...ids } = options
  const child = spawn(process.execPath, [join(project, 'tools', 'prepare.mjs')], {
    cwd: '/',
    ...ids,
    env: { ...process.env, ...env },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  )
  return { child, ended }
}

const pearPath = () => join(project, 'node_modules', 'pear', 'package.json')

test('installs once, then finds nothing to do', async () => {
  const first = await run().ended
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining(installed) })
  expect(JSON.parse(readFileSync(pearPath(), 'utf8')).version).toBe('1.0.0')
  expect(await run().ended).toEqual({ code: 0, output: '' })
})

test('installs again when a package is gone or the lock file asks for another version', async () => {
  await run().ended
  rmSync(join(project, 'node_modules', 'pear'), { recursive: true })
  expect((await run().ended).output).toContain(installed)
  const hidden = join(project, 'node_modules', '.package-lock.json')
  writeFileSync(hidden, readFileSync(hidden, 'utf8').replaceAll('"version": "1.0.0"', '"version": "0.9.0"'))
  expect((await run().ended).output).toContain(installed)
  expect(await run().ended).toEqual({ code: 0, output: '' })
})

test('K4 a script that a package would run when it is installed does not run', async () => {
  await run().ended
  expect(JSON.parse(readFileSync(pearPath(), 'utf8')).scripts).toEqual({ postinstall: 'touch ../../ran' })
  expect(existsSync(join(project, 'ran'))).toBe(false)
})

test('two at once: one installs, the other waits for it', async () => {
  const outcomes = await Promise.all([run().ended, run().ended, run().ended])
  expect(outcomes.map((outcome) => outcome.code)).toEqual([0, 0, 0])
  expect(outcomes.filter((outcome) => outcome.output.includes(installed))).toHaveLength(1)
  expect(readdirSync(join(project, '.bursar'))).toEqual([])
})

test('killed half way, the next run repairs', async () => {
  await run().ended
  rmSync(join(project, 'node_modules', 'pear'), { recursive: true })
  const { child, ended } = run()
  const lock = join(project, '.bursar', 'install.lock')
  while (!existsSync(lock) || readFileSync(lock, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 2))
  expect(existsSync(join(project, 'node_modules', '.package-lock.json'))).toBe(false)
  const npmPid = Number(readFileSync(lock, 'utf8'))
  process.kill(npmPid, 'SIGKILL')
  child.kill('SIGKILL')
  await ended
  expect(existsSync(lock)).toBe(true)
  // The lock would be taken for abandoned after ten silent seconds; the test does not wait for them.
  utimesSync(lock, new Date(0), new Date(0))
  expect((await run().ended).output).toContain(installed)
  expect(existsSync(pearPath())).toBe(true)
})

test('a lock file made for other package files is refused before anything is touched', async () => {
  const file = join(project, 'package.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"pear"', '"plum"'))
  const { code, output } = await run().ended
  expect(code).toBe(1)
  expect(output).toContain(`dependencies of ${file} have changed; run npm install`)
  expect(existsSync(join(project, 'node_modules'))).toBe(false)
})

test('without the network the message says so and the exit code is 1', async () => {
  for (const name of ['package.json', 'package-lock.json']) {
    const text = readFileSync(join(project, name), 'utf8')
    writeFileSync(join(project, name), text.replaceAll('file:pear-1.0.0.tgz', 'http://127.0.0.1:9/pear-1.0.0.tgz'))
  }
  const env = { npm_config_fetch_retries: '0', npm_config_cache: join(project, 'cache') }
  const { code, output } = await run({ env }).ended
  expect(code).toBe(1)
  expect(output).toContain('the npm registry cannot be reached')
})

test.runIf(canBeNobody)('a read-only folder is named before anything is touched', async () => {
  chmodSync(project, 0o755)
  const { code, output } = await run(nobody).ended
  expect(code).toBe(1)
  expect(output).toContain(`${project} is read-only for this user`)
  chownSync(project, nobody.uid, nobody.gid)
  const env = { HOME: project, npm_config_cache: join(project, 'cache') }
  expect(await run({ ...nobody, env }).ended).toMatchObject({ code: 0 })
})

test('does nothing, and runs no npm, when there is nothing to do', async () => {
  await run().ended
  expect(await run({ env: { PATH: '' } }).ended).toMatchObject({ code: 0, output: '' })
})
