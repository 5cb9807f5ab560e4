/** Writes JSON Schema as TypeScript types. */
import type { TSchema } from 'typebox'

/** In requests an optional field may be `undefined`; in responses it is absent. */
export type Direction = 'request' | 'answer'

/** Collects the schemas that have a title as named types. */
export interface TypeWriter {
  /** Returns the type of a schema: its name if it has a title, else its text at this depth of indentation. */
  readonly typeOf: (schema: TSchema, direction: Direction, depth?: number) => string
  /** Declares a named type: an interface for an object. */
  readonly declare: (name: string, schema: TSchema, direction: Direction) => void
  /** Returns all declarations, sorted by name. */
  readonly declarations: () => string
}

interface Node {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Node[]
  readonly items?: Node
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly title?: string
  readonly description?: string
}

/** Longest line of generated text. */
export const lineLength = 120

/** Returns a doc comment, wrapped to as many lines as needed. */
export const comment = (text: string | undefined, indent: string): string => {
  if (text === undefined) return ''
  if (indent.length + text.length + 7 <= lineLength) return `${indent}/** ${text} */\n`
  const width = lineLength - indent.length - ' * '.length
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Returns union members, one per line if they do not fit on one. */
const union = (members: readonly string[], indent: string) => {
  const distinct = [...new Set(members)]
  const line = distinct.join(' | ')
  return line.length < 80 ? line : distinct.map((member) => `\n${indent}  | ${member}`).join('')
}

/** Returns a type to follow `=` or `:`: after a space, unless it begins on the next line. */
const afterSign = (type: string) => (type.startsWith('\n') ? type : ` ${type}`)

export const typeWriter = (): TypeWriter => {
  const declared = new Map<string, string>()

  const fields = ({ properties = {}, required = [] }: Node, direction: Direction, depth: number) => {
    const indent = '  '.repeat(depth)
    return Object.entries(properties)
      .map(([name, property]) => {
        const type = typeOf(property, direction, depth)
        const mark = required.includes(name) ? '' : '?'
        const orUndefined = mark === '?' && direction === 'request' ? ' | undefined' : ''
        const head = property.title === undefined ? comment(property.description, indent) : ''
        return `${head}${indent}${name}${mark}:${afterSign(type)}${orUndefined}\n`
      })
      .join('')
  }

  const written = (node: Node, direction: Direction, depth: number): string => {
    if (node.const !== undefined) return literal(node.const)
    const indent = '  '.repeat(depth)
    if (node.enum !== undefined) return union(node.enum.map(literal), indent)
    if (node.anyOf !== undefined)
      return union(
        node.anyOf.map((each) => typeOf(each, direction, depth)),
        indent,
      )
    if (node.type === 'array' && node.items !== undefined) {
      const item = typeOf(node.items, direction, depth)
      return node.minItems === 2 && node.maxItems === 2 ? `[${item}, ${item}]` : `${item}[]`
    }
    if (node.type === 'object') return `{\n${fields(node, direction, depth + 1)}${indent}}`
    const scalar = scalars[node.type ?? '']
    if (scalar === undefined) throw new Error(`no TypeScript type for ${JSON.stringify(node)}`)
    return scalar
  }

  const declareNode = (name: string, node: Node, direction: Direction) => {
    const head = comment(node.description, '')
    const text =
      node.type === 'object'
        ? `${head}export interface ${name} ${written(node, direction, 0)}\n`
        : `${head}export type ${name} =${afterSign(written(node, direction, 0))}\n`
    const known = declared.get(name)
    if (known !== undefined && known !== text) throw new Error(`two types are named ${name}: retitle one of them`)
    declared.set(name, text)
  }

  const typeOf = (node: Node, direction: Direction, depth: number): string => {
    if (node.title === undefined) return written(node, direction, depth)
    declareNode(node.title, node, direction)
    return node.title
  }

  return {
    typeOf: (schema, direction, depth = 0) => typeOf(schema as unknown as Node, direction, depth),
    declare: (name, schema, direction) => declareNode(name, schema as unknown as Node, direction),
    declarations: () =>
      [...declared]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, text]) => text)
        .join('\n'),
  }
}
