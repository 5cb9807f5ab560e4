/** Finds the relations of a FROM clause and their nullable columns, for `nullability.ts`. */
import type { Node } from 'libpg-query'
import { fieldsOf } from './tree.ts'

/** A column that a statement returns or reads. */
export interface Column {
  readonly name: string
  /** Why the column can be null, in words; undefined when it can't. */
  readonly null: string | undefined
}

/** Columns of tables and views of the migrated database, by relation. */
export type Tables = ReadonlyMap<string, readonly Column[]>

export interface Relation {
  readonly name: string
  readonly columns: readonly Column[]
  /** True on the side of an outer join that may have no row. */
  readonly isOptional: boolean
}

/** The relations that an expression can name, and the columns and expressions that conditions prove to be not null. */
export interface Scope {
  readonly relations: readonly Relation[]
  /** `relation.column`, and other expressions by their text */
  readonly proven: ReadonlySet<string>
  /** Scope of the enclosing statement, in a subquery. */
  readonly outer?: Scope
}

export const EMPTY: Scope = { relations: [], proven: new Set() }

/** Finds a column by its name, with or without the name of its relation. */
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

/** Returns why a column can be null where it is read. */
export const whyNull = (relation: Relation, column: Column, { proven }: Scope): string | undefined => {
  if (proven.has(`${relation.name}.${column.name}`)) return undefined
  if (column.null !== undefined) return column.null
  // If one column of an outer-joined row is not null, the row exists.
  const isThere = !relation.isOptional || relation.columns.some(({ name }) => proven.has(`${relation.name}.${name}`))
  return isThere ? undefined : `${relation.name} is outer joined and can be missing`
}

/** Returns the columns that `select *` reads from the relation in a scope. */
export const columnsIn = (relation: Relation, scope: Scope): Column[] =>
  relation.columns.map((column) => ({ name: column.name, null: whyNull(relation, column, scope) }))

/** Renames the first columns as an alias does: `u(id, units)`. */
export const renamed = (columns: readonly Column[], names: readonly Node[] | undefined): Column[] => {
  const given = fieldsOf(names)
  return columns.map((column, index) => ({ ...column, name: given[index] ?? column.name }))
}
