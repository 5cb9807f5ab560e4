/**
 * Changes to answers of counterparties, for tests of parsers: a real example goes in, and comes out with a piece
 * dropped, doubled, of another type, out of range, in another writing or cut.
 */
import * as fc from 'fast-check'

export interface Mutation {
  text: string
  /**
   * Only the type or the writing of one value was changed, into one that is not valid there. A parser may refuse it or
   * read the same value, and never another amount.
   */
  isRetyped: boolean
}

type Json = unknown
interface Slot {
  holder: Record<string, Json> | Json[]
  key: string | number
}

/** `JSON.rawJSON` of Node 22: a number that is written with exactly these digits. */
const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON
const isRaw = (value: unknown): value is { rawJSON: string } =>
  (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value)

/** Parses JSON so that writing it again gives every number its digits back. */
const parseExactly = (text: string): Json =>
  JSON.parse(text, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && String(value) !== source ? raw(source!) : value) as (
    key: string,
    value: unknown,
  ) => unknown)

const isHolder = (value: Json): value is Slot['holder'] => typeof value === 'object' && value !== null && !isRaw(value)

const slotsOf = (root: Json): Slot[] => {
  const slots: Slot[] = []
  const open = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!isHolder(value)) continue
    const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
    for (const key of keys) {
      slots.push({ holder: value, key })
      open.push((value as Record<string | number, Json>)[key])
    }
  }
  return slots
}

const read = ({ holder, key }: Slot): Json => (holder as Record<string | number, Json>)[key]
/** Also a member named `__proto__` becomes one of its own. */
const write = ({ holder, key }: Slot, value: Json): void =>
  void Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })

const LONG = 100_000
/** In the text, stands for lists within lists, which `JSON.stringify` could not write. */
const DEEP = 'lists within lists'
const DEEPEST = 20_000

/** Members that mean something to JavaScript. */
const withNames = (): Json => {
  const made = {}
  for (const key of ['__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'then', 'length', 'hasOwnProperty'])
    write({ holder: made, key }, { toString: 1, valueOf: 1, length: 5 })
  return made
}

const HOSTILE: readonly (() => Json)[] = [
  () => null,
  () => [],
  () => ({}),
  () => '',
  () => DEEP,
  withNames,
  () => [withNames()],
  () => 'constructor',
  () => '__proto__',
  () => 'toString',
  () => true,
  () => -1,
  () => raw('-0'),
  () => 0.5,
  () => raw('1e400'),
  () => raw('9007199254740993'),
  () => raw('1'.repeat(400)),
  () => '9'.repeat(400),
  () => `0x${'f'.repeat(64)}`,
  () => `0x${'f'.repeat(65)}`,
  () => `-0x1`,
  () => '0x',
  () => 'a'.repeat(LONG),
  () => '1'.repeat(LONG),
  () => '\ud800\u0000\u202e',
  () => '１２',
]

/** The same text with another case, one digit less, or more around it. */
const rewritten: readonly ((text: string) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.slice(0, -1),
  (text) => text.slice(1),
  (text) => `${text}0`,
  (text) => `0${text}`,
  (text) => text.replace(/^0x/, ''),
  (text) => `0x${text}`,
  (text) => text.repeat(2),
]

/** Each makes an invalid writing of any number or text. */
const RETYPES: readonly ((value: Json) => Json)[] = [
  (value) => [value],
  (value) => ({ value }),
  (value) => `-${digitsOf(value)}`,
  (value) => `${digitsOf(value)} `,
  (value) => `\u00a0${digitsOf(value)}`,
  (value) => `${digitsOf(value)}\u0000`,
  (value) => `${digitsOf(value)}n`,
  (value) => `+${digitsOf(value)}`,
  (value) => fullWidth(digitsOf(value)),
  (value) => (typeof value === 'string' ? `${value},5` : raw(`${withFraction(digitsOf(value))}5`)),
  (value) => (typeof value === 'string' ? numberOf(value) : raw(`-${digitsOf(value).replace(/^-/, '')}`)),
]

const digitsOf = (value: Json): string => (isRaw(value) ? value.rawJSON : String(value))
const withFraction = (digits: string): string => (/[.e]/i.test(digits) ? digits : `${digits}.`)
const fullWidth = (text: string): string =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(digit.codePointAt(0)! + 0xfee0)).replace(/^$/, '０')
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** The same number as JSON writes numbers. */
const numberOf = (text: string): Json =>
  PLAIN_NUMBER.test(text) ? raw(text) : Number.isSafeInteger(Number(text)) && text !== '' ? Number(text) : false

interface Choice {
  what: number
  where: number
  other: number
}

const STRUCTURE: readonly ((slot: Slot, slots: readonly Slot[], other: number) => void)[] = [
  ({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(key as number, 1)
    else delete holder[key]
  },
  ({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(key as number, 0, holder[key as number])
    else write({ holder, key: `${key}2` }, holder[key])
  },
  (slot, slots, other) => {
    const value = read(slot)
    write(slot, read(slots[other % slots.length]!))
    write(slots[other % slots.length]!, value)
  },
  (slot, slots, other) => write(slot, read(slots[other % slots.length]!)),
  (slot, _, other) => write(slot, HOSTILE[other % HOSTILE.length]!()),
  (slot, _, other) => {
    const value = read(slot)
    write(slot, typeof value === 'string' ? rewritten[other % rewritten.length]!(value) : [value])
  },
  ({ holder }, _, other) => {
    if (!Array.isArray(holder)) write({ holder, key: '__proto__' }, HOSTILE[other % HOSTILE.length]!())
  },
]

const written = (root: Json): string =>
  JSON.stringify(root).replaceAll(`"${DEEP}"`, () => '['.repeat(DEEPEST) + ']'.repeat(DEEPEST))

/** A value that contains itself can't be written. */
const isTree = (value: Json, above: readonly Json[] = []): boolean =>
  !isHolder(value) ||
  (!above.includes(value) && Object.values(value).every((member) => isTree(member, [...above, value])))

const changedStructure = (text: string, choices: readonly Choice[]): Mutation => {
  const root: Json[] = [parseExactly(text)]
  for (const { what, where, other } of choices) {
    const slots = slotsOf(root)
    if (slots.length === 0) break
    STRUCTURE[what % STRUCTURE.length]!(slots[where % slots.length]!, slots, other)
    if (!isTree(root)) return { text: 'null', isRetyped: false }
  }
  return { text: root.length === 1 ? written(root[0]) : '', isRetyped: false }
}

const retyped = (text: string, { what, where }: Choice): Mutation => {
  const root: Json[] = [parseExactly(text)]
  const leaves = slotsOf(root).filter((slot) => {
    const value = read(slot)
    return isRaw(value) || typeof value === 'string' || typeof value === 'number'
  })
  if (leaves.length === 0) return { text: '', isRetyped: true }
  const slot = leaves[where % leaves.length]!
  write(slot, RETYPES[what % RETYPES.length]!(read(slot)))
  return { text: written(root[0]), isRetyped: true }
}

const choice = fc.record({ what: fc.nat(), where: fc.nat(), other: fc.nat() })

/** Changes of a text of JSON: of one or several values, or of its characters. */
export const mutatedJson = (text: string): fc.Arbitrary<Mutation> =>
  fc.oneof(
    { weight: 4, arbitrary: choice.map((one) => retyped(text, one)) },
    {
      weight: 5,
      arbitrary: fc.array(choice, { minLength: 1, maxLength: 3 }).map((choices) => changedStructure(text, choices)),
    },
    { weight: 2, arbitrary: mutatedText(text).map((changed) => ({ text: changed, isRetyped: false })) },
  )

const PIECES = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '0',
  '-',
  '.',
  'e9',
  '\\',
  '\ufeff',
  '\u0000',
  '<',
  '&',
  ';',
  '\n',
  '\ud800',
]
const WHOLE = ['', 'null', '[]', '{}', '""', '0', '<html><body>502</body></html>', '\u0000', '{"__proto__":{"a":1}}']

interface Edit {
  at: number
  remove: number
  insert: string
}
const edits = fc.array(
  fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 4 }),
    insert: fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 3 })),
  }),
  { minLength: 1, maxLength: 3 },
)
const edited = (text: string, changes: readonly Edit[]): string =>
  changes.reduce((now, { at, remove, insert }) => {
    const from = now.length === 0 ? 0 : at % now.length
    return now.slice(0, from) + insert + now.slice(from + remove)
  }, text)

/** Changes of the characters of a text: cut, edited, doubled, or something else in its place. */
export const mutatedText = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    edits.map((changes) => edited(text, changes)),
    fc.nat({ max: Math.max(0, text.length - 1) }).map((length) => text.slice(0, length)),
    fc.tuple(fc.nat(), fc.nat({ max: 200 })).map(([at, length]) => {
      const from = at % (text.length + 1)
      return text.slice(0, from + length) + text.slice(from)
    }),
    fc.constantFrom(...WHOLE, text + text),
  )

/** Changes of bytes: replaced, inserted, removed, cut or doubled. */
export const mutatedBytes = (bytes: Uint8Array): fc.Arbitrary<Uint8Array<ArrayBuffer>> =>
  fc.oneof(
    fc
      .array(fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), insert: fc.uint8Array({ maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((changes) => {
        const made = [...bytes]
        for (const { at, remove, insert } of changes) made.splice(at % (made.length + 1), remove, ...insert)
        return Uint8Array.from(made)
      }),
    fc.nat({ max: bytes.length }).map((length) => Uint8Array.from(bytes.subarray(0, length))),
    fc.constant(Uint8Array.from([...bytes, ...bytes])),
    fc.uint8Array({ maxLength: 200 }),
  )
