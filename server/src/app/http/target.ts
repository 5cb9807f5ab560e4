import type { IncomingMessage } from 'node:http'
import { refusal } from '../../platform/api/route.ts'
import { invalidRequest, notFound } from './refusals.ts'

/** Paths have no empty or dotted segments and no percent-encoding. Any other path is ambiguous and is refused. */
const PLAIN_PATH = /^\/(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_-]*$/
/** Visible ASCII without `#`. Node may decode other bytes to characters that were not sent. */
const PLAIN_QUERY = /^[!"$-~]*$/

export interface Target {
  path: string
  /** as sent, without the question mark; empty when there is none */
  query: string
}

/** The part of a raw request target before the question mark. */
export const pathOf = (raw: string): string => {
  const mark = raw.indexOf('?')
  return mark < 0 ? raw : raw.slice(0, mark)
}

/** Splits a raw request target. Refuses a path that is not plain. */
export const splitTarget = (raw: string): Target => {
  const path = pathOf(raw)
  const query = raw.slice(path.length + 1)
  if (!PLAIN_PATH.test(path)) {
    throw refusal(invalidRequest, 'the path must be written plainly: no //, no dots, no percent-encoding, no host')
  }
  if (!PLAIN_QUERY.test(query))
    throw refusal(invalidRequest, 'the query must be visible ASCII: percent-encode everything else')
  return { path, query }
}

/** The refusal of a request for an unknown path, or one that is not plain. */
export const unknownPath = ({ method, url }: IncomingMessage): unknown => {
  try {
    return refusal(notFound, `there is no ${method} ${splitTarget(url ?? '').path}: see /docs`)
  } catch (error) {
    return error
  }
}

/**
 * Reads a query: each key once, values decoded. An empty value or the text `undefined` counts as absent, because
 * clients of this API send it (`contract.md` 1.1 and 18, row 31). Parameters that are not in `known` are ignored.
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
      throw refusal(invalidRequest, `the query parameter ${key} stands twice: send it once`, { field: key })
    seen.push(key)
    if (seen.length > MOST_PARAMETERS)
      throw refusal(invalidRequest, `the query has more than ${MOST_PARAMETERS} parameters`)
    if (value !== '' && value !== 'undefined' && known.includes(key)) values[key] = value
  }
  return values
}

/**
 * Reads the query of a page leniently, because links get parameters added: unreadable ones are ignored, and the first
 * of each name counts.
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
    throw refusal(invalidRequest, 'the query is not valid percent-encoding of UTF-8')
  }
  if (decoded.includes('\0')) throw refusal(invalidRequest, 'the query must not hold U+0000')
  return decoded
}
