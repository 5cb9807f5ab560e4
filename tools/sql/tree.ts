/** Queries PostgreSQL's parse tree. */
import type { Node, SelectStmt } from 'libpg-query'

/** Operators that can return null although no operand is null. */
export const LOOKUPS: ReadonlySet<string> = new Set(['->', '->>', '#>', '#>>'])

/** Aggregates that return null for no rows. */
export const AGGREGATES: ReadonlySet<string> = new Set([
  'sum',
  'min',
  'max',
  'avg',
  'array_agg',
  'json_agg',
  'jsonb_agg',
  'jsonb_object_agg',
  'string_agg',
  'bool_or',
  'bool_and',
  'every',
  'percentile_disc',
  'percentile_cont',
])

/** Returns `a.b` as ['a', 'b'] and `a.*` as ['a', '*']. */
export const fieldsOf = (fields: readonly Node[] = []): string[] =>
  fields.map((field) => ('String' in field ? (field.String.sval ?? '') : '*'))

/** Returns the name of a function without `pg_catalog`. */
export const nameOfFunction = (funcname: readonly Node[] = []): string => fieldsOf(funcname).at(-1) ?? ''

/**
 * Returns the name that PostgreSQL gives an unnamed column (FigureColname of parse_target.c), for the forms that our
 * statements use.
 */
export const nameOf = (node: Node): string => {
  if ('ColumnRef' in node) return fieldsOf(node.ColumnRef.fields).at(-1)!
  if ('FuncCall' in node) return nameOfFunction(node.FuncCall.funcname)
  if ('TypeCast' in node) {
    const inner = nameOf(node.TypeCast.arg!)
    return inner === '?column?' ? nameOfFunction(node.TypeCast.typeName?.names) : inner
  }
  if ('CoalesceExpr' in node) return 'coalesce'
  if ('CaseExpr' in node) return 'case'
  if ('MinMaxExpr' in node) return node.MinMaxExpr.op === 'IS_GREATEST' ? 'greatest' : 'least'
  if ('SubLink' in node && node.SubLink.subLinkType === 'EXISTS_SUBLINK') return 'exists'
  if ('SubLink' in node && node.SubLink.subLinkType === 'EXPR_SUBLINK') {
    const { targetList } = (node.SubLink.subselect as { SelectStmt: SelectStmt }).SelectStmt
    const { name, val } = (targetList![0] as { ResTarget: { name?: string; val?: Node } }).ResTarget
    return name ?? nameOf(val!)
  }
  return '?column?'
}

/** Returns an expression's text, which is the same in every position. */
export const keyOf = (node: Node): string =>
  JSON.stringify(node, (name, value: unknown) => (name === 'location' ? undefined : value))

/**
 * Returns true when a SELECT returns exactly one row for any contents of its relations: all its columns are aggregates.
 */
export const isOneRow = ({ fromClause, whereClause, groupClause, havingClause, targetList }: SelectStmt): boolean => {
  if (fromClause === undefined) return whereClause === undefined
  return groupClause === undefined && havingClause === undefined && (targetList ?? []).every(hasAggregate)
}

const hasAggregate = (node: Node): boolean => {
  let found = false
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || 'SubLink' in value) return
    if ('FuncCall' in value) {
      const { funcname, over } = (value as Extract<Node, { FuncCall: unknown }>).FuncCall
      const name = nameOfFunction(funcname)
      if (!over && (name === 'count' || AGGREGATES.has(name))) found = true
    }
    for (const each of Object.values(value)) visit(each)
  }
  visit(node)
  return found
}
