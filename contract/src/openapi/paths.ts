import type { TObject } from 'typebox'
import type { Operation } from '../operation.ts'
import { operations } from '../operations/index.ts'
import { answersOf } from './answers.ts'
import type { Json, SchemaCollector } from './schemas.ts'

/** Every signed request has these three headers; a web form names the merchant in its body. */
const signedBy = [{ merchantId: [], signature: [], timestamp: [] }]

const parametersIn = (
  place: 'path' | 'query',
  group: TObject | null,
  lists: readonly string[],
  collector: SchemaCollector,
) =>
  Object.entries(group?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = collector.schema(property, 'open')
    // TypeBox leaves it out when every property is optional.
    const required = (group?.required as readonly string[] | undefined)?.includes(name) ?? false
    const asList = { style: 'form', explode: false, schema: { type: 'array', minItems: 1, items: { type: 'string' } } }
    return { name, in: place, required, description, ...(lists.includes(name) ? asList : { schema }) }
  })

const parametersOf = ({ params, query, lists, method, signed }: Operation, collector: SchemaCollector) => [
  ...parametersIn('path', params, [], collector),
  ...parametersIn('query', query, lists, collector),
  ...(signed ? [{ $ref: '#/components/parameters/KeyId' }] : []),
  ...(method === 'POST' && signed ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
]

const bodyOf = ({ body, contentType }: Operation, collector: SchemaCollector): Json => {
  if (body === null || contentType === null) return {}
  return { requestBody: { required: true, content: { [contentType]: { schema: collector.schema(body, 'closed') } } } }
}

const operationObject = (operation: Operation, collector: SchemaCollector): Json => {
  const { id, tag, summary, description, signed, scopes, aliases } = operation
  const slashes = aliases.filter(({ trailingSlash }) => trailingSlash).map(({ path }) => path)
  const parameters = parametersOf(operation, collector)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(slashes.length === 0 ? {} : { 'x-also-served-at': slashes }),
    security: signed ? signedBy : [],
    ...(signed ? { 'x-scopes': scopes } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation, collector),
    responses: answersOf(operation, collector),
  }
}

/** The entry of an operation for a path that older clients use. */
const aliasObject = (operation: Operation, position: number, signedAs: string | undefined, object: Json): Json => ({
  ...object,
  operationId: `${operation.id}Alias${position === 0 ? '' : position + 1}`,
  deprecated: true,
  description:
    `The same as \`${operation.method} ${operation.path}\`, which new clients use.` +
    (signedAs === undefined ? '' : ` A signature over \`${signedAs}\` with the query as sent is right here too.`),
})

/** `paths`: every operation under its own path and under the paths that older clients use. */
export const pathsOf = (collector: SchemaCollector): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  const add = (path: string, method: string, object: Json) => {
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: object }
  }
  for (const operation of operations) {
    const object = operationObject(operation, collector)
    add(operation.path, operation.method, object)
    const aliases = operation.aliases.filter(({ trailingSlash }) => !trailingSlash)
    for (const [position, { path, alsoSignedAs }] of aliases.entries()) {
      add(path, operation.method, aliasObject(operation, position, alsoSignedAs, object))
    }
  }
  return paths
}
