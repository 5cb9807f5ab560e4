import { parseSync } from 'rolldown/utils'

/** A piece of SQL in a source file: a whole statement, or a fragment of one. */
export interface SqlText {
  readonly line: number
  /** the texts around the interpolated values and fragments: one more than there are of those */
  readonly pieces: readonly string[]
  /**
   * `sql`: certainly SQL. `string`: any other text, which may be SQL. `row`: the name of a table that a posting writes
   */
  readonly kind: 'sql' | 'string' | 'row'
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/**
 * Returns the texts of a source file that are or may be SQL, and the lines of `sql.table` and `sql.id` whose names are
 * known only at run time.
 */
export const sqlTextsOf = (path: string, source: string): { texts: SqlText[]; dynamic: number[] } => {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
  const starts = [...source.matchAll(/^/gm)].map(({ index }) => index)
  const lineOf = (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1
  const texts: SqlText[] = []
  const dynamic: number[] = []
  const add = (kind: SqlText['kind'], node: Node, pieces: string[]): void => {
    texts.push({ kind, line: lineOf(node.start), pieces })
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isNode(value)) return
    if (value.type === 'TaggedTemplateExpression' && isNamed(value['tag'], 'sql')) {
      const quasi = value['quasi'] as Node
      add('sql', value, piecesOf(quasi))
      return visit(quasi['expressions'])
    }
    if (value.type === 'CallExpression' && isMember(value['callee'], 'sql')) {
      const [argument] = value['arguments'] as Node[]
      const method = ((value['callee'] as Node)['property'] as Node)['name']
      if ((method === 'table' || method === 'id') && argument !== undefined) {
        const name = textOf(argument)
        if (name === undefined) dynamic.push(lineOf(value.start))
        else add('row', argument, name)
        return
      }
      if (method === 'raw' && argument !== undefined) {
        const pieces = textOf(argument)
        if (pieces) add('sql', argument, pieces)
        return pieces ? visit(argument['expressions']) : visit(argument)
      }
    }
    if (value.type === 'VariableDeclarator' && isRowTable(value['id'] as Node)) {
      const pieces = nameOfRowTable(value['init'])
      if (pieces) add('row', value, pieces)
      return
    }
    const pieces = textOf(value)
    if (pieces) add('string', value, pieces)
    for (const [key, child] of Object.entries(value)) {
      // A template's pieces contain its own texts; an import path is not a text of the program.
      if (key !== 'quasis' && !(key === 'source' && /^(Import|Export)/.test(value.type))) visit(child)
    }
  }
  visit(program)
  return { texts, dynamic }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const isNamed = (value: unknown, name: string): boolean =>
  isNode(value) && value.type === 'Identifier' && value['name'] === name
const isMember = (value: unknown, object: string): boolean =>
  isNode(value) && value.type === 'MemberExpression' && isNamed(value['object'], object)

const piecesOf = (template: Node): string[] =>
  (template['quasis'] as { value: { cooked: string | null; raw: string } }[]).map(
    ({ value }) => value.cooked ?? value.raw,
  )

const textOf = (node: Node): string[] | undefined => {
  if (node.type === 'TemplateLiteral') return piecesOf(node)
  return node.type === 'Literal' && typeof node['value'] === 'string' ? [node['value']] : undefined
}

/** True for `const X: RowTable = { name: 'table', … }`: the ledger writes such rows in the statement of a posting. */
const isRowTable = (id: Node): boolean => {
  const annotation = (id['typeAnnotation'] as Node | null | undefined)?.['typeAnnotation'] as Node | undefined
  return annotation?.type === 'TSTypeReference' && isNamed(annotation['typeName'], 'RowTable')
}

const nameOfRowTable = (init: unknown): string[] | undefined => {
  if (!isNode(init) || init.type !== 'ObjectExpression') return undefined
  const name = (init['properties'] as Node[]).find((property) => isNamed(property['key'], 'name'))
  return name && textOf(name['value'] as Node)
}
