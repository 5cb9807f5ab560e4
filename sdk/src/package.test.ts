import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { merchantId, privateKey, startService } from './test-service.ts'

const repository = join(import.meta.dirname, '../..')
const consumer = mkdtempSync(join(tmpdir(), 'bursar-sdk-'))
const installed = join(consumer, 'node_modules/@bursar/sdk')

beforeAll(() => {
  mkdirSync(join(consumer, 'node_modules/@bursar'), { recursive: true })
  execFileSync('node', [join(repository, 'sdk/build.ts'), installed])
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(consumer, { recursive: true }))

/** The TypeScript of a document, one text a block. */
const codeOf = (document: string): string[] =>
  [...readFileSync(join(repository, document), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!)

/** The TypeScript of the SDK's README, as one module each, with the names that its text assumes declared. */
const readmeModules = () => {
  const blocks = codeOf('sdk/README.md')
  const declared = [
    "import type { Bursar, CreateCryptoWithdrawalBody } from '@bursar/sdk'",
    'declare const bursar: Bursar',
    'declare const withdrawal: CreateCryptoWithdrawalBody & { localId: string }',
  ].join('\n')
  const goesOn = (code: string) => /\bbursar\b/.test(code) && !code.includes('const bursar')
  return blocks.map((code) => (goesOn(code) ? `${declared}\n${code}` : code))
}

test('the built package has no dependency, no TypeScript source and no test', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@bursar/sdk', type: 'module' })
  expect(manifest.exports).toEqual({ '.': { types: './index.d.ts', default: './index.js' } })
  expect(manifest).not.toHaveProperty('dependencies')
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'generated.d.ts', 'README.md']))
  expect(files.filter((name) => /(?<!\.d)\.ts$|test/.test(name))).toEqual([])
  const imported = files
    .filter((name) => /\.(js|d\.ts)$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(installed, name), 'utf8')
      return [...text.matchAll(/(?:from|import\() ?["']([^"']+)["']/g)].map(([, specifier]) => specifier!)
    })
  const outside = imported.filter((specifier) => !/^\.{1,2}\/.*\.js$/.test(specifier))
  expect(new Set(outside)).toEqual(new Set(['node:crypto']))
})

test('the TypeScript of both READMEs compiles against the built package, library checks included', () => {
  const modules = [...readmeModules(), ...codeOf('README.md')]
  expect(modules).toHaveLength(5)
  for (const [position, code] of modules.entries()) writeFileSync(join(consumer, `readme-${position}.ts`), code)
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022']
  const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')]
  const files = modules.map((_, position) => `readme-${position}.ts`)
  const run = () =>
    execFileSync(join(repository, 'node_modules/.bin/tsc'), [...options, ...types, ...files], {
      cwd: consumer,
      encoding: 'utf8',
    })
  expect(run()).toBe('')
})

/** The machine's own Node, as merchants use it; ours is first on the PATH. */
const nodes = (): string[] => {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file))
  const versions = new Map(found.map((file) => [execFileSync(file, ['--version'], { encoding: 'utf8' }).trim(), file]))
  return [...versions].filter(([version]) => Number(/^v(\d+)/.exec(version)![1]) >= 20).map(([, file]) => file)
}

test.each(nodes())(
  'the first example of the README runs on the built package in plain JavaScript, by %s',
  async (node) => {
    const answers: Record<string, unknown> = {
      '/merchants/addresses': { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', blockchain: 'BITCOIN' },
      '/merchants/balances?tickers=BTC': [{ ticker: 'BTC', value: '0.25' }],
      '/merchants/withdrawals/crypto': { id: 'w-1' },
      '/merchants/withdrawals/crypto/w-1': { id: 'w-1', status: 'Pending' },
    }
    const service = await startService(({ target }) => ({ body: JSON.stringify(answers[target]) }))
    const [first] = readmeModules()
    writeFileSync(join(consumer, 'example.js'), first!.replaceAll('!,', ','))
    const settings = { BURSAR_URL: service.url, BURSAR_MERCHANT_ID: merchantId, BURSAR_PRIVATE_KEY: privateKey }
    const env = { ...process.env, ...settings }
    const { stdout } = await promisify(execFile)(node, [join(consumer, 'example.js')], { env })
    await service.stop()
    expect(stdout).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 0.25\nPending\n')
  },
)
