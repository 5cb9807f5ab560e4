import type { Node } from '../../server/src/platform/config/shape.ts'

/**
 * Returns the JSON Schema of a settings file for editors. It has all of Bursar's checks except rules that compare
 * members.
 */
export const jsonSchemaOf = (name: string, shape: Node): object => {
  const { properties, description, ...rest } = plain(shape) as Node
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: name === 'setup' ? 'answers of bursar setup' : `BURSAR_${name.toUpperCase()}_FILE`,
    description,
    ...rest,
    properties: { $schema: { type: 'string', description: 'where this schema is, for editors' }, ...properties },
  }
}

/** Returns a schema without the keywords that only Bursar reads; objects allow no other members. */
const plain = (shape: Node): object => {
  const { says: _, unit, absent: __, key: ___, keySays: ____, description, ...rest } = shape
  const words = [description, unit && `(${unit})`].filter((word) => word !== undefined && word !== '').join(' ')
  return {
    ...(words === '' ? {} : { description: words }),
    ...rest,
    ...(shape.properties && { properties: plainOnes(shape.properties) }),
    ...(shape.patternProperties && { patternProperties: plainOnes(shape.patternProperties) }),
    ...(shape.type === 'object' && { additionalProperties: false }),
    ...(shape.items && { items: plain(shape.items) }),
    ...(shape.anyOf && { anyOf: shape.anyOf.map(plain) }),
  }
}

const plainOnes = (shapes: Record<string, Node>): Record<string, object> =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, plain(shape)]))
