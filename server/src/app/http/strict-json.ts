import { isUtf8 } from 'node:buffer'
import type { ErrorCode } from '@bursar/contract'
import { refuse } from './refusals.ts'

const MOST_DEPTH = 16
/** No operation takes nearly as many; each unknown one costs time. */
const MOST_KEYS = 500
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/**
 * Parses a body whose meaning must be the same for everyone who reads its bytes: UTF-8 without a byte order mark, no
 * key twice in an object, no lone surrogates or U+0000 in strings, at most 16 levels deep.
 * @param code what the operation answers for a body that is not valid
 */
export const parseStrict = (bytes: Buffer, code: ErrorCode): unknown => {
  if (!isUtf8(bytes)) throw refuse(code, 'the body is not valid UTF-8')
  const keys = countKeys(bytes, code)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuse(
      code,
      text.startsWith('\ufeff') ? 'the body begins with a byte order mark: send JSON without it' : NOT_JSON,
    )
  }
  const found = text.includes('\\u') ? walk(value, (part) => checkText(part, code), code) : walk(value, ignore, code)
  // JSON.parse keeps the last of equal keys, so that fewer come out than went in.
  if (found !== keys) throw keyTwice(text, code)
  return value
}

const NOT_JSON = 'the body is not JSON: send one JSON object in UTF-8'
const ignore = (): void => {}

/**
 * Follows brackets and strings, whether the text is JSON or not. @returns colons outside strings: the keys of valid
 * JSON
 */
const countKeys = (bytes: Buffer, code: ErrorCode): number => {
  let depth = 0
  let colons = 0
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = endOfString(bytes, i)
    else if (byte === COLON) {
      colons += 1
      if (colons > MOST_KEYS) throw refuse(code, `the body has more than ${MOST_KEYS} keys`)
    }
    // `[` and `{` differ in one bit, as do `]` and `}`.
    else if ((byte | 0x20) === 0x7b) {
      depth += 1
      if (depth > MOST_DEPTH) throw refuse(code, `the body is nested more than ${MOST_DEPTH} levels deep`)
    } else if ((byte | 0x20) === 0x7d) depth -= 1
  }
  return colons
}

/** The index of the quote that ends the string begun at `start`, or the end of a text that never ends it. */
const endOfString = (bytes: Buffer, start: number): number => {
  for (let i = start + 1; i < bytes.length; i += 1) {
    if (bytes[i] === QUOTE) return i
    if (bytes[i] === BACKSLASH) i += 1
  }
  return bytes.length
}

/** Visits every text of a value, keys included. @returns how many keys there are */
const walk = (value: unknown, visit: (text: string) => void, code: ErrorCode): number => {
  if (typeof value === 'string') visit(value)
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (const item of value) keys += walk(item, visit, code)
    return keys
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw refuse(code, 'a key must not be called __proto__', { field: key })
    visit(key)
    keys += 1 + walk(inner, visit, code)
  }
  return keys
}

const checkText = (text: string, code: ErrorCode): void => {
  if (!text.isWellFormed() || text.includes('\0'))
    throw refuse(code, 'a string holds a lone surrogate or U+0000: send Unicode text')
}

/** Strings and structure of a text that JSON.parse has accepted. */
const TOKENS = /"(?:[^"\\]+|\\.)*"|[{}[\],:]/g

/** Says which key stands twice. Only reached when one does, so its cost does not matter. */
const keyTwice = (text: string, code: ErrorCode) => {
  const open: Set<string>[] = []
  let last = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const key = JSON.parse(last) as string
      if (open.at(-1)!.has(key)) {
        return refuse(code, `the key ${JSON.stringify(key.slice(0, 64))} stands twice in one object: send it once`, {
          field: key.slice(0, 64),
        })
      }
      open.at(-1)!.add(key)
    }
    last = token
  }
  return refuse(code, 'a key stands twice in one object: send it once')
}
