/**
 * Finds the nullable columns of a statement's result, from PostgreSQL's parse tree and the columns of the tables. A
 * column counts as nullable unless it is proven not to be. A function in no list here is assumed to return null only
 * when an argument is null.
 */
import type {
  CaseExpr,
  CommonTableExpr,
  FuncCall,
  InsertStmt,
  Node,
  RangeFunction,
  RangeVar,
  SelectStmt,
  SubLink,
  WithClause,
} from 'libpg-query'
import { provenBy } from './proven.ts'
import {
  columnsIn,
  EMPTY,
  find,
  renamed,
  whyNull,
  type Column,
  type Relation,
  type Scope,
  type Tables,
} from './relations.ts'
import { AGGREGATES, fieldsOf, isOneRow, keyOf, LOOKUPS, nameOf, nameOfFunction } from './tree.ts'

/** The parameters of a statement, numbered from 1. */
export interface Parameters {
  /** Returns whether the value can be null or undefined. */
  canBeNull(number: number): boolean
  /** Returns whether the value is an array that can contain null. */
  hasNulls(number: number): boolean
}

/** Returns the columns of a statement's result, in order; none when it has no result. */
export const resultOf = (statement: Node, tables: Tables, parameters: Parameters): Column[] =>
  new Reader(tables, parameters).statement(statement, EMPTY, new Map())

type Ctes = ReadonlyMap<string, readonly Column[]>

/** Functions that never return null. */
const NEVER = new Set([
  'count',
  'row_number',
  'rank',
  'dense_rank',
  'now',
  'transaction_timestamp',
  'clock_timestamp',
  'random',
  'concat',
  'format',
  'concat_ws',
  'jsonb_build_object',
  'jsonb_build_array',
  'json_build_object',
  'json_build_array',
  'custody_account',
  'database_era',
  'database_identity',
  'current_database',
])
/** Functions that can return null although no argument is null. */
const SOMETIMES = new Set([
  'lag',
  'lead',
  'first_value',
  'last_value',
  'nth_value',
  'array_position',
  'array_length',
  'array_upper',
  'array_lower',
  'regexp_match',
  'to_regclass',
  'jsonb_path_query_first',
])
class Reader {
  readonly #tables: Tables
  readonly #parameters: Parameters

  constructor(tables: Tables, parameters: Parameters) {
    this.#tables = tables
    this.#parameters = parameters
  }

  statement(node: Node, outer: Scope, ctes: Ctes): Column[] {
    if ('SelectStmt' in node) return this.#select(node.SelectStmt, outer, ctes)
    if ('InsertStmt' in node) return this.#insert(node.InsertStmt, outer, ctes)
    if ('UpdateStmt' in node) {
      const { relation, fromClause, whereClause, targetList, returningClause, withClause } = node.UpdateStmt
      const all = this.#with(withClause, outer, ctes)
      const target = this.#table(relation!, all)
      const scope = this.#from([], fromClause, whereClause, outer, all, [target])
      const written = new Map(
        (targetList ?? []).map((each) => {
          const { name, val } = (each as { ResTarget: { name?: string; val?: Node } }).ResTarget
          return [name!, val && this.#expression(val, scope, all)] as const
        }),
      )
      const writes = (name: string): boolean =>
        name.startsWith(`${target.name}.`) && written.has(name.slice(target.name.length + 1))
      // The condition applies to the row before the update, so it proves nothing about the written columns.
      const after: Scope = {
        ...scope,
        proven: new Set([
          ...[...scope.proven].filter((name) => !writes(name)),
          ...[...written].flatMap(([name, why]) => (why === undefined ? [`${target.name}.${name}`] : [])),
        ]),
      }
      return this.#targets(returningClause?.exprs, after, all)
    }
    if ('DeleteStmt' in node) {
      const { relation, usingClause, whereClause, returningClause, withClause } = node.DeleteStmt
      const all = this.#with(withClause, outer, ctes)
      const scope = this.#from([], usingClause, whereClause, outer, all, [this.#table(relation!, all)])
      return this.#targets(returningClause?.exprs, scope, all)
    }
    return []
  }

  #insert(
    { relation, cols, selectStmt, returningClause, onConflictClause, withClause }: InsertStmt,
    outer: Scope,
    ctes: Ctes,
  ): Column[] {
    const all = this.#with(withClause, outer, ctes)
    const target = this.#table(relation!, all)
    const given = selectStmt ? this.statement(selectStmt, outer, all) : []
    const names = (cols ?? []).map((each) => (each as { ResTarget: { name?: string } }).ResTarget.name!)
    const isUpsert = onConflictClause?.action === 'ONCONFLICT_UPDATE'
    const proven = names.filter(
      (_, index) => !isUpsert && given[index] !== undefined && given[index].null === undefined,
    )
    const scope = { relations: [target], proven: new Set(proven.map((name) => `${target.name}.${name}`)), outer }
    return this.#targets(returningClause?.exprs, scope, all)
  }

  #with(clause: WithClause | undefined, outer: Scope, ctes: Ctes): Ctes {
    const all = new Map(ctes)
    for (const each of clause?.ctes ?? []) {
      const { ctename, ctequery, aliascolnames } = (each as { CommonTableExpr: CommonTableExpr }).CommonTableExpr
      const named = (columns: readonly Column[]): Column[] => renamed(columns, aliascolnames)
      // The part of a recursive query that does not refer to the query itself.
      const first = clause?.recursive && 'SelectStmt' in ctequery! ? ctequery.SelectStmt.larg : undefined
      if (first) all.set(ctename!, named(this.#select(first, outer, all)))
      all.set(ctename!, named(this.statement(ctequery!, outer, all)))
    }
    return all
  }

  #select(select: SelectStmt, outer: Scope, ctes: Ctes): Column[] {
    const all = this.#with(select.withClause, outer, ctes)
    if (select.larg && select.rarg) {
      const right = this.#select(select.rarg, outer, all)
      return this.#select(select.larg, outer, all).map(({ name, null: why }, index) => ({
        name,
        null: why ?? right[index]?.null,
      }))
    }
    if (select.valuesLists) {
      const rows = select.valuesLists.map((row) => (row as { List: { items?: Node[] } }).List.items ?? [])
      return rows[0]!.map((_, index) => ({
        name: `column${index + 1}`,
        null: rows.map((row) => this.#expression(row[index]!, outer, all)).find((why) => why !== undefined),
      }))
    }
    const scope = this.#from([], select.fromClause, select.whereClause, outer, all)
    return this.#targets(select.targetList, scope, all, (select.groupClause ?? []).length > 0)
  }

  /** Returns the relations of a FROM clause, and the columns that its conditions prove to be not null. */
  #from(
    conditions: Node[],
    clause: readonly Node[] | undefined,
    where: Node | undefined,
    outer: Scope,
    ctes: Ctes,
    first: readonly Relation[] = [],
  ): Scope {
    let relations = [...first]
    const proofs = [...conditions]
    for (const item of clause ?? [])
      relations = [...relations, ...this.#item(item, { relations, proven: new Set(), outer }, ctes, proofs)]
    if (where) proofs.push(where)
    const scope = { relations, proven: new Set<string>(), outer }
    return { ...scope, proven: new Set([...outer.proven, ...proofs.flatMap((proof) => [...provenBy(proof, scope)])]) }
  }

  #item(item: Node, beside: Scope, ctes: Ctes, proofs: Node[]): Relation[] {
    if ('RangeVar' in item) return [this.#table(item.RangeVar, ctes)]
    if ('RangeSubselect' in item) {
      const { subquery, alias, lateral } = item.RangeSubselect
      const columns = this.statement(subquery!, lateral ? beside : (beside.outer ?? EMPTY), ctes)
      return [{ name: alias?.aliasname ?? '', columns: renamed(columns, alias?.colnames), isOptional: false }]
    }
    if ('RangeFunction' in item) return [this.#function(item.RangeFunction, beside, ctes)]
    if ('JoinExpr' in item) {
      const { larg, rarg, jointype, quals, usingClause } = item.JoinExpr
      const inner: Node[] = []
      const left = this.#item(larg!, beside, ctes, proofs)
      const right = this.#item(rarg!, { ...beside, relations: [...beside.relations, ...left] }, ctes, inner)
      const optional = (relations: Relation[]): Relation[] => relations.map((each) => ({ ...each, isOptional: true }))
      if (jointype === 'JOIN_LEFT') {
        if (isAlwaysOne(rarg!, quals)) return [...left, ...right]
        return [...left, ...optional(right)]
      }
      if (jointype === 'JOIN_RIGHT') return [...optional(left), ...right]
      if (jointype === 'JOIN_FULL') {
        const merged = fieldsOf(usingClause).map((name) => mergedColumn(name, left, right))
        return [{ name: '', columns: merged, isOptional: false }, ...optional(left), ...optional(right)]
      }
      proofs.push(...inner, ...(quals ? [quals] : []))
      return [...left, ...right]
    }
    throw new Error(`this check does not know ${Object.keys(item)[0]} in FROM`)
  }

  #table({ relname, alias }: RangeVar, ctes: Ctes): Relation {
    const columns = ctes.get(relname!) ?? this.#tables.get(relname!)
    if (columns === undefined) throw new Error(`this check does not know the relation ${relname}`)
    return { name: alias?.aliasname ?? relname!, columns: renamed(columns, alias?.colnames), isOptional: false }
  }

  /** Columns of `unnest`, `jsonb_to_recordset` and similar functions: one for each array, or those that are listed. */
  #function({ functions, alias, coldeflist, ordinality }: RangeFunction, beside: Scope, ctes: Ctes): Relation {
    const calls = (functions ?? []).map((each) => (each as { List: { items?: Node[] } }).List.items![0]!)
    const columns = calls.flatMap((call): Column[] => {
      if (!('FuncCall' in call)) return [{ name: 'column', null: undefined }]
      const name = nameOfFunction(call.FuncCall.funcname)
      const args = call.FuncCall.args ?? []
      if (name === 'unnest') return args.map((array) => ({ name, null: this.#elements(array, beside, ctes) }))
      if (name === 'jsonb_array_elements') return [{ name: 'value', null: undefined }]
      return [{ name, null: this.#expression(call, beside, ctes) }]
    })
    const listed = (coldeflist ?? []).map((each) => {
      const { colname } = (each as { ColumnDef: { colname?: string } }).ColumnDef
      return { name: colname!, null: 'a record of JSON can leave it out' }
    })
    const numbered = ordinality ? [{ name: 'ordinality', null: undefined }] : []
    const all = listed.length > 0 ? listed : [...columns, ...numbered]
    const named = renamed(all, alias?.colnames)
    // If a function has one column, the column gets the name of the alias.
    const single = named.length === 1 && !alias?.colnames && listed.length === 0 && alias?.aliasname
    return {
      name: alias?.aliasname ?? columns[0]?.name ?? '',
      columns: single ? [{ ...named[0]!, name: single }] : named,
      isOptional: false,
    }
  }

  #elements(array: Node, scope: Scope, ctes: Ctes): string | undefined {
    if ('TypeCast' in array) return this.#elements(array.TypeCast.arg!, scope, ctes)
    if ('ParamRef' in array)
      return this.#parameters.hasNulls(array.ParamRef.number!) ? 'the array can have a null in it' : undefined
    return undefined
  }

  #targets(list: readonly Node[] | undefined, scope: Scope, ctes: Ctes, isGrouped = false): Column[] {
    return (list ?? []).flatMap((each) => {
      const { name, val } = (each as { ResTarget: { name?: string; val?: Node } }).ResTarget
      if (val && 'ColumnRef' in val) {
        const fields = fieldsOf(val.ColumnRef.fields)
        if (fields.at(-1) === '*')
          return scope.relations
            .filter((relation) => fields.length === 1 || relation.name === fields[0])
            .flatMap((relation) => columnsIn(relation, scope))
      }
      return [{ name: name ?? nameOf(val!), null: this.#expression(val!, scope, ctes, isGrouped) }]
    })
  }

  /** Returns why an expression can be null; undefined when it can't. */
  #expression(node: Node, scope: Scope, ctes: Ctes, isGrouped = false): string | undefined {
    const of = (each: Node): string | undefined => this.#expression(each, scope, ctes, isGrouped)
    const any = (nodes: readonly (Node | undefined)[] = []): string | undefined =>
      nodes.flatMap((each) => (each ? [of(each)] : [])).find((why) => why !== undefined)
    const all = (nodes: readonly Node[] = []): string | undefined => {
      const whys = nodes.map(of)
      return whys.every((why) => why !== undefined) ? whys[0] : undefined
    }
    if (scope.proven.has(keyOf(node))) return undefined
    if ('ColumnRef' in node) return this.#column(fieldsOf(node.ColumnRef.fields), scope)
    if ('ParamRef' in node)
      return this.#parameters.canBeNull(node.ParamRef.number!) ? 'its value can be null' : undefined
    if ('A_Const' in node) return node.A_Const.isnull ? 'it is null' : undefined
    if ('TypeCast' in node) return of(node.TypeCast.arg!)
    if ('CollateClause' in node) return of(node.CollateClause.arg!)
    if ('BoolExpr' in node) return any(node.BoolExpr.args)
    if ('CoalesceExpr' in node) return all(node.CoalesceExpr.args)
    if ('MinMaxExpr' in node) return all(node.MinMaxExpr.args)
    if ('A_Expr' in node) {
      const { kind, name, lexpr, rexpr } = node.A_Expr
      if (kind === 'AEXPR_DISTINCT' || kind === 'AEXPR_NOT_DISTINCT') return undefined
      if (kind === 'AEXPR_NULLIF') return 'nullif'
      const operator = fieldsOf(name).at(-1)!
      if (LOOKUPS.has(operator)) return `${operator} gives null where JSON has no such key`
      return any([lexpr, rexpr])
    }
    if ('List' in node) return any(node.List.items)
    if ('CaseExpr' in node) return this.#case(node.CaseExpr, scope, ctes, isGrouped)
    if ('FuncCall' in node) return this.#call(node.FuncCall, any, isGrouped)
    if ('SubLink' in node) return this.#subquery(node.SubLink, scope, ctes)
    if ('A_Indirection' in node) return 'an element of an array can be missing'
    if (['NullTest', 'BooleanTest', 'A_ArrayExpr', 'RowExpr', 'SQLValueFunction'].some((kind) => kind in node))
      return undefined
    return `this check does not know ${Object.keys(node)[0]}`
  }

  #column(fields: readonly string[], scope: Scope): string | undefined {
    const found = find(scope, fields.at(-1)!, fields.at(-2))
    if (found) return whyNull(found.relation, found.column, { ...found.scope, proven: scope.proven })
    // A whole row: `select o from …`.
    return fields.length === 1 ? undefined : `this check does not find ${fields.join('.')}`
  }

  #case({ args, defresult }: CaseExpr, scope: Scope, ctes: Ctes, isGrouped: boolean): string | undefined {
    if (defresult === undefined) return 'a CASE without ELSE'
    const branches = (args ?? []).map((each) => {
      const { expr, result } = (each as { CaseWhen: { expr?: Node; result?: Node } }).CaseWhen
      const proven = new Set([...scope.proven, ...provenBy(expr!, scope)])
      return this.#expression(result!, { ...scope, proven }, ctes, isGrouped)
    })
    return [...branches, this.#expression(defresult, scope, ctes, isGrouped)].find((why) => why !== undefined)
  }

  #call(call: FuncCall, any: (nodes?: readonly Node[]) => string | undefined, isGrouped: boolean): string | undefined {
    const name = nameOfFunction(call.funcname)
    if (NEVER.has(name)) return undefined
    if (SOMETIMES.has(name)) return `${name} can be null`
    if (AGGREGATES.has(name)) {
      if (call.agg_filter) return `${name} of no rows is null`
      if (!isGrouped && !call.over) return `${name} of no rows is null`
      if (name === 'array_agg' || name === 'json_agg') return undefined
    }
    return any(call.args)
  }

  #subquery({ subLinkType, testexpr, subselect }: SubLink, scope: Scope, ctes: Ctes): string | undefined {
    if (subLinkType === 'EXISTS_SUBLINK' || subLinkType === 'ARRAY_SUBLINK') return undefined
    if (subLinkType !== 'EXPR_SUBLINK') return testexpr && this.#expression(testexpr, scope, ctes)
    const { SelectStmt: select } = subselect as { SelectStmt: SelectStmt }
    if (!isOneRow(select)) return 'the subquery can have no row'
    return this.#select(select, scope, ctes)[0]?.null
  }
}

/** True for `left join lateral (select count(*) …) on true`: the right side always has a row. */
const isAlwaysOne = (right: Node, condition: Node | undefined): boolean =>
  'RangeSubselect' in right &&
  'SelectStmt' in right.RangeSubselect.subquery! &&
  isOneRow(right.RangeSubselect.subquery.SelectStmt) &&
  condition !== undefined &&
  'A_Const' in condition &&
  condition.A_Const.boolval?.boolval === true

/** Returns a column of `full join … using`, which is not null when either side's column is not null. */
const mergedColumn = (name: string, left: readonly Relation[], right: readonly Relation[]): Column => {
  const whyOf = (relations: readonly Relation[]): string | undefined =>
    relations.flatMap(({ columns }) => columns).find((column) => column.name === name)?.null
  return { name, null: whyOf(left) ?? whyOf(right) }
}
