import { isUtf8 } from 'node:buffer'
import type { ErrorCode } from '@bursar/contract'
import { refusal } from '../../platform/api/route.ts'

const MOST_DEPTH = 16
/** No operation needs nearly as many keys; each unknown one costs time. */
const MOST_KEYS = 500
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/**
 * Parses a body so that every reader of its bytes gets the same value: UTF-8 without a byte order mark, no repeated key
 * in an object, no lone surrogates or U+0000 in strings, at most 16 levels deep.
 * @param code the error code of the operation for an invalid body
 */
export const parseStrict = (bytes: Buffer, code: ErrorCode): unknown => {
  if (!isUtf8(bytes)) throw refusal(code, 'the body is not valid UTF-8')
  const keys = countKeys(bytes, code)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refusal(
      code,
      text.startsWith('\ufeff') ? 'the body begins with a byte order mark: send JSON without it' : NOT_JSON,
    )
  }
  const found = text.includes('\\u') ? walk(value, (part) => checkText(part, code), code) : walk(value, ignore, code)
  // JSON.parse keeps only the last of repeated keys, so the result would have fewer.
  if (found !== keys) throw keyTwice(text, code)
  return value
}

const NOT_JSON = 'the body is not JSON: send one JSON object in UTF-8'
const ignore = (): void => {}

/**
 * Counts the keys of a text by its brackets and strings, whether it is JSON or not. @returns the number of colons
 * outside strings, which in valid JSON is the number of keys
 */
const countKeys = (bytes: Buffer, code: ErrorCode): number => {
  let depth = 0
  let colons = 0
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = endOfString(bytes, i)
    else if (byte === COLON) {
      colons += 1
      if (colons > MOST_KEYS) throw refusal(code, `the body has more than ${MOST_KEYS} keys`)
    }
    // `[` and `{` differ in one bit, as do `]` and `}`.
    else if ((byte | 0x20) === 0x7b) {
      depth += 1
      if (depth > MOST_DEPTH) throw refusal(code, `the body is nested more than ${MOST_DEPTH} levels deep`)
    } else if ((byte | 0x20) === 0x7d) depth -= 1
  }
  return colons
}

/** The index of the quote that closes the string opened at `start`, or the end of the text when none does. */
const endOfString = (bytes: Buffer, start: number): number => {
  for (let i = start + 1; i < bytes.length; i += 1) {
    if (bytes[i] === QUOTE) return i
    if (bytes[i] === BACKSLASH) i += 1
  }
  return bytes.length
}

/** Visits every string of a value, keys included. @returns the number of keys */
const walk = (value: unknown, visit: (text: string) => void, code: ErrorCode): number => {
  if (typeof value === 'string') visit(value)
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (const item of value) keys += walk(item, visit, code)
    return keys
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw refusal(code, 'a key must not be called __proto__', { field: key })
    visit(key)
    keys += 1 + walk(inner, visit, code)
  }
  return keys
}

const checkText = (text: string, code: ErrorCode): void => {
  if (!text.isWellFormed() || text.includes('\0'))
    throw refusal(code, 'a string holds a lone surrogate or U+0000: send Unicode text')
}

/** Tokens of a text that JSON.parse has accepted: strings and structural characters. */
const TOKENS = /"(?:[^"\\]+|\\.)*"|[{}[\],:]/g

/** Names the repeated key. Its cost does not matter, because it runs only for a refusal. */
const keyTwice = (text: string, code: ErrorCode) => {
  const open: Set<string>[] = []
  let last = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const key = JSON.parse(last) as string
      if (open.at(-1)!.has(key)) {
        return refusal(code, `the key ${JSON.stringify(key.slice(0, 64))} stands twice in one object: send it once`, {
          field: key.slice(0, 64),
        })
      }
      open.at(-1)!.add(key)
    }
    last = token
  }
  return refusal(code, 'a key stands twice in one object: send it once')
}
