/** Checks every statement of the sources against a migrated database. */
import { parse, type Node as Statement } from 'libpg-query'
import type pg from 'pg'
import { readTables, readTypes, type ColumnType } from './catalog.ts'
import { compareRow } from './compare.ts'
import { describe } from './describe.ts'
import { Fragments } from './fragments.ts'
import { Unresolved } from './values.ts'
import { resultOf, type Parameters } from './nullability.ts'
import {
  SyntaxKind,
  walk,
  type Expression,
  type Node,
  type PropertyAccessExpression,
  type Sources,
  type Type,
} from './project.ts'
import type { Column, Tables } from './relations.ts'
import { elementOf, kindsOf, membersOf, type Member } from './rows.ts'
import { isCall, isSqlTemplate, keyOf } from './syntax.ts'
import { textOf, type Sql } from './text.ts'

/** A text that the check substitutes for an expression whose value is known only at run time. */
export interface StandIn {
  /** repository path */
  readonly file: string
  /** as it is written */
  readonly expression: string
  readonly text: string
  readonly reason: string
}

export interface Report {
  /** `file:line: sentence` */
  readonly problems: readonly string[]
  /** Number of places that run SQL. */
  readonly statements: number
  /** Number of texts that these places can produce, each described by PostgreSQL. */
  readonly texts: number
  /** Number of these texts whose columns were compared with a row type. */
  readonly rows: number
  /** Number of places that a stand-in resolves. */
  readonly standIns: number
}

/** @param parserOf returns the driver's parser for a column type */
export const checkStatements = async (
  sources: Sources,
  client: pg.ClientBase,
  parserOf: (typeId: number) => (text: string) => unknown,
  listed: readonly StandIn[],
): Promise<Report> => {
  const tables = await readTables(client)
  const types = await readTypes(client, parserOf)
  const used = new Set<StandIn>()
  const fragments = new Fragments(sources, (node) => {
    const found = listed.find(
      ({ file, expression }) => node.getText() === expression && sources.placeOf(node).startsWith(`${file}:`),
    )
    if (found) used.add(found)
    return found?.text
  })
  const problems: string[] = []
  let statements = 0
  let texts = 0
  let rows = 0
  for (const executed of executedIn(sources)) {
    statements += 1
    for (const sql of resolve(executed.expression, fragments, sources, problems)) {
      const row = rowOf(sql, executed.row, sources)
      const members = row && membersOf(row, sources)
      const found = await checkText(sql, members, { sources, client, tables, types })
      problems.push(...found.map((sentence) => `${sources.placeOf(sql.template)}: ${sentence}`))
      texts += 1
      if (members) rows += 1
    }
  }
  problems.push(...unreached(sources, fragments))
  for (const standIn of listed)
    if (!used.has(standIn))
      problems.push(`${standIn.file}: nothing is called ${standIn.expression} there any more: take it out of the list`)
  return { problems: [...new Set(problems)], statements, texts, rows, standIns: used.size }
}

interface Executed {
  readonly expression: Expression
  readonly row: Type | undefined
}

/** Yields the SQL expressions that are run: `….execute(db)` and `….compile(db)`. */
function* executedIn({ files, checker }: Sources): Generator<Executed> {
  for (const file of files.values()) {
    if (!/\.(execute|compile)\(/.test(file.text)) continue
    for (const node of walk(file)) {
      if (!isCall(node) || node.expression.kind !== SyntaxKind.PropertyAccessExpression) continue
      const { name, expression } = node.expression as PropertyAccessExpression
      if (name.text !== 'execute' && name.text !== 'compile') continue
      const type = checker.getTypeAtLocation(expression)
      if (type?.getSymbol()?.name !== 'RawBuilder') continue
      yield { expression, row: type.isTypeReference() ? checker.getTypeArguments(type)[0] : undefined }
    }
  }
}

const resolve = (expression: Expression, fragments: Fragments, sources: Sources, problems: string[]): Sql[] => {
  try {
    return fragments.alternatives(expression)
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error
    problems.push(
      `${sources.placeOf(expression)}: this statement is not checked, as ${error.node.getText().split('\n')[0]} of ${sources.placeOf(error.node)} is not known: ${error.message}. Give it a constant, or list it in tools/sql/stand-ins.ts with a reason`,
    )
    return []
  }
}

/** Returns the row type that the template names, else that of the executed expression. */
const rowOf = ({ template }: Sql, executed: Type | undefined, { checker }: Sources): Type | undefined => {
  const named = isSqlTemplate(template) ? template.typeArguments?.[0] : undefined
  return named ? checker.getTypeFromTypeNode(named) : executed
}

interface Database {
  readonly sources: Sources
  readonly client: pg.ClientBase
  readonly tables: Tables
  readonly types: ReadonlyMap<number, ColumnType>
}

const checkText = async (sql: Sql, members: Member[] | undefined, database: Database): Promise<string[]> => {
  const { sources, client, tables, types } = database
  const { text, values } = textOf(sql)
  const columns = await describe(client, text).catch((error: Error) => error)
  if (columns instanceof Error) return [`PostgreSQL refuses this statement: ${columns.message}${nearOf(text, columns)}`]
  if (members === undefined) return []
  const { stmts } = await parse(text)
  const nulls = readResult(stmts![0]!.stmt!, tables, parametersOf(values, sources))
  if (typeof nulls === 'string')
    return [`${nulls}: mend tools/sql/nullability.ts, or write the statement in another way`]
  if (nulls.map(({ name }) => name).join() !== columns.map(({ name }) => name).join())
    return [
      `this check reads the columns ${nulls.map(({ name }) => name).join(', ')} and PostgreSQL gives ${columns.map(({ name }) => name).join(', ')}: mend tools/sql/nullability.ts`,
    ]
  return compareRow(
    columns.map(({ name, typeId }, index) => ({ name, type: types.get(typeId)!, null: nulls[index]!.null })),
    members,
  )
}

const readResult = (statement: Statement, tables: Tables, parameters: Parameters): Column[] | string => {
  try {
    return resultOf(statement, tables, parameters)
  } catch (error) {
    return (error as Error).message
  }
}

const nearOf = (text: string, error: Error & { position?: string }): string => {
  const at = Number(error.position ?? 0)
  return at > 0 ? `, at \`${text.slice(at - 1, at + 40).split('\n')[0]}\`` : ''
}

const parametersOf = (values: readonly Expression[], { checker }: Sources): Parameters => {
  const typeOf = (number: number): Type | undefined => checker.getTypeAtLocation(values[number - 1]!)
  return {
    canBeNull: (number) => {
      const type = typeOf(number)
      if (type === undefined) return true
      const { canBeNull, canBeUndefined } = kindsOf(type, checker)
      return canBeNull || canBeUndefined
    },
    hasNulls: (number) => {
      const type = typeOf(number)
      const element = type && elementOf(type, checker)
      return element === undefined || kindsOf(element, checker).canBeNull
    },
  }
}

/** Returns templates that are in no statement found by this check: they are unused, or hidden from it. */
const unreached = (sources: Sources, fragments: Fragments): string[] =>
  [...sources.files.values()]
    .filter(({ text }) => text.includes('sql'))
    .flatMap((file) =>
      [...walk(file)]
        .filter((node: Node) => isSqlTemplate(node) && !fragments.reached.has(keyOf(node)))
        .map(
          (node) =>
            `${sources.placeOf(node)}: no statement takes this template in, as far as this check sees: remove it, or call it where the check finds it`,
        ),
    )
