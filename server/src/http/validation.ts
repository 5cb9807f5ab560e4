import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { generalErrors, type ErrorCode, type Operation } from '@bursar/contract'
import { ApiRefusal } from '../platform/route.ts'

/** Nothing is coerced and nothing removed: what a client sends is what is judged. */
const ajv = new Ajv({ coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false, verbose: true, strict: false })

export type Validator = (value: unknown) => void

/** The code an operation answers for a request that does not fit its schemas (`contract.md` 18, rows 3 and 4). */
export const validationCodeOf = ({ validationCode }: Operation): ErrorCode => ({ ...generalErrors.invalidRequest, code: validationCode })

/** A function that throws the refusal for a value that does not fit the schema. */
export const validatorOf = (schema: object, code: ErrorCode): Validator => {
  const validate: ValidateFunction = ajv.compile(JSON.parse(JSON.stringify(schema)) as object)
  return (value) => {
    if (validate(value)) return
    const { field, description } = explain(validate.errors!.at(-1)!)
    throw new ApiRefusal(code.status, code.code, description, field === '' ? {} : { field })
  }
}

interface Explanation {
  field: string
  description: string
}

const explain = (error: ErrorObject): Explanation => {
  const field = pathOf(error.instancePath)
  const schema = error.parentSchema as { description?: string; properties?: Record<string, { description?: string }> }
  const name = field === '' ? 'the body' : field
  switch (error.keyword) {
    case 'required': {
      const missing = String(error.params.missingProperty)
      const inner = join(field, missing)
      return { field: inner, description: `${inner} is missing. ${schema.properties?.[missing]?.description ?? ''}`.trim() }
    }
    case 'additionalProperties':
      return explainUnknown(field, error.data as object, Object.keys(schema.properties ?? {}))
    case 'type':
      return { field, description: explainType(name, error, schema.description) }
    default:
      return { field, description: `${name} is not valid. ${schema.description ?? error.message ?? ''}`.trim() }
  }
}

const explainUnknown = (field: string, data: object, known: readonly string[]): Explanation => {
  const unknown = Object.keys(data).filter((key) => !known.includes(key))
  const listed = unknown.map((key) => JSON.stringify(key.slice(0, 64))).join(', ')
  return { field: join(field, unknown[0]!), description: `unknown field ${listed}: there are ${known.join(', ')}` }
}

const explainType = (name: string, error: ErrorObject, description: string | undefined): string => {
  const wanted = String(error.params.type)
  if (wanted === 'string' && typeof error.data === 'number') return `${name} must be a string: send "${error.data}" in quotes, not a number`
  const given = error.data === null ? 'null' : Array.isArray(error.data) ? 'an array' : `a ${typeof error.data}`
  return `${name} must be of type ${wanted}, not ${given}. ${description ?? ''}`.trim()
}

const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
