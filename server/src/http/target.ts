import { invalidRequest, refuse } from './refusals.ts'

/** Paths are plain: no empty or dotted segments, no percent-encoding. Anything else has two readings and is refused. */
const PLAIN_PATH = /^\/(?:[A-Za-z0-9_-]+\/)*[A-Za-z0-9_-]*$/

export interface Target {
  path: string
  /** as sent, without the question mark; empty when there is none */
  query: string
}

/** Splits a raw request target. Refuses every spelling of a path but the plain one. */
export const splitTarget = (raw: string): Target => {
  const mark = raw.indexOf('?')
  const path = mark < 0 ? raw : raw.slice(0, mark)
  if (!PLAIN_PATH.test(path)) {
    throw refuse(invalidRequest, 'the path must be written plainly: no //, no dots, no percent-encoding, no host')
  }
  return { path, query: mark < 0 ? '' : raw.slice(mark + 1) }
}

/**
 * Reads a query: each key once, values decoded. A value that is empty or the text `undefined` counts as absent, as clients
 * of this API send it (`contract.md` 1.1 and 18, row 31).
 */
export const readQuery = (query: string): Record<string, string> => {
  const values: Record<string, string> = Object.create(null) as Record<string, string>
  if (query === '') return values
  const seen = new Set<string>()
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const key = decode(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : decode(pair.slice(at + 1))
    if (seen.has(key)) throw refuse(invalidRequest, `the query parameter ${key} stands twice: send it once`, { field: key })
    seen.add(key)
    if (value !== '' && value !== 'undefined') values[key] = value
  }
  return values
}

const decode = (text: string): string => {
  let decoded
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refuse(invalidRequest, 'the query is not valid percent-encoding')
  }
  if (decoded.includes('\0')) throw refuse(invalidRequest, 'the query must not hold U+0000')
  return decoded
}
