import { generalErrors } from '@bursar/contract'
import type { PageRequest } from '../platform/page.ts'
import { ApiRefusal } from '../platform/route.ts'
import { validatorOf } from '../platform/validation.ts'

export type FormFields = Readonly<Record<string, string>>

/** More pairs than any form of ours has fields. */
const MOST_FIELDS = 64
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/**
 * Reads `application/x-www-form-urlencoded` by the schema of an operation. An empty field counts as absent, as browsers send
 * every input; a field sent twice, an unknown one and text that is no UTF-8 are refused by name.
 */
export const createFormReader = (schema: object): ((request: Pick<PageRequest, 'headers' | 'body'>) => FormFields) => {
  const check = validatorOf(schema, generalErrors.invalidRequest, 'the form')
  return ({ headers, body }) => {
    if (!FORM.test(headers['content-type'] ?? '')) throw refusal('send the form as application/x-www-form-urlencoded')
    const fields = decodeForm(body)
    check(fields)
    return fields
  }
}

const decodeForm = (body: Buffer): Record<string, string> => {
  const fields: Record<string, string> = {}
  const pairs = body.toString('latin1').split('&').filter((pair) => pair !== '')
  if (pairs.length > MOST_FIELDS) throw refusal(`a form has at most ${MOST_FIELDS} fields`)
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = decodeText(at < 0 ? pair : pair.slice(0, at), 'a name of a field')
    const value = at < 0 ? '' : decodeText(pair.slice(at + 1), name)
    if (value === '') continue
    if (Object.hasOwn(fields, name)) throw refusal(`${name.slice(0, 64)} is sent twice: send it once`, name)
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}

const decodeText = (text: string, name: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refusal(`${name.slice(0, 64)} is not percent-encoded UTF-8`, name)
  }
}

const refusal = (description: string, field?: string): ApiRefusal =>
  new ApiRefusal(generalErrors.invalidRequest.status, generalErrors.invalidRequest.code, description, field === undefined ? {} : { field: field.slice(0, 64) })
