/** Queries syntax trees, and reads templates as text with holes. */
import {
  SyntaxKind,
  type ArrowFunction,
  type CallExpression,
  type Expression,
  type FunctionDeclaration,
  type Identifier,
  type Node,
  type PropertyAccessExpression,
  type ReturnStatement,
  type TaggedTemplateExpression,
  type TemplateExpression,
  type VariableDeclaration,
} from './project.ts'

export type Function = ArrowFunction | FunctionDeclaration

export const isCall = (node: Node): node is CallExpression => node.kind === SyntaxKind.CallExpression

/** Returns true for kysely's tag: sql`…` and sql<Row>`…`. */
export const isSqlTemplate = (node: Node): node is TaggedTemplateExpression =>
  node.kind === SyntaxKind.TaggedTemplateExpression && isSqlName((node as TaggedTemplateExpression).tag)

const isSqlName = (node: Node): boolean => node.kind === SyntaxKind.Identifier && (node as Identifier).text === 'sql'

/** Returns `raw` for a call of `sql.raw(…)`. */
export const sqlMethodOf = ({ expression }: CallExpression): string | undefined =>
  expression.kind === SyntaxKind.PropertyAccessExpression &&
  isSqlName((expression as PropertyAccessExpression).expression)
    ? (expression as PropertyAccessExpression).name.text
    : undefined

/** Returns a node's place, which is equal for two objects of the same node. */
export const keyOf = (node: Node): string => `${node.getSourceFile().fileName}:${node.pos}`

/** Returns the text before the first hole, and each hole with the text after it. */
export const partsOf = (node: Node): { head: string; spans: { hole: Expression; tail: string }[] } => {
  if (node.kind === SyntaxKind.NoSubstitutionTemplateLiteral)
    return { head: (node as Node & { text: string }).text, spans: [] }
  const { head, templateSpans } = node as TemplateExpression
  return {
    head: head.text,
    spans: templateSpans.map(({ expression, literal }) => ({ hole: expression, tail: literal.text })),
  }
}

/**
 * Returns a template with its holes filled. The first result has the first alternative of each hole, the second the
 * second, so that two holes under one condition match. A hole with fewer alternatives repeats its last.
 */
export const combine = <T>(
  { head, spans }: ReturnType<typeof partsOf>,
  fill: (hole: Expression) => (string | T)[][],
): (string | T)[][] => {
  const filled = spans.map(({ hole, tail }) => ({ ways: fill(hole), tail }))
  const most = Math.max(1, ...filled.map(({ ways }) => ways.length))
  return Array.from({ length: most }, (_, way) => [
    head,
    ...filled.flatMap(({ ways, tail }) => [...(ways[Math.min(way, ways.length - 1)] ?? []), tail]),
  ])
}

/** Returns the expressions that a function returns. */
export const returnsOf = ({ body }: Function): Expression[] => {
  if (body === undefined) return []
  if (body.kind !== SyntaxKind.Block) return [body as Expression]
  const found: Expression[] = []
  const visit = (node: Node): void => {
    if (node.kind === SyntaxKind.ReturnStatement) {
      const { expression } = node as ReturnStatement
      if (expression) found.push(expression)
    } else if (!INNER.has(node.kind)) node.forEachChild(visit)
  }
  body.forEachChild(visit)
  return found
}

const INNER: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ArrowFunction,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.MethodDeclaration,
])

/** Returns the name by which a function is called: its own, or that of the constant that holds it. */
export const nameOf = (node: Function): Identifier | undefined => {
  if (node.kind === SyntaxKind.FunctionDeclaration) return node.name
  const { parent } = node
  return parent.kind === SyntaxKind.VariableDeclaration
    ? ((parent as VariableDeclaration).name as Identifier)
    : undefined
}

/** How kysely prints the arguments of these methods (kysely's default-query-compiler.ts). */
export const SPELLED: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  ref: (text) => text.split('.').map(quoted).join('.'),
  table: (text) => text.split('.').map(quoted).join('.'),
  id: quoted,
  lit: (text) => `'${text.replaceAll("'", "''")}'`,
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
