import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { similarWord } from '../base/similar.ts'

/** A settings file does not match its shape; lists every problem. Problems never contain values of the file. */
export class ShapeError extends Error {
  override name = 'ShapeError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/** Reports a problem. `say` says what to write; `place` is the path from the validated value to the wrong one. */
export type NoteProblem = (say: string, ...place: readonly (string | number)[]) => void

const RULE = Symbol('rule')
type Rule = (value: unknown, note: NoteProblem) => void

/**
 * Adds a rule that a schema can't express to a shape, such as one that compares two members. It is called when the
 * value matches the shape, even if other rules report problems.
 */
export const withRule = <Shape extends TSchema>(
  shape: Shape,
  rule: (value: Static<Shape>, note: NoteProblem) => void,
): Shape => {
  const before = (shape as { [RULE]?: Rule })[RULE]
  const both: Rule = (value, note) => {
    before?.(value, note)
    rule(value as Static<Shape>, note)
  }
  // TypeBox stores data about a schema in properties that a spread does not copy.
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(shape), [RULE]: { value: both } }) as Shape
}

/** The parts of a schema that this module reads: JSON Schema, and texts for people. */
export interface Node extends TSchema {
  type?: string | string[]
  properties?: Record<string, Node>
  required?: string[]
  patternProperties?: Record<string, Node>
  anyOf?: Node[]
  items?: Node
  minItems?: number
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  pattern?: string
  not?: unknown
  default?: unknown
  description?: string
  /** what to write: ends the sentence "write …" */
  says?: string
  unit?: string
  /** the default in words, when it is not a single value */
  absent?: string
  /** the placeholder in documents for a key of an object with free keys, and a description of such a key */
  key?: string
  keySays?: string
  [RULE]?: Rule
}

/** Checks a file's JSON. Throws a ShapeError that lists every problem. */
export const readShape = <Shape extends TSchema>(shape: Shape, json: unknown): Static<Shape> => {
  const given = isObject(json) ? withoutSchemaName(json) : json
  const problems: string[] = []
  judge(shape, given, '', problems)
  if (problems.length > 0) throw new ShapeError(problems)
  return given as Static<Shape>
}

/** Removes `$schema`, which is for editors only. */
const withoutSchemaName = ({ $schema: _, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

/** Reports problems, and returns whether the value matches the shape, regardless of rules. */
const judge = (shape: Node, value: unknown, path: string, problems: string[]): boolean => {
  const isOfShape = judgeShape(shape, value, path, problems)
  if (isOfShape)
    shape[RULE]?.(value, (say, ...place) =>
      problems.push(`${place.reduce<string>(joined, path) || 'the file'}: ${say}`),
    )
  return isOfShape
}

const judgeShape = (shape: Node, value: unknown, path: string, problems: string[]): boolean => {
  const wrong = (): boolean => {
    problems.push(`${path || 'the file'}: ${shape.not === undefined ? 'write' : 'leave it out:'} ${saysOf(shape)}`)
    return false
  }
  const branches = branchesOf(shape)
  if (branches) {
    if (!isObject(value)) return wrong()
    const branch = branches.find(({ properties }) => properties!['kind']!.const === value['kind'])
    if (branch) return judge(branch, value, path, problems)
    problems.push(`${joined(path, 'kind')}: write one of ${kindsOf(branches).join(', ')}`)
    return false
  }
  if (shape.type === 'object') return isObject(value) ? judgeMembers(shape, value, path, problems) : wrong()
  if (shape.type === 'array') {
    if (!Array.isArray(value) || value.length < (shape.minItems ?? 0)) return wrong()
    return everyOne(value, (item, i) => judge(shape.items!, item, `${joined(path, i)}${labelOf(item)}`, problems))
  }
  return Check(shape, value) || wrong()
}

const judgeMembers = (shape: Node, value: Record<string, unknown>, path: string, problems: string[]): boolean => {
  const properties = shape.properties ?? {}
  const patterns = Object.entries(shape.patternProperties ?? {})
  const missing = (shape.required ?? []).filter((key) => value[key] === undefined)
  for (const key of missing) problems.push(`${joined(path, key)} is missing: write ${saysOf(properties[key]!)}`)
  const areOfShape = everyOne(Object.entries(value), ([key, member]) => {
    if (member === undefined) return true
    const inner = Object.hasOwn(properties, key)
      ? properties[key]
      : patterns.find(([pattern]) => new RegExp(pattern, 'u').test(key))?.[1]
    if (inner) return judge(inner, member, joined(path, key), problems)
    problems.push(unknownMember(shape, key, path))
    return false
  })
  return areOfShape && missing.length === 0
}

/** As `every`, but calls `isRight` for all values, because each call reports problems. */
const everyOne = <Value>(values: readonly Value[], isRight: (value: Value, i: number) => boolean): boolean =>
  values.map(isRight).every(Boolean)

const unknownMember = (shape: Node, key: string, path: string): string => {
  const known = Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => ('not' in inner ? [] : [name]))
  const similar = similarWord(key, known)
  const place = `${joined(path, key)} is unknown`
  const there = known.length > 0 ? `there are ${known.join(', ')}` : `write ${shape.keySays ?? 'a name'}`
  return similar === undefined ? `${place}: ${there}` : `${place}: did you mean ${similar}? T${there.slice(1)}`
}

/** The branches of a union of objects that differ in `kind`; undefined for any other shape. */
export const branchesOf = ({ anyOf }: Node): Node[] | undefined =>
  anyOf?.every(({ properties }) => properties?.['kind']?.const !== undefined) ? anyOf : undefined

const kindsOf = (branches: readonly Node[]): string[] =>
  branches.map(({ properties }) => String(properties!['kind']!.const))

/** Describes in words what to write for a shape. */
export const saysOf = (shape: Node): string => {
  if (shape.says !== undefined) return shape.says
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum) return oneOf(shape.enum.map((one) => JSON.stringify(one)))
  if (shape.anyOf && !branchesOf(shape)) return shape.anyOf.map(saysOf).join(', or ')
  switch (shape.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number${rangeOf(shape)}`
    case 'number':
      return `a number${rangeOf(shape)}`
    case 'null':
      return 'null'
    case 'string':
      return 'a text'
    case 'array':
      return shape.minItems === undefined ? 'a list' : `a list of at least ${shape.minItems}`
    default:
      return 'a JSON object'
  }
}

const oneOf = (words: readonly string[]): string =>
  words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')

const rangeOf = ({ minimum, maximum }: Node): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return minimum === 0 ? '' : minimum === 1 ? ' above 0' : ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const joined = (path: string, part: string | number): string => {
  if (typeof part === 'number') return `${path}[${part}]`
  return path === '' ? part : `${path}.${part}`
}

/** The name of a list item, for messages: an index that starts at 0 is easily misread. */
const labelOf = (item: unknown): string => {
  const label = isObject(item) ? (item['name'] ?? item['ticker']) : undefined
  return typeof label === 'string' && /^[\w-]{1,32}$/.test(label) ? ` (${label})` : ''
}
