/** Relations of a FROM clause with the columns that can be null, for `nullability.ts`. */
import type { Node } from 'libpg-query'
import { fieldsOf } from './tree.ts'

/** A column that a statement gives back or reads from. */
export interface Column {
  readonly name: string
  /** Why it can be null, in words; undefined when it can not. */
  readonly null: string | undefined
}

/** Columns of tables and views by name, as the migrated database has them. */
export type Tables = ReadonlyMap<string, readonly Column[]>

export interface Relation {
  readonly name: string
  readonly columns: readonly Column[]
  /** On the side of an outer join that can be missing. */
  readonly isOptional: boolean
}

/** The relations that an expression can name, and the columns and expressions that conditions prove not null. */
export interface Scope {
  readonly relations: readonly Relation[]
  /** `relation.column`, and other expressions by their text */
  readonly proven: ReadonlySet<string>
  /** Of the statement around a subquery. */
  readonly outer?: Scope
}

export const EMPTY: Scope = { relations: [], proven: new Set() }

/** Finds a column by its name, with or without its relation's. */
export const find = (
  scope: Scope,
  name: string,
  relation?: string,
): { relation: Relation; column: Column; scope: Scope } | undefined => {
  for (const each of scope.relations) {
    if (relation !== undefined && each.name !== relation) continue
    const column = each.columns.find((one) => one.name === name)
    if (column) return { relation: each, column, scope }
  }
  return scope.outer && find(scope.outer, name, relation)
}

/** Why a column can be null where it is read. */
export const whyNull = (relation: Relation, column: Column, { proven }: Scope): string | undefined => {
  if (proven.has(`${relation.name}.${column.name}`)) return undefined
  if (column.null !== undefined) return column.null
  // Where one column of an outer joined row is not null, the row is not missing.
  const isThere = !relation.isOptional || relation.columns.some(({ name }) => proven.has(`${relation.name}.${name}`))
  return isThere ? undefined : `${relation.name} is outer joined and can be missing`
}

/** The relation's columns as they are read under a scope: `select *`. */
export const columnsIn = (relation: Relation, scope: Scope): Column[] =>
  relation.columns.map((column) => ({ name: column.name, null: whyNull(relation, column, scope) }))

/** Columns with the names that an alias gives the first of them: `u(id, units)`. */
export const renamed = (columns: readonly Column[], names: readonly Node[] | undefined): Column[] => {
  const given = fieldsOf(names)
  return columns.map((column, index) => ({ ...column, name: given[index] ?? column.name }))
}
