/** Finds the columns that a condition proves to be not null, for `nullability.ts`. */
import type { Node } from 'libpg-query'
import { find, type Scope } from './relations.ts'
import { fieldsOf, keyOf, LOOKUPS, nameOfFunction } from './tree.ts'

/** Operators that can be true when an operand is null. */
const NULL_SAFE = new Set(['AEXPR_DISTINCT', 'AEXPR_NOT_DISTINCT', 'AEXPR_NULLIF'])

/**
 * Returns the columns (`relation.column`) and other expressions (by key) that are not null where a condition is true.
 */
export const provenBy = (condition: Node, scope: Scope): Set<string> => {
  if ('BoolExpr' in condition) {
    const each = (condition.BoolExpr.args ?? []).map((argument) => provenBy(argument, scope))
    if (condition.BoolExpr.boolop === 'AND_EXPR') return new Set(each.flatMap((names) => [...names]))
    if (condition.BoolExpr.boolop === 'OR_EXPR')
      return each.reduce((one, other) => new Set([...one].filter((name) => other.has(name))))
    return new Set()
  }
  if ('NullTest' in condition)
    return condition.NullTest.nulltesttype === 'IS_NOT_NULL' ? neededBy(condition.NullTest.arg!, scope) : new Set()
  if ('SubLink' in condition) {
    const { subLinkType, testexpr } = condition.SubLink
    return subLinkType === 'ANY_SUBLINK' && testexpr ? neededBy(testexpr, scope) : new Set()
  }
  return neededBy(condition, scope)
}

/** Returns the columns and expressions that are not null where this expression is not null. */
const neededBy = (node: Node, scope: Scope): Set<string> => {
  const all = (nodes: readonly (Node | undefined)[] = []): string[] =>
    nodes.flatMap((each) => (each ? [...neededBy(each, scope)] : []))
  if ('ColumnRef' in node) {
    const fields = fieldsOf(node.ColumnRef.fields)
    const found = find(scope, fields.at(-1)!, fields.at(-2))
    return new Set(found ? [`${found.relation.name}.${found.column.name}`] : [])
  }
  if ('TypeCast' in node) return new Set([keyOf(node), ...all([node.TypeCast.arg])])
  if ('RowExpr' in node) return new Set(all(node.RowExpr.args))
  if ('FuncCall' in node) {
    const isStrict = STRICT.has(nameOfFunction(node.FuncCall.funcname))
    return new Set([keyOf(node), ...(isStrict ? all(node.FuncCall.args) : [])])
  }
  if ('A_Expr' in node) {
    const { kind, name, lexpr, rexpr } = node.A_Expr
    if (NULL_SAFE.has(kind ?? '')) return new Set()
    // `a in (b, null)` is true where a is b, so it proves only a.
    if (kind === 'AEXPR_IN') return new Set(all([lexpr]))
    if (LOOKUPS.has(fieldsOf(name).at(-1)!)) return new Set([keyOf(node), ...all([lexpr])])
    return new Set([keyOf(node), ...all([lexpr, rexpr])])
  }
  return new Set([keyOf(node)])
}

/** Functions that return null when an argument is null. */
const STRICT = new Set([
  'lower',
  'upper',
  'abs',
  'div',
  'mod',
  'power',
  'starts_with',
  'split_part',
  'cardinality',
  'max',
  'min',
  'sum',
])
