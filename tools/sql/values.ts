/** The values that the evaluation of SQL expressions (`fragments.ts`) works with, and the errors that it throws. */
import type { Node, ObjectLiteralExpression } from './project.ts'
import type { Function } from './syntax.ts'
import type { Sql } from './text.ts'

/** The arguments of the followed calls, by the `keyOf` of their parameters. */
export type Scope = ReadonlyMap<string, () => Atom[]>

/** A possible value of an expression, of a kind that can become part of SQL. */
export type Atom =
  | { kind: 'sql'; sql: Sql }
  | { kind: 'text'; text: string }
  | { kind: 'object'; node: ObjectLiteralExpression; scope: Scope }
  | { kind: 'list'; atoms: Atom[] }
  | { kind: 'function'; node: Function; scope: Scope }
  | { kind: 'nothing' }

/** Thrown for an expression whose value is only known at run time. */
export class Unresolved extends Error {
  readonly node: Node
  constructor(node: Node, message: string) {
    super(message)
    this.node = node
  }
}

/** Thrown for a parameter without an argument: the evaluation is repeated for each caller of its function. */
export class CallerNeeded extends Error {
  readonly declaration: Function
  constructor(declaration: Function) {
    super('a caller is needed')
    this.declaration = declaration
  }
}
