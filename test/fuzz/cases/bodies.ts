/** Bodies with one fault, which must be refused and change nothing, and bodies in an unusual spelling. */
import { gzipSync } from 'node:zlib'
import type { Operation } from '@bursar/contract'
import type { Random } from '../../../sandbox/random.ts'
import type { FuzzWorld } from '../objects.ts'
import { bytesOf, signedDraft, type Header } from '../request.ts'
import { aboutOf, mustBeByContract, mustRefuse, type Case } from './case.ts'
import { bodyOf, isObject, type Json, type JsonObject, type Schema } from './values.ts'
import { createdBy, signedOperations, targetOf } from './valid.ts'

/** A member of an object as JSON text, or as the members of the object inside it. */
type Member = [key: string, value: string | Member[]]

const membersOf = (object: JsonObject): Member[] =>
  Object.entries(object).map(([key, value]) => [
    JSON.stringify(key),
    isObject(value) ? membersOf(value) : JSON.stringify(value),
  ])

const print = (members: readonly Member[], [open, colon, comma, close] = ['{', ':', ',', '}']): string =>
  `${open}${members
    .map(
      ([key, value]) =>
        `${key}${colon}${typeof value === 'string' ? value : print(value, [open!, colon!, comma!, close!])}`,
    )
    .join(comma)}${close}`

/** A field of a body with its schema, however deep. */
interface Field {
  /** the object that has it */
  of: Member[]
  at: number
  name: string
  schema: Schema
  /** false: a null counts as an absent field */
  isRequired: boolean
}

const fieldsOf = (members: Member[], { properties = {}, required = [] }: Schema): Field[] =>
  members.flatMap((member, at) => {
    const name = JSON.parse(member[0]) as string
    const schema = properties[name] ?? {}
    const inner = typeof member[1] === 'string' ? [] : fieldsOf(member[1], schema)
    return [{ of: members, at, name, schema, isRequired: required.includes(name) }, ...inner]
  })

const isText = ({ schema }: Field): boolean => schema.type === 'string'
const isDecimal = ({ schema }: Field): boolean => schema.pattern?.includes('(\\.\\d') === true
const isPositive = (field: Field): boolean => isDecimal(field) && field.schema.pattern!.includes('(?=')

const NO_DECIMALS = [
  '-1',
  '+1',
  '1e3',
  '1e400',
  '-0',
  '.5',
  '5.',
  ' 1',
  '1 ',
  '1\\n',
  '1,5',
  '0x10',
  'NaN',
  'Infinity',
  '١',
  '１',
  '1_000',
  '',
  '1'.repeat(31),
  `1.${'1'.repeat(19)}`,
  '1.2.3',
  'null',
] as const

/** Replaces a value by JSON text. */
const replace = ({ of, at }: Field, text: string): void => {
  of[at] = [of[at]![0], text]
}

type Break = (field: Field, random: Random) => void

/** Faults of one field, each with the fields that it applies to. */
const FIELD_FAULTS: Readonly<Record<string, { on: (field: Field) => boolean; break: Break }>> = {
  'a number for a text': {
    on: isText,
    break: (field, random) =>
      replace(field, random.pick(['1', '0', '-1', '1.5', '1e400', '-0', '1e-400', '12345678901234567890'])),
  },
  'another type for a text': {
    on: isText,
    break: (field, random) => replace(field, random.pick(['true', '[]', '{}', '["1"]', '{"value":"1"}', '[[]]'])),
  },
  'a text for a boolean': {
    on: ({ schema }) => schema.type === 'boolean',
    break: (field, random) => replace(field, random.pick(['"true"', '1', '0', '"false"', '[]'])),
  },
  'no decimal': { on: isDecimal, break: (field, random) => replace(field, `"${random.pick(NO_DECIMALS)}"`) },
  zero: { on: isPositive, break: (field, random) => replace(field, random.pick(['"0"', '"0.000"', '"000"'])) },
  'no choice': {
    on: ({ schema }) => schema.enum !== undefined,
    break: (field, random) =>
      replace(field, random.pick(['"Spend"', '""', '"buy"', field.isRequired ? 'null' : '[]', '1'])),
  },
  'a lone surrogate': {
    on: isText,
    break: (field, random) =>
      replace(field, random.pick(['"\\ud800"', '"a\\udfff"', '"\\ud800\\ud800"', '"\\udc00\\ud800"'])),
  },
  'U+0000': { on: isText, break: (field) => replace(field, '"a\\u0000b"') },
  'a raw control character': {
    on: isText,
    break: (field, random) => replace(field, `"a${random.pick(['\n', '\0', '\x1f'])}b"`),
  },
  'too long': {
    on: ({ schema }) => schema.maxLength !== undefined,
    break: (field, random) =>
      replace(
        field,
        JSON.stringify(random.pick(['x', '€', '👍']).repeat(field.schema.maxLength! + random.pick([1, 1_000]))),
      ),
  },
  'a fraction or an exponent for a duration': {
    on: ({ schema }) => schema.anyOf !== undefined,
    break: (field, random) =>
      replace(
        field,
        random.pick(['1.5', '1e400', '-600000', '"-1"', '"1.5"', '"0x927c0"', 'true', '[]', '9007199254740993']),
      ),
  },
  'a key twice': {
    on: () => true,
    break: ({ of, at }, random) => {
      const copy = of[at]!
      of.splice(random.int(of.length + 1), 0, [
        random.pick([copy[0], copy[0], `"\\u${hex4(copy[0])}${copy[0].slice(2)}`]),
        copy[1],
      ])
    },
  },
  'an unknown key': {
    on: () => true,
    break: ({ of, name }, random) => {
      const key = random.pick([
        '__proto__',
        'constructor',
        'toString',
        `${name} `,
        name.toUpperCase(),
        `${name}\u200b`,
        'fees',
        '',
        'id',
      ])
      of.splice(random.int(of.length + 1), 0, [JSON.stringify(key), random.pick(['"1"', 'null', '{}', '[]', '1'])])
    },
  },
}

/** The first character of a key as the digits of a \u escape. */
const hex4 = (quoted: string): string => quoted.charCodeAt(1).toString(16).padStart(4, '0')

const deep = (levels: number, [open, close]: readonly [string, string]): string =>
  open.repeat(levels) + '1' + close.repeat(levels)

/** Faults of a body as a whole. */
const BODY_FAULTS: Readonly<Record<string, (text: string, random: Random) => string | Buffer>> = {
  'a byte order mark': (text) => `\ufeff${text}`,
  'text behind': (text, random) => text + random.pick(['x', '{}', ',', '\0', '}', ' 1']),
  'text before': (text, random) => random.pick(['x', '1', '(', ")]}',\n", '\0', '\u00a0']) + text,
  'cut off': (text, random) => text.slice(0, 1 + random.int(text.length - 1)),
  'an array': (text) => `[${text}]`,
  'a text': (text) => JSON.stringify(text),
  'another value': (_text, random) => random.pick(['null', 'true', '0', '""', '[]', '1e400', '{}}', '{]']),
  'bytes that are no UTF-8': (text, random) => {
    const bytes = Buffer.from(text)
    return Buffer.concat([
      bytes.subarray(0, 2),
      random.pick([Buffer.of(0xff), Buffer.of(0xc0, 0xaf), Buffer.of(0xed, 0xa0, 0x80)]),
      bytes.subarray(2),
    ])
  },
  'UTF-16': (text) => Buffer.from(text, 'utf16le'),
  'single quotes': (text) => text.replaceAll('"', "'"),
  'a trailing comma': (text) => text.replace(/\}$/, ',}'),
  'a comment': (text, random) => text.replace('{', random.pick(['{/* */', '{// \n'])),
  'a bare word': (text) => text.replace(/"([a-z]+)":/i, '$1:'),
  'deep nesting': (text, random) =>
    text.replace(
      '{',
      `{"x":${deep(
        random.pick([17, 100, 10_000]),
        random.pick([
          ['[', ']'],
          ['{"a":', '}'],
        ]),
      )},`,
    ),
  'many keys': (text) => text.replace('{', `{${Array.from({ length: 501 }, (_, n) => `"k${n}":1`).join(',')},`),
  'a form': () => 'ticker=USDT&amount=1',
  nothing: () => '',
}

const REQUIRED = 'a missing field'

/** An operation that takes a body. */
const drawOperation = (random: Random): Operation => random.pick(signedOperations.filter(({ body }) => body !== null))

export const makeBrokenBody = (world: FuzzWorld, random: Random): Case => {
  const operation = drawOperation(random)
  const by = random.pick([0, 1] as const)
  const schema = operation.body as unknown as Schema
  const members = membersOf(bodyOf(operation, world, random))
  const [kind, body] = breakBody(members, schema, random)
  const signed = { method: 'POST', target: targetOf(operation, world, random, by), body }
  const parts = [bytesOf(signedDraft(signed, world.owned[by].account))]
  return {
    kind: `broken body: ${kind}`,
    about: aboutOf(parts),
    parts,
    effect: 'nothing',
    judge: mustRefuse(operation),
  }
}

const breakBody = (members: Member[], schema: Schema, random: Random): [kind: string, body: string | Buffer] => {
  if (random.chance(0.3)) {
    const kind = random.pick(Object.keys(BODY_FAULTS))
    return [kind, BODY_FAULTS[kind]!(print(members), random)]
  }
  if (random.chance(0.1)) {
    const missing = random.pick(schema.required ?? [])
    return [REQUIRED, print(members.filter(([key]) => key !== JSON.stringify(missing)))]
  }
  const fields = fieldsOf(members, schema)
  const field = random.pick(fields)
  const kind = random.pick(Object.keys(FIELD_FAULTS).filter((name) => FIELD_FAULTS[name]!.on(field)))
  FIELD_FAULTS[kind]!.break(field, random)
  return [kind, print(members)]
}

/** Headers that the body's meaning would depend on, were they honoured. */
const ENVELOPES: Readonly<Record<string, (body: string) => { body: Buffer; headers: Header[] }>> = {
  'a compressed body': (body) => ({ body: gzipSync(body), headers: [['Content-Encoding', 'gzip']] }),
  'a body called compressed': (body) => ({ body: Buffer.from(body), headers: [['Content-Encoding', 'br']] }),
  'a body called identity': (body) => ({ body: Buffer.from(body), headers: [['Content-Encoding', 'identity']] }),
}

/** Whole requests that no operation accepts although body and signature are right. */
export const makeBrokenEnvelope = (world: FuzzWorld, random: Random): Case => {
  const operation = drawOperation(random)
  const by = random.pick([0, 1] as const)
  const { account } = world.owned[by]
  const text = JSON.stringify(bodyOf(operation, world, random))
  const target = targetOf(operation, world, random, by)
  const kind = random.pick([...Object.keys(ENVELOPES), 'a query'])
  const { body, headers } = ENVELOPES[kind]?.(text) ?? { body: Buffer.from(text), headers: [] }
  const asked = kind === 'a query' ? `${target}?${random.pick(['a=1', 'amount=1', '', '=', '%00'])}` : target
  // An empty query is none, and is signed as it is sent.
  const isPlain = asked.endsWith('?')
  const parts = [bytesOf(signedDraft({ method: 'POST', target: asked, body }, account, headers))]
  return {
    kind: `broken envelope: ${isPlain ? 'an empty query' : kind}`,
    about: aboutOf(parts),
    parts,
    effect: isPlain ? 'something' : 'nothing',
    judge: isPlain ? mustBeByContract(operation) : mustRefuse(operation),
    created: createdBy(operation, account),
  }
}

const SPACES = ['', ' ', '\n', '\t', '\r\n', '    '] as const

/** Another spelling of the same JSON value. */
const respell = (members: Member[], random: Random): string => {
  const space = (): string => random.pick(SPACES)
  const written = members.map(([key, value]): Member => [
    random.chance(0.2) && key.length > 2 ? `"\\u${hex4(key)}${key.slice(2)}` : key,
    typeof value === 'string' ? value : [...value].toReversed(),
  ])
  const order = random.chance(0.5) ? written.toReversed() : written
  return `${space()}${print(order, [`{${space()}`, `${space()}:${space()}`, `${space()},${space()}`, `${space()}}`])}${space()}`
}

/** A null for a field that need not be there. */
const withNull = (body: JsonObject, schema: Schema, random: Random): JsonObject => {
  const optional = Object.keys(schema.properties ?? {}).filter((name) => !(schema.required ?? []).includes(name))
  const added: Record<string, Json> = optional.length === 0 ? {} : { [random.pick(optional)]: null }
  return { ...body, ...added }
}

export const makeUnusualBody = (world: FuzzWorld, random: Random): Case => {
  const operation = drawOperation(random)
  const by = random.pick([0, 1] as const)
  const { account } = world.owned[by]
  const drawn = bodyOf(operation, world, random)
  const hasNull = random.chance(0.3)
  const body = hasNull ? withNull(drawn, operation.body as unknown as Schema, random) : drawn
  const text = respell(membersOf(body), random)
  const parts = [
    bytesOf(signedDraft({ method: 'POST', target: targetOf(operation, world, random, by), body: text }, account)),
  ]
  return {
    kind: `unusual body: ${hasNull ? 'a null' : 'another spelling'}`,
    about: aboutOf(parts),
    parts,
    effect: 'something',
    judge: mustBeByContract(operation),
    created: createdBy(operation, account),
    isRepeated: operation.movesMoney,
  }
}
