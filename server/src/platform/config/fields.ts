import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import Type, { type TOptional, type TSchema } from 'typebox'
import { withRule } from './shape.ts'

/** Types of members of settings files: TypeBox schemas, with texts for people in `says`, `unit` and `absent`. */

interface Words<Value> {
  /** the default value */
  standard?: Value
  /** the default in words, when it is not a single value */
  absent?: string
  unit?: string
  /** what to write, when the schema alone does not describe it well */
  says?: string
}

const wordsOf = <Value>(description: string, { standard, ...words }: Words<Value>) => ({
  description,
  ...words,
  ...(standard === undefined ? {} : { default: standard }),
})

export const flag = (description: string, words: Words<boolean> = {}) => Type.Boolean(wordsOf(description, words))

interface Bounds {
  least?: number
  most?: number
}

const boundsOf = ({ least, most }: Bounds) => ({
  ...(least === undefined ? {} : { minimum: least }),
  ...(most === undefined ? {} : { maximum: most }),
})

/** A whole number, above 0 unless `least` says otherwise. */
export const count = (description: string, { least = 1, most, ...words }: Bounds & Words<number> = {}) =>
  Type.Integer({ ...wordsOf(description, words), ...boundsOf({ least, ...(most !== undefined && { most }) }) })

/** A number that need not be whole. */
export const number = (description: string, { least, most, ...words }: Bounds & Words<number> = {}) =>
  Type.Number({
    ...wordsOf(description, words),
    ...boundsOf({ ...(least !== undefined && { least }), ...(most !== undefined && { most }) }),
  })

export const choice = <const Choice extends string | number>(
  description: string,
  choices: readonly Choice[],
  words: Words<Choice> = {},
) => Type.Unsafe<Choice>({ enum: choices, ...wordsOf(description, words) })

/** A string that is not empty. `says` describes it; `pattern` is its syntax. */
export const text = (description: string, { pattern = '\\S', ...words }: Words<string> & { pattern?: string } = {}) =>
  Type.String({ ...wordsOf(description, words), pattern })

/** A whole number from 0 as a string of digits, because it may exceed the exact range of JSON numbers. */
export const digits = (description: string, words: Words<string> = {}) =>
  text(description, { ...words, pattern: '^\\d{1,30}$', says: 'a whole number written as a string, such as "1000"' })

/** A whole number from `least` (0 when absent), as a number or as a string of digits. */
export const whole = (
  description: string,
  { least = 0, most, standard, ...words }: Bounds & Words<number | bigint> = {},
) => {
  const shape = Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    ...wordsOf<number | string>(
      description,
      standard === undefined ? words : { ...words, standard: plainOf(standard) },
    ),
    ...boundsOf({ least, ...(most !== undefined && { most }) }),
    pattern: '^\\d{1,30}$',
    says: wholeInWords(least, most),
  })
  const fits = (value: number | string): boolean =>
    BigInt(value) >= BigInt(least) && (most === undefined || BigInt(value) <= BigInt(most))
  return Type.Refine(shape, (value) => typeof value === 'number' || !/^\d{1,30}$/.test(value) || fits(value))
}

const wholeInWords = (least: number, most: number | undefined): string => {
  if (least === most) return String(least)
  if (most !== undefined) return `a whole number from ${least} to ${most}`
  return least === 0 ? 'a whole number' : least === 1 ? 'a whole number above 0' : `a whole number of at least ${least}`
}

/** Overrides defaults with the members of a file: `whole` members become a number or a bigint, as the default is. */
export const overStandard = <Standard extends object>(standard: Standard, given: object): Standard => {
  const read = Object.entries(given).map(([key, value]: [string, unknown]) => {
    const before = standard[key as keyof Standard]
    if (typeof before === 'bigint') return [key, BigInt(value as string | number)]
    return [key, typeof before === 'number' ? Number(value) : value]
  })
  return { ...standard, ...(Object.fromEntries(read) as Partial<Standard>) }
}

const plainOf = (value: number | bigint): number | string =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value)

/** An amount in whole units of an asset, as a decimal string. */
export const amount = (description: string, words: Words<string> = {}) =>
  text(description, { ...words, pattern: '^\\d{1,30}(\\.\\d{1,18})?$', says: 'an amount as a string, such as "0.5"' })

const urlWhere = (description: string, isRight: (url: URL) => boolean, says: string, words: Words<string>) =>
  Type.Refine(
    Type.String({ ...wordsOf(description, words), says }),
    (value) => URL.canParse(value) && isRight(new URL(value)),
  )

/** An http or https address. */
export const httpUrl = (description: string, words: Words<string> = {}) =>
  urlWhere(description, ({ protocol }) => /^https?:$/.test(protocol), 'an http(s) address', words)

/** An https address, for connections that transfer keys or card numbers; http is allowed on this machine only. */
export const safeUrl = (description: string, words: Words<string> = {}) =>
  urlWhere(
    description,
    ({ protocol, hostname, username, password, search, hash }) =>
      username + password + search + hash === '' &&
      (protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))),
    'an https address; http only on this machine',
    words,
  )

/** A scheme and a host only. */
export const origin = (description: string, words: Words<string> = {}) =>
  Type.Refine(
    Type.String({ ...wordsOf(description, words), says: 'an origin such as https://api.example.com' }),
    (value) => URL.canParse(value) && new URL(value).origin === value,
  )

export const filePath = (description: string, words: Words<string> = {}) =>
  text(description, { ...words, says: 'the path of a file' })

/** The path of a file that contains a secret; the file must be readable and not empty. `readSecret` reads it. */
export const secretFile = (description: string, { absolute = false }: { absolute?: boolean } = {}) =>
  withRule(
    text(description, {
      says: absolute ? 'the absolute path of a file that holds it' : 'the path of a file that holds it',
      ...(absolute ? { pattern: '^/' } : {}),
    }),
    (path, note) => {
      const problem = secretProblem(path, absolute)
      if (problem !== undefined) note(problem)
    },
  )

const secretProblem = (path: string, absolute: boolean): string | undefined => {
  if (absolute && !isAbsolute(path)) return 'write an absolute path'
  try {
    return readSecret(path) === '' ? 'the file is empty' : undefined
  } catch (error) {
    return `the file can't be read (${(error as NodeJS.ErrnoException).code})`
  }
}

/** Reads a secret from a file, without surrounding white space. */
export const readSecret = (path: string): string => readFileSync(path, 'utf8').trim()

/** An object whose optional members have the given names and the same shape. */
export const byName = <Name extends string, Shape extends TSchema>(
  names: readonly Name[],
  shape: Shape,
  options: { description?: string; key?: string; absent?: string } = {},
) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Optional(shape)])) as Record<Name, TOptional<Shape>>,
    options,
  )

const TICKER = '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$'

/** An object whose keys are tickers. */
export const byTicker = <Shape extends TSchema>(shape: Shape, description?: string) =>
  Type.Record(Type.String({ pattern: TICKER }), shape, {
    key: 'TICKER',
    keySays: 'a ticker, such as USDT',
    ...(description === undefined ? {} : { description }),
  })

/** A ticker as in the assets file. */
export const ticker = (description: string) => text(description, { pattern: TICKER, says: 'a ticker, such as USDT' })
