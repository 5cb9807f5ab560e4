import { invalidRequest, refuse } from './refusals.ts'
import type { ErrorCode } from '@bursar/contract'

const MOST_DEPTH = 16
/** Strings, brackets and colons: enough to follow structure in a text that JSON.parse has accepted. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a body whose meaning must be the same for everyone who reads its bytes: UTF-8 without a byte order mark, no key
 * twice in an object, no lone surrogates or U+0000 in strings, at most 16 levels deep.
 * @param code what the operation answers for a body that is not valid
 */
export const parseStrict = (bytes: Uint8Array, code: ErrorCode = invalidRequest): unknown => {
  const text = decode(bytes, code)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse(code, 'the body is not JSON: send one JSON object in UTF-8')
  }
  checkStructure(text, code)
  if (text.includes('\\u')) checkStrings(value, code)
  return value
}

const decode = (bytes: Uint8Array, code: ErrorCode): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refuse(code, 'the body is not valid UTF-8')
  }
}

const checkStructure = (text: string, code: ErrorCode): void => {
  const open: (Set<string> | null)[] = []
  let last = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > MOST_DEPTH) throw refuse(code, `the body is nested more than ${MOST_DEPTH} levels deep`)
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') noteKey(open.at(-1), last, code)
    last = token
  }
}

const noteKey = (keys: Set<string> | null | undefined, quoted: string, code: ErrorCode): void => {
  const key = JSON.parse(quoted) as string
  if (FORBIDDEN_KEYS.has(key)) throw refuse(code, `a key must not be called ${key}`, { field: key })
  if (keys?.has(key)) throw refuse(code, `the key ${JSON.stringify(key)} stands twice in one object: send it once`, { field: key })
  keys?.add(key)
}

const checkStrings = (value: unknown, code: ErrorCode): void => {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) throw refuse(code, 'a string holds a lone surrogate or U+0000: send Unicode text')
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      checkStrings(key, code)
      checkStrings(inner, code)
    }
  }
}
