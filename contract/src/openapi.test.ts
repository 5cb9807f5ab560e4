import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'
import { operations } from './operations/index.ts'

/** The parts of the document that the tests look at. */
interface Parameter {
  name: string
  in: string
  required: boolean
}
interface OperationObject {
  operationId: string
  parameters?: Parameter[]
  security: unknown
  responses: Record<string, unknown>
}
interface Document {
  paths: Record<string, Record<string, OperationObject>>
  webhooks: Record<string, { post: OperationObject }>
  components: Record<string, Record<string, { examples?: unknown[] }>>
}

const document = openApiDocument() as unknown as Document
const methods = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)
const webhooks = Object.values(document.webhooks).map(({ post }) => post)

/** Every value of the document under a key, wherever it is. */
const valuesOf = (node: unknown, key: string): unknown[] => {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(value, key)])
}

test('contract/openapi.json is this document', () => {
  const committed = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')
  expect(committed).toBe(`${JSON.stringify(document, null, 2)}\n`)
})

test('it holds every operation and alias; those with a slash at the end as a note', () => {
  const routes = operations.flatMap(({ method, path, aliases }) =>
    [path, ...aliases.filter(({ trailingSlash }) => !trailingSlash).map((alias) => alias.path)].map(
      (each) => `${method} ${each.replaceAll(/:(\w+)/g, '{$1}')}`,
    ),
  )
  expect(methods.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(routes.toSorted())
  expect(valuesOf(document.paths, 'x-also-served-at').flat().toSorted()).toEqual([
    '/merchants/assets/crypto/',
    '/merchants/exchange/available-directions/',
    '/merchants/exchange/estimate/',
  ])
})

test('it names every operation once', () => {
  const ids = [...methods.map(({ operation }) => operation), ...webhooks].map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('it refers only to components that exist, and uses every one', () => {
  const existing = Object.entries(document.components).flatMap(([group, components]) =>
    Object.keys(components).map((name) => `#/components/${group}/${name}`),
  )
  const used = new Set(valuesOf(document, '$ref') as string[])
  expect([...used].toSorted()).toEqual(existing.filter((path) => !path.includes('/securitySchemes/')).toSorted())
})

test('it declares the path parameters of every path', () => {
  for (const { path, operation } of methods) {
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, required: true }))
    expect(declared.map(({ name, required }) => ({ name, required }))).toEqual(inPath)
  }
})

test('it allows 501 on every operation, and asks three headers of all but the forms', () => {
  for (const { path, operation } of methods) {
    expect(operation.responses['501']).toEqual({ $ref: '#/components/responses/NotBuilt' })
    const signed = [{ merchantId: [], signature: [], timestamp: [] }]
    expect(operation.security).toEqual(path.endsWith('/form') ? [] : signed)
    const keyId = JSON.stringify(operation.parameters ?? []).includes('/parameters/KeyId')
    expect(keyId).toBe(!path.endsWith('/form'))
  }
})

test('it has a webhook for each of the nine notifications, with seven headers', () => {
  expect(webhooks.map(({ parameters }) => parameters?.length)).toEqual(Array.from({ length: 9 }, () => 7))
})

test('it is the same on every call, but for the server', () => {
  expect(openApiDocument()).toEqual(document)
  expect(openApiDocument('https://pay.example')).toEqual({ ...document, servers: [{ url: 'https://pay.example' }] })
})

describe('its schemas', () => {
  const ajv = new Ajv2020({ strict: true, keywords: Object.keys(document) })
  ajv.addSchema({ $id: 'document', ...document })
  const validator = (name: string) => ajv.getSchema(`document#/components/schemas/${name}`)!
  const examplesOf = (name: string) => document.components['schemas']![name]!.examples ?? []

  const names = Object.keys(document.components['schemas']!)

  test.each(names)('%s is JSON Schema 2020-12 and accepts its examples', (name) => {
    const validate = validator(name)
    for (const example of examplesOf(name)) expect(validate(example) ? [] : validate.errors).toEqual([])
  })

  test('let answers and notifications gain fields, and bodies not', () => {
    const [example] = examplesOf('ReplenishPending') as [object]
    const accepts = (name: string, value: unknown) => validator(name)(value)
    expect(accepts('ReplenishPending', { ...example, added: 1 })).toBe(true)
    expect(accepts('ReplenishPending', { ...example, amount: 1 })).toBe(false)
    expect(accepts('Target', { ticker: 'BTC' })).toBe(true)
    expect(accepts('Target', { ticker: 'BTC', added: 1 })).toBe(false)
    expect(accepts('Target', { ticker: 'BTC', address: 'x' })).toBe(false)
  })
})
