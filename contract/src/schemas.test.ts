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
      schema === null ? [] : [{ name: `${id}.${part}`, schema }],
    ),
  ),
  ...notifications.map(({ name, schema }) => ({ name, schema })),
]

describe('every schema', () => {
  test.each(all)('$name compiles in strict mode and accepts its examples', ({ schema }) => {
    ajv.compile(schema)
    for (const node of nodes(schema as Node)) {
      const validate = ajv.compile(node)
      for (const example of node.examples ?? []) {
        expect(validate(example) ? [] : { example, errors: validate.errors }).toEqual([])
      }
    }
  })

  test('with the same title is the same', () => {
    const byTitle = new Map<string, Node>()
    for (const node of all.flatMap(({ schema }) => nodes(schema as Node))) {
      if (node.title === undefined) continue
      expect(node).toEqual(byTitle.get(node.title) ?? node)
      byTitle.set(node.title, node)
    }
    expect(byTitle.size).toBeGreaterThan(50)
  })
})

/** The schemas of one part of all operations that have it. */
const partsOf = (part: 'query' | 'body' | 'response') =>
  operations.flatMap(({ id, [part]: schema }) => (schema === null ? [] : [{ id, node: schema as Node }]))

test.each(partsOf('body'))('the body of $id is closed at every level and has an example', ({ node }) => {
  const objects = nodes(node).filter(({ type }) => type === 'object')
  expect(objects.map(({ additionalProperties }) => additionalProperties)).toEqual(objects.map(() => false))
  expect(node.examples).toHaveLength(1)
})

test.each(partsOf('query'))('unknown query parameters of $id are ignored', ({ node }) => {
  expect(node.additionalProperties).toBeUndefined()
})

// A screening report has exactly the keys of the contract, in a notification and in a lookup.
const answers = partsOf('response').filter(({ id }) => !id.endsWith('Compliance'))

test.each(answers)('the answer of $id may gain fields', ({ node }) => {
  expect(node.additionalProperties).toBeUndefined()
})
