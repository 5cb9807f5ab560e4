import { authenticationErrors, ErrorBody, generalErrors } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import type { Operation } from '../operation.ts'
import type { Json, SchemaCollector } from './schemas.ts'

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }

/** Statuses of errors after which the same request may succeed later. */
const retryable = [409, 429, 503]

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Errors of a missing screening report: not made yet (102), or never made (103). They share one status. */
const noReport = [generalErrors.notScreenedYet, generalErrors.conflict]

/** Error responses that many operations share, named after their codes. */
const shared: readonly { name: string; codes: readonly ErrorCode[] }[] = [
  { name: 'Unauthorized', codes: Object.values(authenticationErrors) },
  { name: 'NoReport', codes: noReport },
  ...Object.entries(generalErrors)
    .filter(([name, { status }]) => status !== 400 && name !== 'notScreenedYet')
    .map(([name, code]) => ({ name: capitalised(name), codes: [code] })),
]

const refusal = (codes: readonly ErrorCode[], errorSchema: Json, html: boolean): Json => ({
  description: codes.map(({ code, meaning }) => `${code}: ${meaning}`).join('. '),
  headers: { ...requestId, ...(codes.some(({ status }) => retryable.includes(status)) ? retryAfter : {}) },
  content: {
    'application/json': {
      schema: errorSchema,
      examples: Object.fromEntries(
        codes.map(({ code, meaning }) => [`code ${code}`, { value: { code, description: meaning } }]),
      ),
    },
    ...(html ? { 'text/html': { schema: { type: 'string', description: 'A readable page' } } } : {}),
  },
})

/** `components.responses`. */
export const sharedAnswers = ({ schema }: SchemaCollector): Json =>
  Object.fromEntries(shared.map(({ name, codes }) => [name, refusal(codes, schema(ErrorBody, 'open'), false)]))

const nameOfShared = (codes: readonly ErrorCode[]) =>
  shared.find((answer) => codes.length === answer.codes.length && codes.every((code) => answer.codes.includes(code)))
    ?.name

const success = ({ success: status, response, summary, csv }: Operation, { schema }: SchemaCollector): Json => {
  if (response === null) {
    const location = { description: 'The payment page', required: true, schema: { type: 'string' } }
    return { [status]: { description: 'See the payment page', headers: { Location: location } } }
  }
  const content = {
    'application/json': { schema: schema(response, 'open') },
    ...(csv === null ? {} : { 'text/csv': { schema: { type: 'string', description: `Columns: ${csv.join(', ')}` } } }),
  }
  return { [status]: { description: summary, headers: requestId, content } }
}

/** `responses` of an operation: its success response, then its errors by status. */
export const answersOf = (operation: Operation, collector: SchemaCollector): Json => {
  const refusals = Object.groupBy(operation.errors, ({ status }) => status)
  const errorSchema = collector.schema(ErrorBody, 'open')
  return {
    ...success(operation, collector),
    ...Object.fromEntries(
      Object.entries(refusals).map(([status, codes = []]) => {
        const name = nameOfShared(codes)
        if (name !== undefined) return [status, { $ref: `#/components/responses/${name}` }]
        return [status, refusal(codes, errorSchema, !operation.signed)]
      }),
    ),
  }
}
