import { isUtf8 } from 'node:buffer'
import { generalErrors } from '@bursar/contract'
import type { PageRequest } from '../../platform/api/page.ts'
import { validatorOf } from '../../platform/api/validation.ts'
import { decodeParts, type Pairs } from './multipart.ts'
import { isNearMiss } from './near-misses.ts'
import { formRefusal } from './refusal.ts'

export type FormFields = Readonly<Record<string, string>>

type Request = Pick<PageRequest, 'headers' | 'body'>

/** More than the fields of any form of ours. */
const MOST_FIELDS = 64
const LONGEST_BUTTON = 64

/**
 * Reads a web form by the schema of an operation: as browsers send it (`application/x-www-form-urlencoded` or
 * `multipart/form-data`), or as a JSON object of strings. An empty field counts as absent, because browsers send every
 * input; so does the name of the submit button. Refuses, by name, a field that is sent twice, one that looks like a
 * mistyped field of ours, and text that is not UTF-8.
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
      throw formRefusal('send the form as application/x-www-form-urlencoded, multipart/form-data or application/json')
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
    throw formRefusal(`${name.slice(0, 64)} is not percent-encoded UTF-8`, name)
  }
}

const decodeJson = (body: Buffer): Pairs => {
  let value: unknown
  try {
    value = isUtf8(body) ? JSON.parse(body.toString('utf8')) : undefined
  } catch {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw formRefusal('the form is no JSON object')
  // JSON.parse uses the last of equal names; a reader that uses the first would see a different form.
  const names = [...body.toString('utf8').matchAll(STRINGS)].filter(([, colon]) => colon !== undefined)
  const fields = Object.entries(value).map(([name, text]): Pairs[number] => {
    if (typeof text !== 'string')
      throw formRefusal(`${name.slice(0, 64)} must be a text in quotes, as a form has it`, name)
    return [name, text]
  })
  if (names.length !== fields.length) throw formRefusal('a field is sent twice: send it once')
  return fields
}

/** Matches each string of a JSON text, with the colon after it if it is a name. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

const collect = (pairs: Pairs): Record<string, string> => {
  if (pairs.length > MOST_FIELDS) throw formRefusal(`a form has at most ${MOST_FIELDS} fields`)
  const fields: Record<string, string> = {}
  for (const [name, value] of pairs) {
    if (value === '') continue
    if (Object.hasOwn(fields, name)) throw formRefusal(`${name.slice(0, 64)} is sent twice: send it once`, name)
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}

/** An image button sends the position of the click as `NAME.x` and `NAME.y`. */
const buttonOf = (name: string): string => name.replace(/\.[xy]$/, '')

/**
 * Removes the button that was pressed, which a browser sends if it has a name. There is at most one, and its name does
 * not resemble a field name of ours.
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
