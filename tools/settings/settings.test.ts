import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeAcquirersFile } from '../../sandbox/platform/acquirers.ts'
import { emulatedAccount, emulatedKinds } from '../../sandbox/platform/emulators.ts'
import { writeExchangeFile } from '../../sandbox/platform/exchange.ts'
import { writeSettingsFiles } from '../../sandbox/platform/files.ts'
import { writeScreeningFile } from '../../sandbox/platform/screening.ts'
import { TEST_KEYS } from '../../test/world/keys.ts'
import { FILE_READERS, FILE_SHAPES } from '../../server/src/app/composition/settings-files.ts'
import type { Node } from '../../server/src/platform/config/shape.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { membersTable } from './members-table.ts'

type Name = keyof typeof FILE_SHAPES
const NAMES = Object.keys(FILE_SHAPES) as Name[]
const SHAPES: readonly [string, TSchema][] = Object.entries(FILE_SHAPES)
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true })
const validators = Object.fromEntries(SHAPES.map(([name, shape]) => [name, ajv.compile(jsonSchemaOf(name, shape))]))
const schemaProblems = (name: string, json: unknown): unknown => {
  const validate = validators[name]!
  return validate(json) ? null : validate.errors
}

const folder = mkdtempSync(join(tmpdir(), 'bursar-schemas-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the examples in docs/operating', () => {
  const docs = join(import.meta.dirname, '../../docs/operating')
  const examples = readdirSync(docs)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(join(docs, file), 'utf8').matchAll(/^```json(.*)\n([\s\S]*?)^```$/gm)].map(
        ([, info, text]) => [file, info!.trim(), text!] as const,
      ),
    )

  test('are found, and each of the mandatory files has one', () => {
    expect(examples.length).toBeGreaterThan(9)
    expect(examples.map(([, info]) => info)).toEqual(expect.arrayContaining(['networks', 'assets']))
  })

  test.each(examples)('%s, %s', (_file, info, text) => {
    if (info === 'signer') return expect(() => void JSON.parse(`{${text}}`)).not.toThrow()
    const [name = '', part] = info.split(' ')
    const json: unknown = JSON.parse(part === 'member' ? `{${text}}` : text)
    expect(schemaProblems(name, part === 'account' ? { accounts: [json] } : json)).toBeNull()
    if (name === 'networks' || name === 'assets' || name === 'policy')
      expect(() => FILE_READERS[name](json)).not.toThrow()
  })
})

describe("the sandbox's settings files", () => {
  const files = new Map<string, unknown>()
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

  beforeAll(async () => {
    mkdirSync(join(folder, 'settings'))
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'x'.repeat(40))
    for (const name of ['acquirer-bank', 'acquirer-bank-reserve']) writeFileSync(join(folder, name), 'x'.repeat(40))
    const url = 'http://127.0.0.1:1'
    const evm = {
      node: { url },
      assets: ['USDT', 'USDC'].map((ticker, i) => ({ ticker, token: `0x${`${i}`.repeat(40)}` })),
    }
    const token = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
    // The parts of sandbox/world.ts that these files name.
    const world = {
      bitcoin: { node: { url, user: 'u', password: 'p', rpc: async () => '0f'.repeat(32) } },
      ethereum: evm,
      bsc: { ...evm, assets: evm.assets },
      tron: { node: { url }, genesis: '0f'.repeat(32), assets: [{ ticker: 'USDT', token }] },
    } as unknown as Parameters<typeof writeSettingsFiles>[1]
    const wallet = TEST_KEYS as unknown as Parameters<typeof writeSettingsFiles>[2]
    const written = await writeSettingsFiles(folder, world, wallet, 2)
    for (const name of ['networks', 'assets', 'policy'] as const) files.set(name, read(written[name]))
    files.set('xpubs', { ...TEST_KEYS, masterFingerprint: '00000000' })
    const accounts = emulatedKinds.map((kind) => emulatedAccount(kind, url, secret))
    files.set('acquirers', read(writeAcquirersFile(folder, folder, url, accounts)))
    files.set('exchange', read(writeExchangeFile(folder, url, [], { url, apiKeyFile: secret, secretFile: secret })))
    files.set('alerts', {
      mail: ['ops@example.com'],
      webhooks: [{ url, secretFile: secret }],
      alertmanager: [url],
      repeatHours: 12,
    })
    files.set('screening', read(writeScreeningFile(folder, url, secret)))
  })

  test.each(NAMES)('%s fits its schema and is read', (name) => {
    const json = files.get(name)
    expect(schemaProblems(name, json)).toBeNull()
    expect(() => FILE_READERS[name](json)).not.toThrow()
    const named = { $schema: `./${name}.schema.json`, ...(json as object) }
    expect(schemaProblems(name, named)).toBeNull()
    expect(FILE_READERS[name](named)).toEqual(expect.anything())
    expect(schemaProblems(name, { ...(json as object), nonsuch: 1 })).not.toBeNull()
  })
})

const everyNode = (shape: Node): Node[] => [
  shape,
  ...[
    ...Object.values(shape.properties ?? {}),
    ...Object.values(shape.patternProperties ?? {}),
    ...(shape.anyOf ?? []),
    ...(shape.items ? [shape.items] : []),
  ].flatMap(everyNode),
]

test.each(NAMES)('every member of %s is described once, and its standard is a value that may be written', (name) => {
  const shape = FILE_SHAPES[name] as TSchema
  const rows = membersTable(shape).split('\n').slice(2)
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([])
  expect(new Set(rows.map((row) => row.split(' | ')[0])).size).toBe(rows.length)
  for (const node of everyNode(shape))
    if (node.default !== undefined)
      expect([node.description, Check(node, node.default)]).toEqual([node.description, true])
})
