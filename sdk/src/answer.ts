import { BursarError } from './errors.ts'
import type { ErrorBody } from './generated.ts'
import type { PreparedRequest } from './request.ts'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isErrorBody = (value: unknown): value is ErrorBody =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  Number.isInteger(value.code) &&
  'description' in value &&
  typeof value.description === 'string'

const retryAfterMs = (headers: Headers): number | undefined => {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

/** Makes the error for an unsuccessful answer. Long error pages of a proxy are cut. */
const errorOf = ({ status, statusText, headers }: Response, text: string): BursarError => {
  const body = parsed(text)
  const common = { status, requestId: headers.get('x-request-id') ?? undefined, retryAfterMs: retryAfterMs(headers) }
  if (!isErrorBody(body)) {
    const description = text.trim().slice(0, 200) || statusText || 'empty answer'
    return new BursarError({ ...common, code: null, description })
  }
  const { code, description, field, requestId } = body
  return new BursarError({ ...common, code, description, field, ...(requestId === undefined ? {} : { requestId }) })
}

/**
 * Reads the answer to a call: the body of a 200, or the target of a form's redirect. Throws `BursarError` for anything
 * else.
 */
export const readAnswer = async (response: Response, { url, isForm }: PreparedRequest): Promise<unknown> => {
  const text = await response.text()
  const location = response.headers.get('location')
  if (isForm && response.status === 303 && location !== null) return { url: new URL(location, url).href }
  if (!response.ok) throw errorOf(response, text)
  const body = parsed(text)
  if (body === undefined) throw errorOf(response, text)
  return body
}
