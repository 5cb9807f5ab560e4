/** SQL as text with parameters. */
import { keyOf } from './syntax.ts'
import type { CallExpression, Expression, TaggedTemplateExpression } from './project.ts'

/** Text, or a value that kysely sends as a parameter. */
export type Piece = string | { readonly value: Expression }

/** One text that a template can produce, and the template, whose type argument is the row. */
export interface Sql {
  readonly pieces: readonly Piece[]
  /** A call if the SQL is all in `sql.raw(…)`. */
  readonly template: TaggedTemplateExpression | CallExpression
}

/** Returns the text that PostgreSQL receives and its values; the first is `$1`. */
export const textOf = ({ pieces }: Sql): { text: string; values: readonly Expression[] } => {
  const values: Expression[] = []
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : `$${values.push(piece.value)}`)).join('')
  return { text, values }
}

/** Returns a key that is equal for the same text with the same values. */
export const identityOf = (sql: Sql): string => {
  const { text, values } = textOf(sql)
  return [text, ...values.map(keyOf)].join('\n')
}
