import { Ajv } from 'ajv'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ErrorBody } from './errors.ts'
import { notifications } from './notifications/index.ts'
import { operations } from './operations/index.ts'

/** A schema as data, without the types of typebox. */
interface Node {
  type?: string
  title?: string
  properties?: Record<string, Node>
  items?: Node
  anyOf?: Node[]
  additionalProperties?: unknown
  examples?: unknown[]
}

const ajv = new Ajv({ strict: true, allowUnionTypes: false })

const nodes = (schema: Node): Node[] => [
  schema,
  ...[
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? []),
  ].flatMap(nodes),
]

const all: { name: string; schema: TSchema }[] = [
  { name: 'ErrorBody', schema: ErrorBody },
  ...operations.flatMap(({ id, params, query, body, response }) =>
    Object.entries({ params, query, body, response }).flatMap(([part, schema]) =>
      schema === null ? [] : [{ name: `${id}.${part}`, schema }])),
  ...notifications.map(({ name, schema }) => ({ name, schema })),
]

describe('every schema', () => {
  test.each(all)('$name compiles in strict mode and accepts its examples', ({ schema }) => {
    ajv.compile(schema)
    for (const node of nodes(schema as Node)) {
      const validate = ajv.compile(node)
      for (const example of node.examples ?? []) {
        expect(validate(example), JSON.stringify({ example, errors: validate.errors })).toBe(true)
      }
    }
  })

  test('with the same title is the same', () => {
    const byTitle = new Map<string, Node>()
    for (const node of all.flatMap(({ schema }) => nodes(schema as Node))) {
      if (node.title === undefined) continue
      expect(node, node.title).toEqual(byTitle.get(node.title) ?? node)
      byTitle.set(node.title, node)
    }
    expect(byTitle.size).toBeGreaterThan(50)
  })
})

test('request bodies are closed at every level and have an example', () => {
  for (const { id, body } of operations) {
    if (body === null) continue
    const objects = nodes(body as Node).filter(({ type }) => type === 'object')
    for (const { additionalProperties } of objects) expect(additionalProperties, id).toBe(false)
    expect((body as Node).examples, id).toHaveLength(1)
  }
})

test('query and answer schemas are open: unknown parameters are ignored, answers may gain fields', () => {
  for (const { id, query, response } of operations) {
    if (query !== null) expect((query as Node).additionalProperties, id).toBeUndefined()
    if (response !== null && (response as Node).type === 'object' && !id.endsWith('Compliance')) {
      expect((response as Node).additionalProperties, id).toBeUndefined()
    }
  }
})
