import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { generalErrors, type ErrorCode, type Operation } from '@bursar/contract'
import { withoutCardNumbers } from './card-numbers.ts'
import { refusal } from './route.ts'

/** Nothing is coerced, removed or filled in: the request is validated as the client sent it. */
const ajv = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  verbose: true,
  strict: true,
})

export type Validator = (value: unknown) => void

/** The error of an operation for a request that does not match its schemas (`contract.md` 18, rows 3 and 4). */
export const validationCodeOf = ({ validationCode }: Operation): ErrorCode => ({
  ...generalErrors.invalidRequest,
  code: validationCode,
})

/**
 * Creates a function that throws an ApiRefusal for a value that does not match the schema. The schema is compiled for
 * the first value: an api that starts would need a seventh of its processor time for all of them.
 * @param whole name of the value itself in descriptions
 */
export const validatorOf = (schema: object, code: ErrorCode, whole: string): Validator => {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return
    const { field, description } = explain(validate.errors!.at(-1)!, whole)
    throw refusal(code, description, field === '' ? {} : { field })
  }
}

interface Explanation {
  field: string
  description: string
}

interface Described {
  description?: string
  properties?: Record<string, Described>
}

const explain = (error: ErrorObject, whole: string): Explanation => {
  const field = pathOf(error.instancePath)
  const schema = error.parentSchema as Described
  const name = field === '' ? whole : field
  switch (error.keyword) {
    case 'required':
    case 'dependencies': {
      const missing = String(error.params.missingProperty)
      const inner = join(field, missing)
      return {
        field: inner,
        description: `${inner} is missing. ${schema.properties?.[missing]?.description ?? ''}`.trim(),
      }
    }
    case 'additionalProperties':
      return explainUnknown(field, error.data as object, Object.keys(schema.properties ?? {}))
    case 'type':
      return { field, description: explainType(name, error, schema.description) }
    case 'enum': {
      const allowed = (error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')
      return { field, description: `${name} must be one of ${allowed}. ${schema.description ?? ''}`.trim() }
    }
    default:
      return { field, description: `${name} is not valid. ${schema.description ?? error.message ?? ''}`.trim() }
  }
}

const MOST_LISTED = 10

/** Names all unknown fields, so that a client can correct them at once. */
const explainUnknown = (field: string, data: object, known: readonly string[]): Explanation => {
  const unknown = Object.keys(data).filter((key) => !known.includes(key))
  const listed = unknown
    .slice(0, MOST_LISTED)
    .map((key) => JSON.stringify(key.slice(0, 64)))
    .join(', ')
  const more = unknown.length > MOST_LISTED ? ` and ${unknown.length - MOST_LISTED} more` : ''
  return {
    field: join(field, unknown[0]!.slice(0, 64)),
    description: `unknown field ${listed}${more}: there are ${known.join(', ')}`,
  }
}

const explainType = (name: string, error: ErrorObject, description: string | undefined): string => {
  const wanted = String(error.params.type)
  if (wanted === 'string' && typeof error.data === 'number')
    return `${name} must be a string: send "${withoutCardNumbers(String(error.data))}" in quotes, not a number`
  const given =
    error.data === null
      ? 'null'
      : Array.isArray(error.data)
        ? 'an array'
        : `${typeof error.data === 'object' ? 'an' : 'a'} ${typeof error.data}`
  return `${name} must be of type ${wanted}, not ${given}. ${description ?? ''}`.trim()
}

/** Converts `/target/blockchain` to `target.blockchain`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
