import { isUtf8 } from 'node:buffer'
import { generalErrors } from '@bursar/contract'
import type { PageRequest } from '../../platform/api/page.ts'
import { validatorOf } from '../../platform/api/validation.ts'
import { decodeParts, type Pairs } from './multipart.ts'
import { isNearMiss } from './near-misses.ts'
import { refusal } from './refusal.ts'

export type FormFields = Readonly<Record<string, string>>

type Request = Pick<PageRequest, 'headers' | 'body'>

/** More pairs than any form of ours has fields. */
const MOST_FIELDS = 64
const LONGEST_BUTTON = 64

/**
 * Reads a web form by the schema of an operation: as browsers send it (`application/x-www-form-urlencoded` or
 * `multipart/form-data`), or as a JSON object of texts. An empty field counts as absent, as browsers send every input,
 * and so does the submit button's name. A field sent twice, one that looks like a mistyped field of ours, and text that
 * is no UTF-8 are refused by name.
 */
export const createFormReader = (schema: { properties?: object }): ((request: Request) => FormFields) => {
  const check = validatorOf(schema, generalErrors.invalidRequest, 'the form')
  const known = Object.keys(schema.properties ?? {})
  return (request) => {
    const fields = withoutButton(collect(pairsOf(request)), known)
    check(fields)
    return fields
  }
}

const pairsOf = ({ headers, body }: Request): Pairs => {
  const type = headers['content-type'] ?? ''
  switch (type.split(';')[0]!.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return decodeForm(body)
    case 'multipart/form-data':
      return decodeParts(body, type)
    case 'application/json':
      return decodeJson(body)
    default:
      throw refusal('send the form as application/x-www-form-urlencoded, multipart/form-data or application/json')
  }
}

const decodeForm = (body: Buffer): Pairs =>
  body
    .toString('latin1')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      const name = decodeText(at < 0 ? pair : pair.slice(0, at), 'a name of a field')
      return [name, at < 0 ? '' : decodeText(pair.slice(at + 1), name)]
    })

const decodeText = (text: string, name: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refusal(`${name.slice(0, 64)} is not percent-encoded UTF-8`, name)
  }
}

const decodeJson = (body: Buffer): Pairs => {
  let value: unknown
  try {
    value = isUtf8(body) ? JSON.parse(body.toString('utf8')) : undefined
  } catch {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal('the form is no JSON object')
  // Of equal names JSON.parse keeps the last: a reader that takes the first sees another form.
  const names = [...body.toString('utf8').matchAll(STRINGS)].filter(([, colon]) => colon !== undefined)
  const fields = Object.entries(value).map(([name, text]): Pairs[number] => {
    if (typeof text !== 'string') throw refusal(`${name.slice(0, 64)} must be a text in quotes, as a form has it`, name)
    return [name, text]
  })
  if (names.length !== fields.length) throw refusal('a field is sent twice: send it once')
  return fields
}

/** Each string of a JSON text, and the colon behind it where it is a name. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

const collect = (pairs: Pairs): Record<string, string> => {
  if (pairs.length > MOST_FIELDS) throw refusal(`a form has at most ${MOST_FIELDS} fields`)
  const fields: Record<string, string> = {}
  for (const [name, value] of pairs) {
    if (value === '') continue
    if (Object.hasOwn(fields, name)) throw refusal(`${name.slice(0, 64)} is sent twice: send it once`, name)
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}

/** An image button sends where it was clicked, `NAME.x` and `NAME.y`. */
const buttonOf = (name: string): string => name.replace(/\.[xy]$/, '')

/**
 * A browser sends the button that was pressed, where that has a name. There is one, and it is not like a name of ours.
 */
const withoutButton = (fields: Record<string, string>, known: readonly string[]): Record<string, string> => {
  const unknown = Object.keys(fields).filter((name) => !known.includes(name))
  const isButton = (name: string): boolean =>
    name.length <= LONGEST_BUTTON &&
    /^[A-Za-z][\w.:-]*$/.test(name) &&
    !(name in {}) &&
    !isNearMiss(buttonOf(name), known)
  if (unknown.length === 0 || !unknown.every(isButton) || new Set(unknown.map(buttonOf)).size > 1) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !unknown.includes(name)))
}
