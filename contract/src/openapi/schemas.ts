import type { TSchema } from 'typebox'

export type Json = { readonly [key: string]: unknown }

/** Whether objects reject unlisted fields: those of requests do; responses and notifications may gain fields. */
type Openness = 'closed' | 'open'

/** Collects schemas that have a title as components, and refers to them by title. */
export interface SchemaCollector {
  readonly components: () => Json
  /** Converts a schema to OpenAPI: a `$ref` when it has a title. */
  readonly schema: (schema: TSchema, openness: Openness) => Json
}

/** Converts the keywords that contain schemas, and those that JSON Schema 2020-12 writes differently. */
const write = (node: Json, openness: Openness, refer: (schema: Json) => Json): Json => {
  const { properties, items, anyOf, dependencies, additionalProperties, enum: values, ...rest } = node
  const each = (schemas: Json) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, refer(schema as Json)]))
  return {
    ...rest,
    ...(values === undefined ? {} : { type: 'string', enum: values }),
    ...(properties === undefined ? {} : { properties: each(properties as Json) }),
    ...(items === undefined ? {} : { items: refer(items as Json) }),
    ...(anyOf === undefined ? {} : { anyOf: (anyOf as Json[]).map(refer) }),
    ...(dependencies === undefined ? {} : { dependentRequired: dependencies }),
    ...(additionalProperties === undefined || openness === 'open' ? {} : { additionalProperties }),
  }
}

export const schemaCollector = (): SchemaCollector => {
  const components = new Map<string, Json>()

  const refer =
    (openness: Openness) =>
    (node: Json): Json => {
      const { title, ...untitled } = node
      if (typeof title !== 'string') return write(node, openness, refer(openness))
      const written = write(untitled, openness, refer(openness))
      const known = components.get(title)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written)) {
        throw new Error(`two schemas have the title ${title}: give one of them another`)
      }
      components.set(title, written)
      return { $ref: `#/components/schemas/${title}` }
    }

  return {
    schema: (schema, openness) => refer(openness)(schema as unknown as Json),
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}
