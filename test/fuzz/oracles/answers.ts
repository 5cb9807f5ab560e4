/** Rules for every answer, and for an answer of an operation by its contract. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { ErrorBody, generalErrors, operations, type Operation } from '@bursar/contract'
import type { Answer } from '../connection.ts'

const ajv = new Ajv({ strict: false, allErrors: true })
const isErrorBody = ajv.compile(ErrorBody)
const responses = new Map(
  operations.flatMap((operation) =>
    operation.response === null ? [] : [[operation.id, ajv.compile(operation.response)]],
  ),
)

export const isJson = ({ headers }: Answer): boolean => headers['content-type']?.startsWith('application/json') === true

/** @returns undefined when the body is no JSON */
export const jsonOf = ({ body }: Answer): unknown => {
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

export interface Refusal {
  code: number
  description: string
  field?: string
  requestId?: string
}

/** The body of a refusal; undefined when it is none by the contract. */
export const refusalOf = (answer: Answer): Refusal | undefined => {
  const body = jsonOf(answer)
  return isErrorBody(body) ? (body as Refusal) : undefined
}

/** In an answer that a page shows, it would be a script of the sender's. */
export const PAYLOAD = '<script>fuzz</script>'

/** The answer with its body as it was before compression. */
const decoded = (answer: Answer): Answer => {
  const encoding = answer.headers['content-encoding']
  if (encoding === 'gzip') return { ...answer, body: gunzipSync(answer.body) }
  return encoding === 'br' ? { ...answer, body: brotliDecompressSync(answer.body) } : answer
}

/** Faults that no answer may have. @param isHead the body is not sent */
export const faultsOf = (sent: Answer, isHead = false): string[] => {
  const answer = isHead || sent.body.length === 0 ? sent : decoded(sent)
  const { status, headers, body } = answer
  const faults: string[] = []
  if (!(status >= 200 && status < 500)) faults.push(`status ${status}`)
  if (headers['x-content-type-options'] !== 'nosniff' && headers['connection'] !== 'close')
    faults.push('no x-content-type-options')
  if (isHead || body.length === 0) return faults
  if (isJson(answer)) {
    if (jsonOf(answer) === undefined) faults.push('a body that is no JSON')
    else if (status >= 400 && refusalOf(answer) === undefined) faults.push('a refusal that is no ErrorBody')
  } else if (headers['content-type']?.startsWith('text/html') === true) {
    if (headers['content-security-policy'] === undefined) faults.push('a page without a content-security-policy')
    if (body.includes(PAYLOAD)) faults.push('a script of the sender')
  }
  return faults
}

const isCsv = ({ headers }: Answer): boolean => headers['content-type']?.startsWith('text/csv') === true

const csvFaultsOf = ({ csv }: Operation, { body }: Answer): string[] => {
  const text = body.toString()
  if (csv === null) return ['CSV of an operation that has none']
  return text.startsWith(`${csv.join(',')}\r\n`) && text.endsWith('\r\n') ? [] : ['CSV without its columns']
}

/** Refusals that come before any operation is known. */
const BEFORE_OPERATIONS = [generalErrors.invalidRequest, generalErrors.notFound, generalErrors.bodyTooLarge]

/** Faults of an answer by the contract of its operation. */
export const contractFaultsOf = (operation: Operation, answer: Answer, isHead = false): string[] => {
  const faults = faultsOf(answer, isHead)
  if (faults.length > 0 || isHead) return faults
  if (answer.status === operation.success) {
    if (isCsv(answer)) return csvFaultsOf(operation, answer)
    const check = responses.get(operation.id)
    if (check && !check(jsonOf(answer))) return [`not by the contract: ${ajv.errorsText(check.errors)}`]
    return []
  }
  const refusal = refusalOf(answer)
  // A form refuses with a page.
  if (refusal === undefined) return operation.signed ? [`status ${answer.status} without an ErrorBody`] : []
  const isListed = [...operation.errors, ...BEFORE_OPERATIONS].some(
    ({ status, code }) => status === answer.status && code === refusal.code,
  )
  return isListed ? [] : [`status ${answer.status} with code ${refusal.code}, which the contract does not list`]
}
