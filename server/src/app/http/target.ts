import type { IncomingMessage } from 'node:http'
import { invalidRequest, notFound, refuse } from './refusals.ts'

/** Paths are plain: no empty or dotted segments, no percent-encoding. Anything else has two readings and is refused. */
const PLAIN_PATH = /^\/(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_-]*$/
/** Visible ASCII without `#`. Node hands over other bytes as characters they may not have been. */
const PLAIN_QUERY = /^[!"$-~]*$/

export interface Target {
  path: string
  /** as sent, without the question mark; empty when there is none */
  query: string
}

/** What stands before the question mark of a raw request target. */
export const pathOf = (raw: string): string => {
  const mark = raw.indexOf('?')
  return mark < 0 ? raw : raw.slice(0, mark)
}

/** Splits a raw request target. Refuses every spelling of a path but the plain one. */
export const splitTarget = (raw: string): Target => {
  const path = pathOf(raw)
  const query = raw.slice(path.length + 1)
  if (!PLAIN_PATH.test(path)) {
    throw refuse(invalidRequest, 'the path must be written plainly: no //, no dots, no percent-encoding, no host')
  }
  if (!PLAIN_QUERY.test(query))
    throw refuse(invalidRequest, 'the query must be visible ASCII: percent-encode everything else')
  return { path, query }
}

/** Why nothing answers a request: its path is none of ours, or not written plainly. */
export const unknownPath = ({ method, url }: IncomingMessage): unknown => {
  try {
    return refuse(notFound, `there is no ${method} ${splitTarget(url ?? '').path}: see /docs`)
  } catch (error) {
    return error
  }
}

/**
 * Reads a query: each key once, values decoded. A value that is empty or the text `undefined` counts as absent, as
 * clients of this API send it (`contract.md` 1.1 and 18, row 31). So does a parameter that is not in `known`.
 */
export const readQuery = (query: string, known: readonly string[]): Record<string, string> => {
  const values: Record<string, string> = {}
  if (query === '') return values
  const seen: string[] = []
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const key = decode(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : decode(pair.slice(at + 1))
    if (seen.includes(key))
      throw refuse(invalidRequest, `the query parameter ${key} stands twice: send it once`, { field: key })
    seen.push(key)
    if (seen.length > MOST_PARAMETERS)
      throw refuse(invalidRequest, `the query has more than ${MOST_PARAMETERS} parameters`)
    if (value !== '' && value !== 'undefined' && known.includes(key)) values[key] = value
  }
  return values
}

/**
 * Reads the query of a page. Links are passed on with things added to them: what can't be read is left out, the first
 * of a name counts.
 */
export const readPageQuery = (query: string): Record<string, string> => {
  const values: Record<string, string> = Object.create(null) as Record<string, string>
  for (const pair of query.split('&', MOST_PARAMETERS)) {
    const at = pair.indexOf('=')
    try {
      const key = decode(at < 0 ? pair : pair.slice(0, at))
      if (key !== '') values[key] ??= at < 0 ? '' : decode(pair.slice(at + 1))
    } catch {
      continue
    }
  }
  return values
}

const MOST_PARAMETERS = 64
const ENCODED = /[%+]/

const decode = (text: string): string => {
  if (!ENCODED.test(text)) return text
  let decoded
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refuse(invalidRequest, 'the query is not valid percent-encoding of UTF-8')
  }
  if (decoded.includes('\0')) throw refuse(invalidRequest, 'the query must not hold U+0000')
  return decoded
}
